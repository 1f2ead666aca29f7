"""The cost of a question for one bot, and the costs of all questions of a match."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from koth.game import Array


class Cost(NamedTuple):
    """The cost of a question in seconds.

    Wall time, CPU time on all cores, and time waiting for other processes or for koth.
    """

    wall: float = 0.0
    cpu: float = 0.0
    run_delay: float = 0.0

    @property
    def charged(self) -> float:
        """The time that counts against the budget."""
        return max(self.cpu, self.wall - self.run_delay)


NO_COST = Cost()


class CostLog:
    """The cost of each question of a match, in order, with the question's turn."""

    def __init__(self) -> None:
        self._numbers = array("d")

    def add(self, turn: int, cost: Cost) -> None:
        """Add the cost of a question of this turn."""
        self._numbers.extend((turn, *cost))

    def __len__(self) -> int:
        return len(self._numbers) // 4

    def __iter__(self) -> Iterator[tuple[int, Cost]]:
        for turn, *cost in self._rows().tolist():
            yield int(turn), Cost(*cost)

    def _rows(self) -> Array:
        return np.array(self._numbers).reshape(-1, 4)

    def table(self) -> Array:
        """Return turn, charged, wall and run delay of each question (float64[questions, 4])."""
        turn, wall, cpu, run_delay = self._rows().T
        return np.column_stack([turn, np.maximum(cpu, wall - run_delay), wall, run_delay])
