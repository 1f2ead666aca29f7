"""Stays where it is."""


class Bot:
    def __init__(self, info):
        pass

    def act(self, obs):
        return {"at": [], "way": ""}
