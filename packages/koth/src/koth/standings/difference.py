"""The difference between two bots on the blocks that both played."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from koth.game import Array, ContestDefaults
from koth.standings.intervals import median_order, t_quantile
from koth.standings.means import MeanDifferences, hall_inverse
from koth.standings.paired import ALPHA, HORIZON, Paired, compare, least_blocks
from koth.standings.scores import Blocks, Scores, aggregate_of_match


@dataclass(frozen=True)
class Difference:
    """The difference between two bots, second minus first: positive if the second bot is better.

    `value` is in points per match: the mean difference (for medians the median of the differences by block, for wins
    the difference of the shares won). `low` and `high` bound the true difference with 95 % at all looks together;
    None without an interval. The second bot scored more in `more` blocks, less in `fewer`, and the same in `same`.
    `sign` is 1 if the second bot is significantly better, -1 if the first is, else 0. `least` is the least number of
    blocks for a verdict.
    """

    blocks: int
    value: float
    low: float | None
    high: float | None
    more: int
    fewer: int
    same: int
    sign: int
    least: int
    paired: Paired

    @classmethod
    def of(cls, scores: Scores, defaults: ContestDefaults, alpha: float = ALPHA) -> Difference:
        """Compare the only two bots of `scores`, which played the same blocks."""
        how = aggregate_of_match(defaults.aggregate)
        blocks = Blocks.of(scores, how)
        least = least_blocks(defaults, 2)
        paired = compare(blocks, how, least, alpha)
        differences = blocks.value[blocks.rows(1)] - blocks.value[blocks.rows(0)]
        more, fewer = int((differences > 0).sum()), int((differences < 0).sum())
        sign = int(paired.significant[1, 0]) - int(paired.significant[0, 1])
        value = float(np.median(differences) if how == "median" else differences.mean())
        count = len(differences)
        bounds = _interval(blocks, differences, paired, defaults, alpha) if count >= least else (None, None)
        return cls(
            count, value, *_agree_with_test(*bounds, sign), more, fewer, count - more - fewer, sign, least, paired
        )

    def as_json(self) -> dict[str, Any]:
        """Return the difference as JSON."""
        bounds = {"value": self.value, "low": self.low, "high": self.high, "level": 1 - ALPHA}
        return {**bounds, "more": self.more, "fewer": self.fewer, "same": self.same}

    @property
    def is_alike(self) -> bool:
        """True if both bots scored the same in every block, with enough blocks for a verdict."""
        return self.same == self.blocks >= self.least

    def is_within(self, margin: float | None) -> bool:
        """Return whether the true difference is at most `margin` in either direction (95 %)."""
        if margin is None or self.low is None or self.high is None:
            return False
        return -margin <= self.low and self.high <= margin

    def blocks_until_verdict(self, margin: float | None) -> int | None:
        """Return the estimated number of blocks until a verdict, if results continue alike; None if unknown."""
        missing = self.paired.missing(1, 0)
        found = [None if missing is None else self.blocks + missing, self._blocks_until_within(margin)]
        blocks = min((blocks for blocks in found if blocks is not None), default=None)
        return None if blocks is None else max(blocks, self.least)

    def _blocks_until_within(self, margin: float | None) -> int | None:
        """Return the blocks until the interval, whose width falls with the root of blocks, is within the margin."""
        if margin is None or self.low is None or self.high is None or abs(self.value) >= margin:
            return None
        wider = max(self.high - self.value, self.value - self.low) / (margin - abs(self.value))
        return ceil(self.blocks * max(wider, 1) ** 2) if wider**2 <= HORIZON else None


def _agree_with_test(low: float | None, high: float | None, sign: int) -> tuple[float | None, float | None]:
    """Cut or extend an interval at 0, so that it agrees with the test's `sign`."""
    if low is None or high is None:
        return low, high
    if sign:
        return (max(low, 0.0), high) if sign > 0 else (low, min(high, 0.0))
    return min(low, 0.0), max(high, 0.0)


def _interval(
    blocks: Blocks, differences: Array, paired: Paired, defaults: ContestDefaults, alpha: float
) -> tuple[float | None, float | None]:
    """Return the interval of the true difference, with an error of `alpha`."""
    means = paired.test if isinstance(paired.test, MeanDifferences) else None
    if means is None and defaults.aggregate == "median":
        return _order_statistics(differences, alpha)
    if means is None and np.isin(blocks.value, (0, 1)).all():
        return newcombe(blocks.value[blocks.rows(0)], blocks.value[blocks.rows(1)], alpha)
    if np.ptp(differences) == 0:
        return _equal_blocks_interval(float(differences[0]), len(differences), defaults.score_range, alpha)
    return mean_interval(differences, 0.0 if means is None else float(means.skewness[1, 0]), alpha)


def mean_interval(differences: Array, skewness: float, alpha: float) -> tuple[float, float]:
    """Return the hull of Student's and Hall's intervals: the means that not both tests reject."""
    count = len(differences)
    mean, error = float(differences.mean()), float(differences.std(ddof=1)) / count**0.5
    t = t_quantile(alpha, count - 1)
    above, below = max(t, hall_inverse(t, skewness)), max(t, hall_inverse(t, -skewness))
    return mean - error * above, mean + error * below


def _order_statistics(differences: Array, alpha: float) -> tuple[float | None, float | None]:
    order = median_order(len(differences), alpha)
    if order is None:
        return None, None
    ordered = np.sort(differences)
    return float(ordered[order[0] - 1]), float(ordered[-order[0]])


def _equal_blocks_interval(
    value: float, count: int, scores: tuple[float, float] | None, alpha: float
) -> tuple[float | None, float | None]:
    """Return the interval of a mean of equal blocks, from the range of scores."""
    if scores is None:
        return None, None
    rare, span = 1 - alpha ** (1 / count), scores[1] - scores[0]
    return value - rare * (value + span), value + rare * (span - value)


def newcombe(first: Array, second: Array, alpha: float) -> tuple[float, float]:
    """Return Newcombe's interval (1998, method 10) of two paired shares of wins, second minus first."""
    count, a, b, c, d = (
        len(first),
        *(int(((first == x) & (second == y)).sum()) for x, y in ((1, 1), (0, 1), (1, 0), (0, 0))),
    )
    excess = a * d - b * c
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    phi = (max(excess - count / 2, 0) if excess > 0 else excess) / margins**0.5 if margins else 0.0
    (p, p_low, p_high), (q, q_low, q_high) = (_wilson(wins, count, alpha) for wins in (a + b, a + c))
    below = ((p - p_low) ** 2 - 2 * phi * (p - p_low) * (q_high - q) + (q_high - q) ** 2) ** 0.5
    above = ((q - q_low) ** 2 - 2 * phi * (q - q_low) * (p_high - p) + (p_high - p) ** 2) ** 0.5
    return p - q - below, p - q + above


def _wilson(wins: int, count: int, alpha: float) -> tuple[float, float, float]:
    """Return a share of wins, and the bounds of Wilson's interval."""
    from scipy import special

    z = float(special.ndtri(1 - alpha / 2))
    share, size = wins / count, count + z * z
    middle, half = (wins + z * z / 2) / size, z / size * (count * share * (1 - share) + z * z / 4) ** 0.5
    return share, middle - half, middle + half
