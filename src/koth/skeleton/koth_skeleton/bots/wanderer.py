"""Wanders: any step. `koth new` starts people with this one."""

import random


class Bot:
    def __init__(self, info):
        self.dice = random.Random(info.seed)  # draw from these alone, and a match can be repeated

    def act(self, obs):
        return self.dice.choice(["north", "east", "south", "west"])
