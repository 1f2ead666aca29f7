"""Differences of mean scores, and p-values.

In each match a bot meets few others, and over the contest all others about equally often. So the part of a block's
scores that is due to strong or weak opponents cancels out over the contest: this part is subtracted from the variance
of a mean, and the remaining imbalance of opponents is added as a squared bias. The means do not change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from koth.game import Array
from koth.standings.scores import Blocks, estimates

FEW = 8
"""The least number of a bot's blocks for estimating the effect of opponents."""
SLOPE = 0.5
"""The slope at which a line replaces Hall's cubic, which becomes flat."""
PORTION = 4096
"""The number of blocks in one dense array."""


@dataclass(frozen=True)
class MeanDifferences:
    """The differences of mean matches, row minus column, and values for tests.

    Differences, t statistics (`statistic`), the estimates' skewness, and degrees of freedom (`df`) are float64[bots,
    bots] each; `blocks` is the smaller of both bots' numbers of blocks. A t statistic is infinite if all differences
    by block are equal.
    """

    difference: Array
    statistic: Array
    skewness: Array
    df: Array
    blocks: Array

    @classmethod
    def of(cls, blocks: Blocks, shared: Array, group: Array) -> MeanDifferences:
        """Compare all means; `shared` [bots, bots] counts common blocks, `group` [bots] numbers connected bots."""
        mean = estimates(blocks, "mean")
        part, bias, lost = _residuals(blocks, mean, group)
        played = blocks.played
        part *= np.sqrt(played / np.maximum(played - 1 - lost, 1))[blocks.bot]
        second, third = _moments(blocks, part)
        own, cubes = np.diag(second), np.diag(third)
        variance = own[:, None] + own - 2 * second
        variance[variance <= 1e-12 * (own[:, None] + own)] = 0
        difference = mean[:, None] - mean
        difference[np.abs(difference) <= 1e-12 * np.abs(mean).max(initial=0)] = 0
        with np.errstate(divide="ignore", invalid="ignore"):
            skewness = (cubes[:, None] - 3 * third + 3 * third.T - cubes) / variance**1.5
            statistic = difference / np.sqrt(variance + (bias[:, None] - bias) ** 2)
        skewness[variance == 0] = 0
        statistic[difference == 0] = 0
        df = degrees_of_freedom(second, shared, played, lost)
        return cls(difference, statistic, skewness, df, np.minimum.outer(played, played))

    @property
    def is_ahead(self) -> Array:
        """Return bool[bots, bots], True if the row has the better mean."""
        return np.asarray(self.difference > 0)

    def p_values(self, pairs: tuple[Array, ...], factor: Array | float = 1.0) -> Array:
        """Return two-sided p-values of pairs (rows, columns), extrapolated to `factor` times as many blocks."""
        root = np.sqrt(factor)
        statistic, skewness = self.statistic[pairs] * root, self.skewness[pairs] / root
        return mean_test(statistic, skewness, factor * (self.df[pairs] + 1) - 1, factor * self.blocks[pairs])


def _residuals(blocks: Blocks, mean: Array, group: Array) -> tuple[Array, Array, Array]:
    """Return each row's contribution to the error of the bot's mean [rows], biases [bots], and lost degrees [bots].

    The bias comes from uneven opponents; estimating the effect of opponents costs 0 or 1 degrees of freedom.
    """
    bot, played = blocks.bot, np.maximum(blocks.played, 1)
    part = (blocks.total - mean[bot] * blocks.matches) / blocks.matches_each[bot]
    if len(bot) == blocks.count * blocks.bots:  # all bots in every block: all have the same opponents
        return part, np.zeros(blocks.bots), np.zeros(blocks.bots)
    strength, noise = _opponents(blocks, mean, part)
    average = np.bincount(bot, strength, blocks.bots) / played
    off = strength - average[bot]
    spread = np.bincount(bot, off**2, blocks.bots) + np.bincount(bot, noise, blocks.bots)
    lost = (blocks.played >= FEW) & (spread > 0)
    slope = np.where(lost, np.bincount(bot, off * (blocks.value - mean[bot]), blocks.bots), 0)
    slope /= np.where(lost, spread, 1)
    members = np.bincount(group)[group]
    expected = (np.bincount(group, mean)[group] - mean) / np.maximum(members - 1, 1)
    return part - (slope / played)[bot] * off, slope * (average - expected), lost.astype(np.float64)


def _opponents(blocks: Blocks, mean: Array, part: Array) -> tuple[Array, Array]:
    """Return the mean strength of each row's opponents in other blocks, and the mean's variance: [rows] each."""
    block, bot, played = blocks.block, blocks.bot, blocks.played
    left = blocks.matches_each[bot] - blocks.matches
    elsewhere = np.where(left > 0, (mean * blocks.matches_each)[bot] - blocks.total, 0) / np.maximum(left, 1)
    elsewhere = np.where(left > 0, elsewhere, mean[bot])
    error = np.bincount(bot, part**2, blocks.bots) * played / np.maximum(played - 1, 1)
    others = np.bincount(block, minlength=blocks.count)[block] - 1
    strength = np.bincount(block, elsewhere, blocks.count)[block] - elsewhere
    noise = np.bincount(block, error[bot], blocks.count)[block] - error[bot]
    alone = others == 0
    strength = np.where(alone, mean[bot], strength / np.maximum(others, 1))
    return strength, np.where(alone, 0, noise / np.maximum(others, 1) ** 2)


def _moments(blocks: Blocks, part: Array) -> tuple[Array, Array]:
    """Return the sums over blocks of part_a part_b and of part_a^2 part_b: [bots, bots] each."""
    second, third = np.zeros((blocks.bots, blocks.bots)), np.zeros((blocks.bots, blocks.bots))
    for first in range(0, blocks.count, PORTION):
        table = blocks.dense(part, first, first + PORTION)
        second += table.T @ table
        third += (table**2).T @ table
    return second, third


def degrees_of_freedom(second: Array, shared: Array, played: Array, lost: Array) -> Array:
    """Return Welch and Satterthwaite's degrees of freedom of each difference, [bots, bots].

    Degrees lie between both bots' own, minus degrees `lost` by estimating the effect of opponents.
    """
    own = np.diag(second) / np.maximum(played, 1)  # the variance that a block adds where the other bot did not play
    both = np.maximum(own[:, None] + own - 2 * second / np.maximum(shared, 1), 0)
    fewer, more = np.minimum.outer(played, played), np.maximum.outer(played, played)
    alone = played[:, None] - shared
    squared = alone * (own**2 * played / np.maximum(played - 1, 1))[:, None]
    total = alone * own[:, None]
    total = total + total.T + shared * both
    squared = squared + squared.T + shared * both**2 * fewer / np.maximum(fewer - 1, 1)
    df = np.where(squared > 0, total**2 / np.where(squared > 0, squared, 1), fewer - 1)
    return np.asarray(np.maximum(np.clip(df, fewer - 1, more - 1) - np.maximum.outer(lost, lost), 1))


def mean_test(statistic: Array, skewness: Array, df: Array, blocks: Array) -> Array:
    """Return the two-sided p-value of a mean difference: the larger of Student's and Hall's p-values.

    If all differences are equal (`statistic` is infinite), return the probability that random signs agree over
    `blocks` blocks.
    """
    from scipy import special

    t = np.abs(statistic)
    finite = np.where(np.isfinite(t), t, 0.0)
    corrected = np.minimum(finite, hall(finite, np.sign(statistic) * skewness))
    p_value = 2 * special.stdtr(df, -np.maximum(corrected, 0))
    return np.where(np.isfinite(t), p_value, 2.0 ** (1 - np.asarray(blocks, np.float64)))


def hall(statistic: Array, skewness: Array) -> Array:
    """Return Hall's transformation (1992) of a t statistic of 0 or more, given the skewness of the estimate.

    A line of slope `SLOPE` replaces the cubic where the cubic would be flatter.
    """
    turn = _turn(skewness)
    cubic = np.minimum(statistic, turn)
    cubic = cubic + skewness * (cubic**2 / 3 + 1 / 6) + skewness**2 * cubic**3 / 27
    return np.asarray(cubic + SLOPE * np.maximum(statistic - turn, 0))


def hall_inverse(value: float, skewness: float) -> float:
    """Return the t statistic (0 or more) whose Hall transformation is `value`."""
    if abs(skewness) < 1e-9:
        return value
    turn = float(_turn(np.array(skewness)))
    if np.isfinite(turn) and value > (end := float(hall(np.array(turn), np.array(skewness)))):
        return turn + (value - end) / SLOPE
    return 3 / skewness * float(np.cbrt(1 + skewness * (value - skewness / 6)) - 1)


def _turn(skewness: Array) -> Array:
    """Return the t statistic at which the slope (1 + skewness t / 3)^2 of Hall's cubic falls to `SLOPE`."""
    turn = 3 * (1 - SLOPE**0.5) / np.maximum(-skewness, 1e-12)
    return np.asarray(np.where(skewness < 0, turn, np.inf))
