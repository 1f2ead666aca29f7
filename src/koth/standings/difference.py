"""By how much one bot is better than another, on the blocks that both played."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from koth.game import Array
from koth.standings.intervals import ERROR
from koth.standings.pairs import SHARPER, Pairs, compare
from koth.standings.quantiles import binomial_interval, median_order, t_quantile
from koth.standings.scores import Blocks, Scores


@dataclass(frozen=True)
class Difference:
    """The first bot's blocks against the second's.

    `value` is in points of a game: the mean difference (for medians the median of the blocks' differences, for wins
    the difference of the shares won). From `low` to `high` it may truly be, None where nothing can be said: with 95 %
    at all looks together. In `more` blocks the first scored more, in `fewer` less, in `same` the same. `sign` is 1
    where the first is surely better, -1 where the second is, else 0.
    """

    blocks: int
    value: float
    low: float | None
    high: float | None
    more: int
    fewer: int
    same: int
    sign: int
    pairs: Pairs

    @classmethod
    def of(cls, scores: Scores, aggregate: str, times: int) -> Difference:
        """Of two bots, the first and the second of the names, that played the same blocks; looked at `times` in all.

        The rule is that of `until`: Student's t on the differences by block, for medians and wins the sign test.
        """
        how = "mean" if aggregate == "sum" else aggregate  # in points of a game
        blocks = Blocks.of(scores, how)
        pairs = compare(blocks, how, ERROR / times, 2)
        differences = blocks.value[blocks.rows(0)] - blocks.value[blocks.rows(1)]
        more, fewer = int((differences > 0).sum()), int((differences < 0).sum())
        sign = int(pairs.apart[0, 1]) - int(pairs.apart[1, 0])
        value = float(np.median(differences) if how == "median" else differences.mean())
        low, high = _interval(differences, how, ERROR / times)
        if sign > 0 and low is not None:  # where many are the same, the sign test sees more than the interval
            low = max(low, 0.0)
        if sign < 0 and high is not None:
            high = min(high, 0.0)
        count = len(differences)
        return cls(count, value, low, high, more, fewer, count - more - fewer, sign, pairs)

    def as_json(self) -> dict[str, Any]:
        """The difference as JSON."""
        told = {"value": self.value, "low": self.low, "high": self.high, "level": 1 - ERROR}
        return {**told, "more": self.more, "fewer": self.fewer, "same": self.same}

    def is_within(self, margin: float | None) -> bool:
        """Whether it is surely no larger than this, in either direction."""
        if margin is None or self.low is None or self.high is None:
            return False
        return -margin <= self.low and self.high <= margin

    def needed(self, margin: float | None) -> int | None:
        """About how many blocks would tell, if they go on like this; None: nobody can say."""
        found = [self.pairs.needed(0, 1), self._needed_within(margin)]
        return min((blocks for blocks in found if blocks is not None), default=None)

    def _needed_within(self, margin: float | None) -> int | None:
        """After how many blocks an interval would lie within the margin; it narrows with their root."""
        if margin is None or self.low is None or self.high is None or abs(self.value) >= margin:
            return None
        wider = max(self.high - self.value, self.value - self.low) / (margin - abs(self.value))
        return ceil(self.blocks * max(wider, 1) ** 2) if wider**2 <= SHARPER else None


def _interval(differences: Array, how: str, error: float) -> tuple[float | None, float | None]:
    """Where the difference may truly be, with a chance of `error` to be wrong."""
    count = len(differences)
    decided = int(np.count_nonzero(differences))
    if how == "wins" and decided and np.isin(differences, (-1, 0, 1)).all():
        low, high = binomial_interval(int((differences > 0).sum()), decided, error)
        return (2 * low - 1) * decided / count, (2 * high - 1) * decided / count
    if count < 2 or 2.0 ** (1 - count) > error:
        return None, None
    if how == "median":
        order = median_order(count, error)
        if order is None:
            return None, None
        differences = np.sort(differences)
        return float(differences[order[0] - 1]), float(differences[-order[0]])
    mean, spread = float(differences.mean()), float(differences.std(ddof=1)) / count**0.5
    wide = t_quantile(error, count - 1) * spread
    return mean - wide, mean + wide
