"""What a run's bots took: charged, by the wall clock, and waiting for a core, over all questions on record.

None of it is a result: it depends on the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LOADED = 0.2
"""The share of their time that bots waited for a core from which it is worth telling."""


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
