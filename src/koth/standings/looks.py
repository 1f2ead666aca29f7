"""Intervals of scores that hold at all looks together, however many matches are added.

Means: a normal mixture (Robbins 1970), as for ratings, without what the strength of the opponents explains
(`means.py`), and as wide as Hall's correction for skewness demands on either side. Medians: the same mixture over the
number of blocks below the median.
"""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.standings.means import errors, hall_inverse
from koth.standings.paired import ALPHA, groups, uses_signs
from koth.standings.scores import Blocks, estimates
from koth.standings.signs import meetings

MIXTURE = 20
"""The number of blocks after which intervals of scores are narrowest, compared with those of one look."""


def widening(ratio: Array) -> Array:
    """Return by how many standard errors an interval extends to hold at all looks with an error of `ALPHA`.

    `ratio` is the information so far over that at which these intervals are narrowest.
    """
    return np.asarray(np.sqrt((1 + 1 / ratio) * np.log((1 + ratio) / ALPHA**2)))


def score_margins(blocks: Blocks, aggregate: str, least: int) -> Array:
    """Return float64[bots], half the width of each score's interval; for sums of the mean match.

    NaN for bots with fewer than `least` blocks, and where all blocks are equal.
    """
    if uses_signs(blocks, aggregate) and aggregate == "median":
        margins = _of_medians(blocks)
    else:
        error, skewness = errors(blocks, groups(meetings(*blocks.padded(), blocks.bots)[0]))
        margins = error * skewed(widening(np.maximum(blocks.played, 1) / MIXTURE), skewness)
    varies = np.zeros(blocks.bots, dtype=bool)
    for bot in np.flatnonzero(blocks.played >= max(least, 2)).tolist():
        varies[bot] = np.ptp(blocks.value[blocks.rows(bot)]) > 0
    return np.where(varies, margins, np.nan)


def skewed(wide: Array, skewness: Array) -> Array:
    """Return by how many standard errors intervals of estimates of this skewness extend on their wider side."""
    pairs = zip(wide.tolist(), (-np.abs(skewness)).tolist(), strict=True)
    return np.array([hall_inverse(value, skew) for value, skew in pairs])


def _of_medians(blocks: Blocks) -> Array:
    """Return the distance from each median to the farther of the two order statistics that bound it."""
    score, margins = estimates(blocks, "median"), np.full(blocks.bots, np.nan)
    off = np.sqrt(blocks.played) / 2 * widening(np.maximum(blocks.played, 1) / MIXTURE)
    rank = np.floor(blocks.played / 2 - off).astype(np.int64)  # blocks beyond either bound
    for bot in np.flatnonzero(rank >= 0).tolist():
        ordered = np.sort(blocks.value[blocks.rows(bot)])
        low, high = ordered[rank[bot]], ordered[-1 - rank[bot]]
        margins[bot] = max(score[bot] - low, high - score[bot])
    return margins
