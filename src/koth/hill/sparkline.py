"""A curve as a line of letters."""

from __future__ import annotations

from collections.abc import Sequence

LEVELS = "▁▂▃▄▅▆▇█"
WIDTH = 24
"""Most letters of a line."""


def sparkline(values: Sequence[float], low: float, high: float) -> str:
    """Return values as letters from the lowest, at `low`, to the highest, at `high`; the last one is always there."""
    step = -(-len(values) // WIDTH) or 1
    shown = list(values[::-1][::step])[::-1]
    scale = (len(LEVELS) - 1) / (high - low) if high > low else 0.0
    return "".join(LEVELS[round((value - low) * scale)] for value in shown)
