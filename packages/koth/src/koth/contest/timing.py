"""Times of a run's bots: charged, and by the wall clock, over all questions on record.

Times depend on the machine, so they are not results.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from koth.match import BotReport


@dataclass(frozen=True)
class MatchCost:
    """One bot's cost in one match: memory in bytes, and seconds to start, for all questions, median and worst."""

    start: float
    memory: int
    questions: int
    charged: float
    wall: float
    median: float
    worst: float

    @classmethod
    def of(cls, record: BotReport) -> MatchCost:
        """Compute the cost from a bot's report."""
        each = record.times.table().astype("<f4")
        charged, wall = (sum(column) for column in each[:, 1:].T.tolist())
        costs = each[:, 1].tolist() or [0.0]
        return cls(record.start_seconds, record.memory, len(each), charged, wall, median(costs), max(costs))


@dataclass(frozen=True)
class Timing:
    """One bot's questions: seconds charged for one (the median of the matches' medians, and the worst), and sums."""

    questions: int
    median: float
    worst: float
    charged: float
    wall: float
