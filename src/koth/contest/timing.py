"""Times of a run's bots: charged, by the wall clock, and waiting for a core, over all questions on record.

Times depend on the machine, so they are not results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from koth.match import BotReport

HIGH_LOAD = 0.2
"""The share of bots' time spent waiting for a core above which koth reports the load."""


@dataclass(frozen=True)
class MatchCost:
    """One bot's cost in one match: memory in bytes, and seconds to start, for all questions, median and worst."""

    start: float
    memory: int
    questions: int
    charged: float
    wall: float
    queue: float
    median: float
    worst: float

    @classmethod
    def of(cls, record: BotReport) -> MatchCost:
        """Compute the cost from a bot's report."""
        each = record.times.table().astype("<f4")
        charged, wall, queue = (sum(column) for column in each[:, 1:].T.tolist())
        costs = each[:, 1].tolist() or [0.0]
        return cls(record.start_seconds, record.memory, len(each), charged, wall, queue, median(costs), max(costs))


@dataclass(frozen=True)
class Timing:
    """One bot's questions: seconds charged for one (the median of the matches' medians, and the worst), and sums."""

    questions: int
    median: float
    worst: float
    charged: float
    wall: float
    queue: float


def machine_load(timings: Mapping[str, Timing]) -> float:
    """Return the share of all bots' time spent waiting for a core."""
    wall = sum(timing.wall for timing in timings.values())
    return sum(timing.queue for timing in timings.values()) / wall if wall else 0.0
