"""Coin: cooperates or defects at random."""

import random


class Bot:
    def act(self, obs):
        return random.choice("CD")
