"""Dodger: leaves the rows and columns in which bullets fly, and now and then lays a mine where it was."""

import random

WAYS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


class Bot:
    def __init__(self, info):
        self.dice = random.Random(info.seed)

    def act(self, obs):
        middle = len(obs.window) // 2
        ways = [way for way, (dx, dy) in WAYS.items() if obs.window[middle + dy][middle + dx] != "#"]
        mines = set(zip(obs.mine_x, obs.mine_y, strict=True))
        ways = [way for way in ways if (obs.x + WAYS[way][0], obs.y + WAYS[way][1]) not in mines]
        for x, y, way in zip(obs.bullet_x, obs.bullet_y, obs.bullet_way, strict=True):
            if way in ("north", "south") and x == obs.x:
                ways = [other for other in ways if other in ("east", "west")]
            if way in ("east", "west") and y == obs.y:
                ways = [other for other in ways if other in ("north", "south")]
        if obs.mines and not obs.bullet_x and self.dice.random() < 0.1:
            return "mine"
        return self.dice.choice(ways or ["stay"])
