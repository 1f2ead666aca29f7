"""Defector: always defects."""


class Bot:
    def act(self, obs):
        return "D"
