"""Goes to the first neighbouring square that it can paint, else anywhere."""

import random

WAYS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


class Bot:
    def __init__(self, info):
        self.seat, self.dice = info.seat, random.Random(info.seed)

    def act(self, obs):
        ways = self.dice.sample(list(WAYS), len(WAYS))
        return next((way for way in ways if self.is_good(obs, *WAYS[way])), ways[0])

    def is_good(self, obs, dx, dy):
        x, y = obs.x[self.seat] + dx, obs.y[self.seat] + dy
        if not (0 <= x < len(obs.canvas) and 0 <= y < len(obs.canvas)):
            return False
        there = obs.canvas[y][x]
        return not there or (obs.number[self.seat] - obs.number[there - 1]) % 3 == 2
