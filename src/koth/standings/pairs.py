"""Who can be told apart: two bots compared on the blocks that they share, for every pair at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from koth.game import Array
from koth.kernel import maker
from koth.standings.quantiles import sign_majority, t_quantile
from koth.standings.scores import Blocks, estimates

PORTION = 4096
"""Blocks whose scores stand in a table of blocks and bots at a time."""
SHARPER = 100
"""If so many times as many blocks would still not tell two bots apart, nobody can say how many would."""


@dataclass(frozen=True)
class Pairs:
    """Every two bots of a contest. All arrays are [bots, bots].

    `met` counts the blocks that two share. `strength` says how far apart they are, positive where the row is better:
    in standard errors of the difference; `count` blocks stand behind it. `apart[a, b]` says that a is above b, which
    is wrong somewhere in the whole table with a chance of at most the `error` of the pair, times the pairs.
    """

    met: Array
    strength: Array
    count: Array
    apart: Array
    error: float
    signs: bool

    def needed(self, a: int, b: int) -> int | None:
        """About how many blocks would tell these two apart, if they go on like this; None: nobody can say."""
        count, strength = int(self.count[a, b]), abs(float(self.strength[a, b]))
        if count < 2 or strength == 0:
            return None
        if not np.isfinite(strength):
            strength = float(np.sqrt(count))

        def enough(blocks: int) -> bool:
            return bool(strength * np.sqrt(blocks / count) >= self.threshold(blocks))

        low, high = count, 2 * count
        while not enough(high):
            low, high = high, 2 * high
            if high > SHARPER * count:
                return None
        return _least(enough, low, high)

    def threshold(self, blocks: int) -> float:
        """The strength from which on two bots are apart after so many blocks."""
        return float(_sign_limit(blocks, self.error) if self.signs else _t_limit(blocks, self.error))


def _least(enough: Callable[[int], bool], low: int, high: int) -> int:
    """The least number that is enough; `low` is not, `high` is."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def compare(blocks: Blocks, aggregate: str, error: float, least: int) -> Pairs:
    """Compare every two bots that have `least` blocks, with a chance of `error` for each pair to be wrong.

    Means and sums: Student's t on the differences by block (a block without one of the two counts for the other
    alone). Medians and wins: the exact sign test on the blocks they share.
    """
    bot, value = blocks.padded()
    met, more = meetings(bot, value, blocks.bots)
    score = estimates(blocks, aggregate)
    signs = aggregate in ("median", "wins")
    if signs:
        decided = more + more.T
        strength = (more - more.T) / np.sqrt(np.maximum(decided, 1))
        count = decided
    else:
        strength, count = _differences(blocks)
    pairs = Pairs(met, strength, count, np.zeros_like(met, dtype=bool), error, signs)
    limit = np.full(count.max(initial=0) + 1, np.inf)
    for number in np.unique(count):
        limit[number] = pairs.threshold(int(number))
    enough = np.minimum.outer(blocks.played, blocks.played) >= max(least, 2)
    above = (strength >= limit[count]) & enough & (score[:, None] > score) & _flat_is_rare(strength, count, error)
    pairs.apart[:] = above & ~np.eye(blocks.bots, dtype=bool)
    return pairs


def _t_limit(blocks: int, error: float) -> float:
    return t_quantile(error, blocks - 1) if blocks > 1 else np.inf


def _sign_limit(blocks: int, error: float) -> float:
    """The strength of the least majority that equals reach so rarely."""
    wins = sign_majority(blocks, error)
    return (2 * wins - blocks) / float(np.sqrt(blocks)) if 0 < wins <= blocks else np.inf


def _flat_is_rare(strength: Array, count: Array, error: float) -> Array:
    """Where all differences are the same one (strength is infinite), as many equal signs must be rare by chance."""
    return np.isfinite(strength) | (2.0 ** (1 - count) <= error)


def _differences(blocks: Blocks) -> tuple[Array, Array]:
    """How far apart two means are, in standard errors, and how many blocks the one with fewer has: [bots, bots]."""
    mean = estimates(blocks, "mean")
    games = np.bincount(blocks.bot, blocks.games, blocks.bots)
    part = (blocks.total - mean[blocks.bot] * blocks.games) / games[blocks.bot]
    products = np.zeros((blocks.bots, blocks.bots))
    for first in range(0, blocks.count, PORTION):
        table = blocks.dense(part, first, first + PORTION)
        products += table.T @ table
    own = np.diag(products)
    spread = own[:, None] + own - 2 * products
    spread[spread <= 1e-12 * (own[:, None] + own)] = 0
    count = np.minimum.outer(blocks.played, blocks.played)
    difference = mean[:, None] - mean
    difference[np.abs(difference) <= 1e-12 * np.abs(mean).max(initial=0)] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        strength = difference / np.sqrt(spread * (count / np.maximum(count - 1, 1)))
    strength[difference == 0] = 0
    return strength, count


@maker
def meetings(bot: Array, value: Array, bots: int) -> tuple[Array, Array]:
    """How often each two bots meet in the rows of `bot[row, seat]` (-1: nobody), and how often the first has more."""
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
    """int64[bots]: the group of each, numbered from 0; a chain of meetings leads from each to all of its group."""
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
