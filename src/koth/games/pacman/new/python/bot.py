"""A first bot: eats what is next to it, walks on, and keeps off ghosts."""

import random
from typing import Any

WORTH = {"o": 10.0, "O": 50.0, "F": 100.0, "G": 0.0}  # pellet, power pellet, fruit, ghost; P: a Pac-Man, X: nothing
STEPS = [("N", -1, 0), ("E", 0, 1), ("S", 1, 0), ("W", 0, -1)]


class Bot:
    """A bot in one match: koth makes it, and calls `act`. What it prints is kept for you."""

    def __init__(self, info: Any) -> None:
        self.walls = info.walls  # a hex digit a square, row by row: 1 north, 2 east, 4 south, 8 west
        self.side = info.side
        self.dice = random.Random(info.seed)  # the only source of random numbers, so that a match can be repeated

    def act(self, obs: Any) -> str:
        seen = {(row, col): letter for row, col, letter in obs.seen}
        best, most = "X", 0.0
        for bit, (move, down, right) in enumerate(STEPS):
            if int(self.walls[obs.row * self.side + obs.col], 16) >> bit & 1:
                continue
            there = seen.get(((obs.row + down) % self.side, (obs.col + right) % self.side), "?")
            worth = WORTH.get(there, 1.0) + self.dice.random()
            if worth > most:
                best, most = move, worth
        return best
