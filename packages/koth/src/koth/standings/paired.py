"""Comparison of all bots of a contest with each other, for standings, stopping rule and `koth compare`.

Means and sums: two bots differ if Student's t and Hall's skewness-corrected t (1992) are both significant
(`means.py`). Medians, and wins if a block is one match: the exact sign test on the blocks that both played, and the
better bot must also have the better score. Two bots are separated only if all bots at least as good as the better are
separated from all bots at most as good as the worse, so verdicts never contradict the order of the standings. Holm's
procedure (1979) bounds the error over all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, log, log2

import numpy as np

from koth.game import Array, ContestDefaults
from koth.standings.means import MeanDifferences
from koth.standings.scores import Blocks, estimates
from koth.standings.signs import SignDifferences, meetings

ALPHA = 0.05
"""The family-wise error: of standings, of all looks of `--until`, and of a comparison."""
RARE = 0.05
"""The probability per block of an event that should occur before the first verdict."""
HORIZON = 100
"""The largest factor by which an estimate extends the number of blocks."""
STEPS = 13
"""The number of bisection steps in an estimate of blocks."""


def uses_signs(blocks: Blocks, aggregate: str) -> bool:
    """Return whether the sign test compares the bots, not the test of means."""
    return aggregate == "median" or (aggregate == "wins" and bool((blocks.matches == 1).all()))


def least_blocks(defaults: ContestDefaults, bots: int) -> int:
    """Return the least number of blocks of each bot for a verdict.

    For sign tests: the number at which a test is significant if all blocks agree, or the game's larger number. For
    means: the game's number, or else the number that shows an event of probability `RARE` at least once, with an
    error of `ALPHA` over all pairs.
    """
    alpha = ALPHA / max(bots * (bots - 1) // 2, 1)
    if defaults.aggregate == "median" or (defaults.aggregate == "wins" and defaults.seats is None):
        return max(defaults.blocks, ceil(1 - log2(alpha)))
    return defaults.blocks or ceil(log(alpha) / log(1 - RARE))


@dataclass(frozen=True)
class Paired:
    """The comparison of every two bots of a contest. Arrays are [bots, bots]; the row is compared with the column.

    `test` has the differences of scores (for sums: of a match). `shared` counts the blocks that both bots played;
    bots that a chain of shared blocks connects have the same number in `group` [bots]. `blocks` is the smaller
    number of blocks. `own` is the pair's two-sided p-value. `significant`: the row is better, with an error of
    `alpha` over all pairs; `alone`: the row is better, with an error of `alpha` for each bot alone. `level` is the
    p-value that pairs without a verdict must reach.
    """

    test: MeanDifferences | SignDifferences
    shared: Array
    group: Array
    blocks: Array
    own: Array
    significant: Array
    alone: Array
    level: float

    def missing(self, a: int, b: int) -> int | None:
        """Return the estimated number of further blocks of each bot that would separate two bots.

        None if even `HORIZON` times as many blocks would not, or if no bot is ahead.
        """
        blocks = float(self._missing[a, b])
        return int(blocks) if np.isfinite(blocks) else None

    def holder(self, a: int, b: int) -> int | None:
        """Return the bot that prevents the separation of `a` (the better) and `b`, which differ when compared alone.

        The scores of this bot, which is not above `b` or not below `a`, vary more. None if `a` and `b` are separated
        or too close.
        """
        if self.own[a, b] > self.level or self.significant[a, b]:
            return None
        better, worse = (np.flatnonzero(mask[bot]) for mask, bot in zip(self._outer, (a, b), strict=True))
        at = np.unravel_index(self.own[np.ix_(better, worse)].argmax(), (len(better), len(worse)))
        above, below = int(better[at[0]]), int(worse[at[1]])
        return above if below == b else below

    @cached_property
    def _outer(self) -> tuple[Array, Array]:
        return outer(self.test.difference, np.diag(self.blocks), self.group)

    @cached_property
    def _missing(self) -> Array:
        """Return float64[bots, bots], the blocks that `missing` returns; infinite for None."""
        found = np.where(self.own <= self.level, 0.0, np.inf)
        is_near = self.test.is_ahead & (self.own > self.level) & (self.group[:, None] == self.group)
        pairs = np.nonzero(is_near & (self.blocks > 0))
        low, high = np.ones(len(pairs[0])), np.full(len(pairs[0]), float(HORIZON))
        for _ in range(STEPS):
            middle = np.sqrt(low * high)
            enough = self.test.p_values(pairs, middle) <= self.level
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        blocks = self.blocks[pairs]
        found[pairs] = np.where(high < HORIZON, np.maximum(np.ceil(0.999 * high * blocks) - blocks, 1), np.inf)
        return widest(np.minimum(found, found.T), self.test.difference, self._outer)


def compare(blocks: Blocks, aggregate: str, least: int, alpha: float = ALPHA) -> Paired:
    """Compare every two bots with at least `least` blocks; `alpha` is the error over all pairs together.

    A block that only one of two bots played counts in that bot's mean only. Bots that no chain of shared blocks
    connects are not compared.
    """
    shared, more = meetings(*blocks.pad(), blocks.bots)
    played, group = np.minimum.outer(blocks.played, blocks.played), groups(shared)
    test: MeanDifferences | SignDifferences
    if uses_signs(blocks, aggregate):
        score = estimates(blocks, aggregate)
        test = SignDifferences(score[:, None] - score, more)
    else:
        test = MeanDifferences.of(blocks, shared, group)
    ahead = test.is_ahead & (played >= max(least, 2)) & (group[:, None] == group)
    own = np.ones(ahead.shape)
    own[ahead] = test.p_values(np.nonzero(ahead))
    own = np.minimum(own, own.T)
    p_value = widest(own, test.difference, outer(test.difference, blocks.played, group))
    level, rejected = holm(p_value, alpha)
    significant = ahead & rejected
    rivals = np.maximum(np.bincount(group)[group] - 1, 1)
    alone = significant | (ahead & (p_value <= alpha / rivals))
    return Paired(test, shared, group, played, own, significant, alone, level)


def outer(difference: Array, played: Array, group: Array) -> tuple[Array, Array]:
    """Return two bool[bot, other]: True if `other` is not below `bot`, and True if `other` is not above `bot`.

    In both, `other` is in the same group and has at least as many blocks.
    """
    counts = (group[:, None] == group) & (played >= played[:, None])
    return counts & (difference <= 0), counts & (difference >= 0)


def widest(values: Array, difference: Array, outer: tuple[Array, Array]) -> Array:
    """Return each pair's largest value over all bots not below the better and all bots not above the worse.

    `values` is symmetric. Bots with fewer blocks do not count (see `outer`). So verdicts follow the order of scores.
    """
    above, below = outer
    wide = np.stack([values[others].max(axis=0) for others in below]).T.copy()  # a copy, as rows are gathered faster
    wide = np.stack([wide[others].max(axis=0) for others in above])
    return np.where(difference > 0, wide, np.where(difference < 0, wide.T, values))


def holm(p_value: Array, alpha: float) -> tuple[float, Array]:
    """Return the level of the first pair that is not rejected, and bool[bots, bots], True for rejected pairs."""
    bots = len(p_value)
    ordered = np.sort(p_value[np.triu_indices(bots, 1)])
    levels = alpha / np.arange(len(ordered), 0, -1)
    count = int(np.append(ordered > levels, True).argmax())  # pairs before the first that misses its level
    level = float(levels[count]) if count < len(levels) else alpha
    rejected = p_value <= ordered[count - 1] if count else np.zeros((bots, bots), dtype=bool)
    return level, rejected & ~np.eye(bots, dtype=bool)


def groups(met: Array) -> Array:
    """Return int64[bots], the number of each bot's group; chains of meetings connect all bots of a group."""
    group = np.full(len(met), -1, dtype=np.int64)
    for bot in range(len(met)):
        if group[bot] >= 0:
            continue
        reached = np.zeros(len(met), dtype=bool)
        fresh = reached.copy()
        fresh[bot] = True
        while fresh.any():
            reached |= fresh
            fresh = (met[fresh] > 0).any(axis=0) & ~reached
        group[reached] = group.max() + 1
    return group
