"""What a run's bots took: charged, by the wall clock, and waiting for a core, over all questions on record.

None of it is a result: it depends on the machine.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from koth.match import BotReport

LOADED = 0.2
"""The share of their time that bots waited for a core from which it is worth telling."""


@dataclass(frozen=True)
class Cost:
    """What one bot took in one match: seconds to start and of all questions, and of one (median, worst)."""

    start: float
    memory: int
    questions: int
    charged: float
    wall: float
    queue: float
    median: float
    worst: float
    each: bytes = b""
    """Where it is wanted, float32 by question: turn, charged, wall, queue; packed by zlib."""

    @classmethod
    def of(cls, record: BotReport, singly: bool) -> Cost:
        """From what a bot has left of a match; with `singly` each question too."""
        each = record.times.table().astype("<f4")
        charged, wall, queue = (sum(column) for column in each[:, 1:].T.tolist())
        costs = each[:, 1].tolist() or [0.0]
        packed = zlib.compress(each.tobytes()) if singly else b""
        told = (len(each), charged, wall, queue, median(costs), max(costs), packed)
        return cls(record.start_seconds, record.memory, *told)


@dataclass(frozen=True)
class Timing:
    """One bot's questions: seconds charged (the median of its matches' medians, and the worst of one), and sums."""

    questions: int
    median: float
    worst: float
    charged: float
    wall: float
    queue: float


def load(told: Mapping[str, Timing]) -> float:
    """The share of all bots' time in which they waited for a core that others held."""
    wall = sum(timing.wall for timing in told.values())
    return sum(timing.queue for timing in told.values()) / wall if wall else 0.0
