"""The cost of a question for one bot, and the costs of all questions of a match."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from koth.game import Array


class Cost(NamedTuple):
    """The cost of a question in seconds: the CPU time of the whole bot, which is charged, and wall time."""

    charged: float = 0.0
    wall: float = 0.0


NO_COST = Cost()


class CostLog:
    """The cost of each question of a match, in order, with the question's turn."""

    def __init__(self) -> None:
        self._numbers = array("d")

    def add(self, turn: int, cost: Cost) -> None:
        """Add the cost of a question of this turn."""
        self._numbers.extend((turn, *cost))

    def __len__(self) -> int:
        return len(self._numbers) // 3

    def __iter__(self) -> Iterator[tuple[int, Cost]]:
        for turn, *cost in self.table().tolist():
            yield int(turn), Cost(*cost)

    def table(self) -> Array:
        """Return turn, charged time and wall time of each question (float64[questions, 3])."""
        return np.array(self._numbers).reshape(-1, 3)
