"""Paired comparison of bots on shared blocks: the one test behind table, stopping rule and `koth compare`.

Means and sums: two bots differ if Student's t and Hall's skewness-corrected t (1992) agree that they do. Medians, and
wins where a block is one match: the exact sign test on the blocks that both played, and the scores must agree with
it. Over all pairs of a table the error is bounded by Holm's procedure (1979).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log, log2

import numpy as np

from koth.game import Array, ContestDefaults
from koth.kernel import kernel
from koth.standings.scores import Blocks, estimates

ALPHA = 0.05
"""The family-wise error: in a table, over all looks of `--until`, in a comparison."""
RARE = 0.05
"""The share of blocks below which an event may not have occurred when verdicts begin."""
PORTION = 4096
"""Blocks whose scores are in a dense table at once."""
HORIZON = 100
"""The factor of more blocks up to which the number that separates two bots is estimated."""


def uses_signs(blocks: Blocks, aggregate: str) -> bool:
    """Return whether bots are compared by the sign test, not by means."""
    return aggregate == "median" or (aggregate == "wins" and bool((blocks.games == 1).all()))


def least_blocks(defaults: ContestDefaults, bots: int) -> int:
    """Return the number of blocks of each bot from which on table, looks and `koth compare` give verdicts.

    It is the number that the game declares. Else, for sign tests, the number at which one is significant if all
    blocks agree; for means, the number that shows an event of `RARE` at least once, with an error of `ALPHA` over all
    pairs.
    """
    alpha = ALPHA / max(bots * (bots - 1) // 2, 1)
    if defaults.aggregate == "median" or (defaults.aggregate == "wins" and defaults.table is None):
        return max(defaults.blocks, ceil(1 - log2(alpha)))
    return defaults.blocks or ceil(log(alpha) / log(1 - RARE))


@dataclass(frozen=True)
class Paired:
    """The comparison of every two bots of a contest. Arrays are [bots, bots]; the row is compared with the column.

    `difference` is the difference of the scores (for sums: of a match). `shared` counts the blocks in which both
    played, `group` [bots] numbers the groups that these connect. `blocks` counts those of the bot that played fewer.
    `statistic` is Student's t, or for sign tests the number of blocks in which the row scored more; `decided` the
    blocks with unequal scores. `skewness` is that of the estimated difference. `p_value` is two-sided; `significant`
    says that the row is better. `level` is the p-value that pairs which are not significant would have to reach.
    """

    difference: Array
    shared: Array
    group: Array
    blocks: Array
    statistic: Array
    skewness: Array
    decided: Array
    p_value: Array
    significant: Array
    level: float
    signs: bool

    def needed(self, a: int, b: int) -> int | None:
        """Return about how many blocks of each would separate two bots that continue like this.

        None if even `HORIZON` times as many would not, or if neither is ahead.
        """
        played = int(self.blocks[a, b])
        if played == 0:
            return None

        def enough(factor: float) -> bool:
            return self._p_value_after(a, b, factor) <= self.level

        low, high = 1.0, 2.0
        while not enough(high):
            low, high = high, 2 * high
            if high > HORIZON:
                return None
        while (high - low) * played > 0.5:
            middle = (low + high) / 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return ceil(high * played - 1e-9)

    def _p_value_after(self, a: int, b: int, factor: float) -> float:
        """Return the p-value of two bots after `factor` times as many blocks of the same kind."""
        if self.signs:
            decided, wins = float(self.decided[a, b]), float(self.statistic[a, b])
            more = max(wins, decided - wins)
            return float(sign_test(np.array(floor(factor * more)), np.array(floor(factor * decided))))
        root = factor**0.5
        blocks = factor * self.blocks[a, b]
        return float(mean_test(self.statistic[a, b] * root, self.skewness[a, b] / root, blocks))


def compare(blocks: Blocks, aggregate: str, least: int, alpha: float = ALPHA) -> Paired:
    """Compare every two bots that have `least` blocks; `alpha` is the error over all pairs together.

    A block that only one of two bots played counts for that bot's mean alone. Bots that no chain of blocks connects
    are not compared.
    """
    bot, value = blocks.padded()
    shared, more = meetings(bot, value, blocks.bots)
    played, group = np.minimum.outer(blocks.played, blocks.played), groups(shared)
    signs, decided = uses_signs(blocks, aggregate), more + more.T
    if signs:
        score = estimates(blocks, aggregate)
        difference, statistic, skewness = score[:, None] - score, more.astype(np.float64), np.zeros(more.shape)
        p_value = sign_test(np.maximum(more, more.T), decided)
        better = (difference > 0) & (more > more.T)
    else:
        difference, statistic, skewness = _differences(blocks, played)
        p_value = mean_test(statistic, skewness, played)
        better = difference > 0
    p_value = np.where((better | better.T) & (played >= max(least, 2)) & (group[:, None] == group), p_value, 1.0)
    level, rejected = holm(p_value, alpha)
    return Paired(
        difference, shared, group, played, statistic, skewness, decided, p_value, better & rejected, level, signs
    )


def sign_test(wins: Array, decided: Array) -> Array:
    """Return the two-sided p-value of the larger of two counts of wins among `decided` blocks."""
    from scipy import special

    return np.asarray(np.minimum(1.0, 2 * special.bdtrc(wins - 1.0, decided, 0.5)))


def mean_test(t_statistic: Array, skewness: Array, blocks: Array) -> Array:
    """Return the two-sided p-value of a mean difference: the larger one of Student's and of Hall's test.

    If all differences are equal (`t_statistic` is infinite), it is the chance that equally likely signs agree.
    """
    from scipy import special

    blocks = np.maximum(np.asarray(blocks, np.float64), 2)
    t = np.abs(t_statistic)
    finite = np.where(np.isfinite(t), t, 0.0)
    corrected = hall(finite, np.sign(t_statistic) * skewness)
    p_value = 2 * special.stdtr(blocks - 1, -np.clip(np.minimum(finite, corrected), 0, None))
    return np.where(np.isfinite(t), p_value, 2.0 ** (1 - blocks))


def hall(t_statistic: Array, skewness: Array) -> Array:
    """Return Hall's monotone transformation of a t statistic, given the skewness of the estimate."""
    cubic: Array = t_statistic + skewness * (t_statistic**2 / 3 + 1 / 6) + skewness**2 * t_statistic**3 / 27
    return cubic


def holm(p_value: Array, alpha: float) -> tuple[float, Array]:
    """Return the level that the first pair which is not rejected misses, and bool[bots, bots] of rejected pairs."""
    bots = len(p_value)
    ordered = np.sort(p_value[np.triu_indices(bots, 1)])
    levels = alpha / np.arange(len(ordered), 0, -1)
    count = int(np.append(ordered > levels, True).argmax())  # pairs before the first that misses its level
    level = float(levels[count]) if count < len(levels) else alpha
    rejected = p_value <= ordered[count - 1] if count else np.zeros((bots, bots), dtype=bool)
    return level, rejected & ~np.eye(bots, dtype=bool)


def _differences(blocks: Blocks, played: Array) -> tuple[Array, Array, Array]:
    """Return the differences of mean matches, Student's t and the skewness of the differences: [bots, bots].

    `played` counts the blocks of the bot of a pair that has fewer.
    """
    mean = estimates(blocks, "mean")
    part = (blocks.total - mean[blocks.bot] * blocks.games) / blocks.matches[blocks.bot]
    second, third = np.zeros((blocks.bots, blocks.bots)), np.zeros((blocks.bots, blocks.bots))
    for first in range(0, blocks.count, PORTION):
        table = blocks.dense(part, first, first + PORTION)
        second += table.T @ table
        third += (table**2).T @ table
    own = np.diag(second)
    variance = own[:, None] + own - 2 * second
    variance[variance <= 1e-12 * (own[:, None] + own)] = 0
    cubes = np.diag(third)[:, None] - 3 * third + 3 * third.T - np.diag(third)
    difference = mean[:, None] - mean
    difference[np.abs(difference) <= 1e-12 * np.abs(mean).max(initial=0)] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = difference / np.sqrt(variance * (played / np.maximum(played - 1, 1)))
        skewness = np.where(variance > 0, cubes / variance**1.5, 0.0)
    statistic[difference == 0] = 0
    return difference, statistic, skewness


@kernel(allocates=True)
def meetings(bot: Array, value: Array, bots: int) -> tuple[Array, Array]:
    """Count how often two bots meet in rows of `bot[row, seat]` (-1: empty), and how often the first has more."""
    met = np.zeros((bots, bots), np.int64)
    more = np.zeros((bots, bots), np.int64)
    for row in range(bot.shape[0]):
        for i in range(bot.shape[1]):
            a = bot[row, i]
            if a < 0:
                continue
            for j in range(bot.shape[1]):
                b = bot[row, j]
                if b >= 0 and i != j:
                    met[a, b] += 1
                    more[a, b] += value[row, i] > value[row, j]
    return met, more


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
