"""A first bot: eats what is next to it, avoids ghosts, and goes where it has been least."""

from collections import Counter
from typing import Any

WORTH = {"o": 10, "O": 50, "F": 100, "G": -1000}  # pellet, power pellet, fruit, ghost; P: a Pac-Man, X: nothing
STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}


class Bot:
    """A bot in one match: koth creates it, and calls `act`. Its output is kept for you."""

    def __init__(self, info: Any) -> None:
        self.side = info.side  # the maze is square, and its opposite edges touch
        self.visits: Counter[tuple[int, int]] = Counter()

    def act(self, obs: Any) -> str:
        self.visits[obs.row, obs.col] += 1
        seen = {(row, col): letter for row, col, letter in obs.seen}

        def score(move: str) -> int:
            down, right = STEPS[move]
            there = (obs.row + down) % self.side, (obs.col + right) % self.side
            return WORTH.get(seen.get(there, "X"), 0) - self.visits[there]

        free: str = obs.free  # the moves that no wall is in the way of; X stays where it is
        return max(free.replace("X", ""), key=score)
