"""Comparison of all bots of a contest with each other: the one test behind table, stopping rule and `koth compare`.

Means and sums: two bots differ if Student's t and Hall's skewness-corrected t (1992) agree that they do (`means.py`).
Medians, and wins where a block is one match: the exact sign test on the blocks that both played, and the scores must
agree with it. Two bots are separated only if all bots above the one are from all bots below the other, so verdicts
never contradict the order of the table. Over all pairs the error is bounded by Holm's procedure (1979).
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
"""The family-wise error: in a table, over all looks of `--until`, in a comparison."""
RARE = 0.05
"""The share of blocks below which an event may not have occurred when verdicts begin."""
HORIZON = 100
"""The factor of more blocks up to which the number that separates two bots is estimated."""
STEPS = 13
"""Bisections of an estimated number of blocks."""


def uses_signs(blocks: Blocks, aggregate: str) -> bool:
    """Return whether bots are compared by the sign test, not by means."""
    return aggregate == "median" or (aggregate == "wins" and bool((blocks.matches == 1).all()))


def least_blocks(defaults: ContestDefaults, bots: int) -> int:
    """Return the number of blocks of each bot from which on table, looks and `koth compare` give verdicts.

    It is the number that the game declares. Else, for sign tests, the number at which one is significant if all
    blocks agree; for means, the number that shows an event of `RARE` at least once, with an error of `ALPHA` over all
    pairs.
    """
    alpha = ALPHA / max(bots * (bots - 1) // 2, 1)
    if defaults.aggregate == "median" or (defaults.aggregate == "wins" and defaults.seats is None):
        return max(defaults.blocks, ceil(1 - log2(alpha)))
    return defaults.blocks or ceil(log(alpha) / log(1 - RARE))


@dataclass(frozen=True)
class Paired:
    """The comparison of every two bots of a contest. Arrays are [bots, bots]; the row is compared with the column.

    `test` has the differences of the scores (for sums: of a match). `shared` counts the blocks in which both played;
    bots that are connected by such blocks have the same number in `group` [bots]. `blocks` is the smaller number of
    the two bots' blocks. `own` is the two-sided p-value of the two bots alone. `significant`: the row is better, with
    an error of `alpha` over all pairs; `alone`: with this error for each bot alone. `level` is the p-value that a
    pair which is not significant would have to reach.
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
        """Return about how many more blocks of each would separate two bots that continue like this.

        None if even `HORIZON` times as many would not, or if neither is ahead.
        """
        blocks = float(self._missing[a, b])
        return int(blocks) if np.isfinite(blocks) else None

    def holder(self, a: int, b: int) -> int | None:
        """Return the bot that keeps the better bot `a` and `b` from being separated, though these two alone would be.

        It is not above `b`, or not below `a`, and its scores vary more. None if two bots are separated or too close.
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
        """Float64[bots, bots], the blocks that `missing` returns; infinite for None."""
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
    """Compare every two bots that have `least` blocks; `alpha` is the error over all pairs together.

    A block that only one of two bots played counts for that bot's mean alone. Bots that no chain of blocks connects
    are not compared.
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
    """Return the bots of the same group and with as many blocks that are not below, and not above each bot:
    bool[bot, other] each.
    """
    counts = (group[:, None] == group) & (played >= played[:, None])
    return counts & (difference <= 0), counts & (difference >= 0)


def widest(values: Array, difference: Array, outer: tuple[Array, Array]) -> Array:
    """Return for each two bots the largest value of a bot not below the better and a bot not above the worse one.

    `values` is symmetric. A bot with fewer blocks does not count (`outer`). So verdicts follow the order of scores.
    """
    above, below = outer
    wide = np.stack([values[others].max(axis=0) for others in below]).T.copy()  # a copy, as rows are gathered faster
    wide = np.stack([wide[others].max(axis=0) for others in above])
    return np.where(difference > 0, wide, np.where(difference < 0, wide.T, values))


def holm(p_value: Array, alpha: float) -> tuple[float, Array]:
    """Return the level that the first pair which is not rejected misses, and bool[bots, bots] of rejected pairs."""
    bots = len(p_value)
    ordered = np.sort(p_value[np.triu_indices(bots, 1)])
    levels = alpha / np.arange(len(ordered), 0, -1)
    count = int(np.append(ordered > levels, True).argmax())  # pairs before the first that misses its level
    level = float(levels[count]) if count < len(levels) else alpha
    rejected = p_value <= ordered[count - 1] if count else np.zeros((bots, bots), dtype=bool)
    return level, rejected & ~np.eye(bots, dtype=bool)


def groups(met: Array) -> Array:
    """Return int64[bots], groups numbered from 0; a chain of meetings connects all bots of a group."""
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
