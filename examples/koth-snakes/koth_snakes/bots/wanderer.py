"""Wanders: any step that does not kill it at once (what `koth new` begins a bot with)."""

import random

STEPS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}


class Bot:
    def __init__(self, info):
        self.info = info
        self.dice = random.Random(info.seed)  # the only source of random numbers, so that a match can be repeated

    def act(self, obs):
        side, me = self.info.side, obs.snake.index(self.info.seat)
        taken = set(zip(obs.x, obs.y, strict=True))
        free = []
        for word, (dx, dy) in STEPS.items():
            x, y = obs.x[me] + dx, obs.y[me] + dy
            if self.info.wraps:
                x, y = x % side, y % side
            if 0 <= x < side and 0 <= y < side and (x, y) not in taken:
                free.append(word)
        return self.dice.choice(free or ["up"])
