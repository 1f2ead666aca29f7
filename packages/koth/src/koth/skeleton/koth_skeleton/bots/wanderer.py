"""Wanders: any step. `koth new` gives this bot to beginners."""

import random


class Bot:
    def __init__(self, info):
        self.dice = random.Random(info.seed)  # the only source of random numbers, so that a match can be repeated

    def act(self, obs):
        return self.dice.choice(["north", "east", "south", "west"])
