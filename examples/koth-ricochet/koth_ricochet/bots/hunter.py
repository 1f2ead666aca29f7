"""Hunter: shoots along rows and columns, else goes towards the nearest rival that it sees, else wanders."""

import random

WAYS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


class Bot:
    def __init__(self, info):
        self.dice = random.Random(info.seed)

    def act(self, obs):
        rivals = zip(obs.rival_x, obs.rival_y, strict=True)
        near = sorted((abs(x - obs.x) + abs(y - obs.y), x - obs.x, y - obs.y) for x, y in rivals)
        for _, dx, dy in near:
            if dx == 0 or dy == 0:
                return "fire_" + ("north" if dy < 0 else "south" if dy > 0 else "west" if dx < 0 else "east")
        middle = len(obs.window) // 2
        ways = [way for way, (dx, dy) in WAYS.items() if obs.window[middle + dy][middle + dx] != "#"]
        if near:
            _, dx, dy = near[0]
            better = [way for way in ways if WAYS[way][0] * dx > 0 or WAYS[way][1] * dy > 0]
            ways = better or ways
        return self.dice.choice(ways or ["stay"])
