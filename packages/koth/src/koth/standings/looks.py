"""Intervals of scores that hold at all looks together, however many matches are added.

Means: a normal mixture (Robbins 1970), as for ratings, widened by Hall's correction for skewness. Medians: the same
mixture over the number of blocks below the median.
"""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.standings.means import hall_inverse
from koth.standings.paired import ALPHA
from koth.standings.scores import Blocks, estimates
from koth.standings.signs import meetings

FEW = 10
"""Degrees of freedom below which the variance is not computed from blocks with the same rivals."""
MIXTURE = 20
"""The number of blocks at which intervals of scores are narrowest, relative to intervals for one look."""


def widening(ratio: Array) -> Array:
    """Return the half-width in standard errors of an interval that holds at all looks with an error of `ALPHA`.

    `ratio` is the information so far, divided by the information at which these intervals are narrowest.
    """
    return np.asarray(np.sqrt((1 + 1 / ratio) * np.log((1 + ratio) / ALPHA**2)))


def scores_with_margins(blocks: Blocks, aggregate: str, least: int) -> tuple[Array, Array]:
    """Return two float64[bots]: scores (for sums, of the mean match), and margins: half the widths of intervals.

    In a mean all rivals count equally. A margin is NaN for a bot with fewer than `least` blocks or without variance.
    """
    score, margins = _medians(blocks) if aggregate == "median" else _means(blocks)
    return score, np.where((blocks.played >= max(least, 2)) & (margins > 0), margins, np.nan)


def _means(blocks: Blocks) -> tuple[Array, Array]:
    """Return means and margins, from the variance of a bot's blocks with the same rivals.

    If fewer than `FEW` degrees of freedom are left, use the variance of all the bot's blocks.
    """
    bot, played = blocks.bot, np.maximum(blocks.played, 1)
    seats = blocks.pad()[0]
    weight = _weights(blocks, seats)
    score = np.bincount(bot, weight * blocks.value, blocks.bots)
    _, line_up = np.unique(seats, axis=0, return_inverse=True)
    group, of_row = np.unique(line_up.reshape(-1)[blocks.block] * blocks.bots + bot, return_inverse=True)
    mean = np.bincount(of_row, blocks.value) / np.bincount(of_row)
    inner, whole = weight * (blocks.value - mean[of_row]), weight * (blocks.value - score[bot])
    is_repeated = _freedom(inner, of_row, group % blocks.bots, blocks.bots) >= FEW
    lost = np.where(is_repeated, np.bincount(group % blocks.bots, minlength=blocks.bots), 1)
    off = np.where(is_repeated[bot], inner, whole)
    squares, cubes = (np.bincount(bot, off**power, blocks.bots) for power in (2, 3))
    squares[squares <= 1e-18 * np.bincount(bot, blocks.value**2, blocks.bots)] = 0
    skewness = cubes / np.where(squares > 0, squares, 1) ** 1.5
    error = np.sqrt(squares * played / np.maximum(played - lost, 1))
    return score, error * skewed_widening(widening(played / MIXTURE), skewness)


def _freedom(off: Array, of_row: Array, bot: Array, bots: int) -> Array:
    """Return Satterthwaite's degrees of freedom of each bot's variance, summed over groups of blocks.

    `off` [rows] are differences from the mean of the group `of_row`; `bot` [groups].
    """
    size = np.bincount(of_row)
    part = np.bincount(of_row, off**2) * size / np.maximum(size - 1, 1)
    below = np.bincount(bot, part**2 / np.maximum(size - 1, 1), bots)
    return np.asarray(np.bincount(bot, part, bots) ** 2 / np.where(below > 0, below, 1))


def _weights(blocks: Blocks, seats: Array) -> Array:
    """Return float64[rows], each block's weight in the bot's mean, such that all rivals count equally."""
    met = meetings(*blocks.pad(), blocks.bots)[0]
    share = np.pad(np.where(met > 0, 1 / np.maximum(met, 1), 0.0), ((0, 1), (0, 1)))  # the last ones for empty seats
    weight = sum((share[seats, seats[:, seat : seat + 1]] for seat in range(seats.shape[1])), np.zeros(seats.shape))
    rows = weight[seats >= 0]
    rows = np.where(rows > 0, rows, 1.0)  # alone in a match
    return np.asarray(rows / np.bincount(blocks.bot, rows, blocks.bots)[blocks.bot])


def skewed_widening(wide: Array, skewness: Array) -> Array:
    """Return the half-width in standard errors, on the wider side, for estimates with this skewness."""
    pairs = zip(wide.tolist(), (-np.abs(skewness)).tolist(), strict=True)
    return np.array([hall_inverse(value, skew) for value, skew in pairs])


def _medians(blocks: Blocks) -> tuple[Array, Array]:
    """Return medians, and each median's distance to the farther of its two bounds (order statistics)."""
    score, margins = estimates(blocks, "median"), np.full(blocks.bots, np.nan)
    off = np.sqrt(blocks.played) / 2 * widening(np.maximum(blocks.played, 1) / MIXTURE)
    rank = np.floor(blocks.played / 2 - off).astype(np.int64)  # blocks beyond either bound
    for bot in np.flatnonzero(rank >= 0).tolist():
        ordered = np.sort(blocks.value[blocks.rows(bot)])
        margins[bot] = max(score[bot] - ordered[rank[bot]], ordered[-1 - rank[bot]] - score[bot])
    return score, margins
