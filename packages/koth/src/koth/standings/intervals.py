"""Confidence intervals, which contain a bot's true score with (at least) 95 %, computed from blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from koth.game import Array
from koth.standings.paired import ALPHA, uses_signs
from koth.standings.scores import Blocks

RESAMPLES = 3999
BINS = 500
"""The largest number of resampled groups: with more blocks neighbours are merged, which loses no information about
means."""
TOGETHER = 64
"""The number of bots in one bootstrap computation."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval; `low` or `high` is None if that side is open; `note` says why both are open."""

    low: float | None = None
    high: float | None = None
    level: float = 1 - ALPHA
    note: str = ""


def intervals(blocks: Blocks, aggregate: str, least: int) -> list[Interval]:
    """Return each bot's interval; for sums, of the mean match.

    Means: bootstrap-t over blocks, from `least` blocks on. Medians: order statistics. Wins, if a block is one match:
    Clopper and Pearson. Order statistics and Clopper-Pearson are exact for any number of blocks.
    """
    found = {bot: _closed_form(blocks, bot, aggregate, least) for bot in range(blocks.bots)}
    rest = [bot for bot, interval in found.items() if interval is None]
    for count in sorted({int(blocks.played[bot]) for bot in rest}):
        alike = [bot for bot in rest if blocks.played[bot] == count]
        for start in range(0, len(alike), TOGETHER):
            some = alike[start : start + TOGETHER]
            rows = np.stack([blocks.rows(bot) for bot in some], axis=1)
            low, high = bootstrap_t(blocks.total[rows], blocks.matches[rows].astype(np.float64))
            found.update(zip(some, map(_finite_interval, low.tolist(), high.tolist()), strict=True))
    return [interval or Interval() for interval in found.values()]


def _finite_interval(low: float, high: float) -> Interval:
    below, above = (bound if np.isfinite(bound) else None for bound in (low, high))
    return Interval(below, above, note="too many equal" if below is None and above is None else "")


def _closed_form(blocks: Blocks, bot: int, aggregate: str, least: int) -> Interval | None:
    """Return a bot's interval without a bootstrap; None if a bootstrap is needed."""
    rows = blocks.rows(bot)
    values, count = blocks.value[rows], len(rows)
    if count == 0:
        return Interval(note="no match")
    signs = uses_signs(blocks, aggregate)
    if signs and aggregate == "wins":
        return Interval(*binomial_interval(int(values.sum()), count))
    if count < least and not signs:
        return Interval(note=f"{count} of {least} {'matches' if (blocks.matches[rows] == 1).all() else 'blocks'}")
    if values.min() == values.max():
        return Interval(note=f"all {count} equal" if count > 1 else "too few")
    return _median_interval(values) if signs else None


def _median_interval(values: Array) -> Interval:
    order = median_order(len(values))
    if order is None:
        return Interval(note="too few")
    k, level = order
    ordered = np.sort(values)
    return Interval(float(ordered[k - 1]), float(ordered[-k]), level)


def t_quantile(alpha: float, df: float) -> float:
    """Return the value that |t| exceeds with probability `alpha`: Student's t with `df` degrees of freedom."""
    from scipy import special

    return float(-special.stdtrit(df, alpha / 2))


def binomial_interval(wins: int, matches: int) -> tuple[float, float]:
    """Return the exact interval (Clopper and Pearson, 1934) of a probability, given `wins` in `matches`."""
    from scipy import special

    low = float(special.betaincinv(wins, matches - wins + 1, ALPHA / 2)) if wins else 0.0
    high = float(special.betaincinv(wins + 1, matches - wins, 1 - ALPHA / 2)) if wins < matches else 1.0
    return low, high


def median_order(values: int, alpha: float = ALPHA) -> tuple[int, float] | None:
    """Return `(k, level)`: k-th smallest and k-th largest of `values` values bound the median at this level.

    k is the largest with a level of at least `1 - alpha`, whatever the distribution (with ties the level is higher);
    None if even k = 1 has a lower level.
    """
    from scipy import special

    if values < 2:
        return None
    missed = 2 * special.bdtr(np.arange(values // 2 + 1), values, 0.5)  # at most k values on one side of the median
    k = int((missed <= alpha).sum())
    return (k, 1 - float(missed[k - 1])) if k else None


@lru_cache(maxsize=2)
def resample_counts(count: int, resamples: int = RESAMPLES) -> Array:
    """Return float64[resamples, count]: how often each resample contains each block; from a fixed seed."""
    rng = np.random.default_rng(count)
    drawn = rng.integers(0, count, (resamples, count)) + count * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * count).reshape(resamples, count).astype(np.float64)


def sum_bins(values: Array) -> Array:
    """Return the sums of neighbouring rows in at most `BINS` groups of nearly equal size."""
    if len(values) <= BINS:
        return values
    sums: Array = np.add.reduceat(values, np.arange(BINS) * len(values) // BINS)
    return sums


def bootstrap_t(total: Array, matches: Array) -> tuple[Array, Array]:
    """Return bootstrap-t bounds (Efron, 1979) of the mean match of each column, from arrays [blocks, bots].

    `total` is the sum of a block's scores, `matches` the number of a block's matches. A bound is infinite if too many
    resamples consist of equal blocks, which do not allow an estimate of the error.
    """
    total, matches = sum_bins(total), sum_bins(matches)
    count = len(total)
    all_matches = matches.sum(axis=0)
    mean = total.sum(axis=0) / all_matches
    off = total - mean * matches
    squares = (off**2).sum(axis=0)
    counts = resample_counts(count)
    size = counts @ matches
    shift = counts @ off / size
    resampled = counts @ off**2 - 2 * shift * (counts @ (off * matches)) + shift**2 * (counts @ matches**2)
    flat = resampled <= 1e-9 * squares
    with np.errstate(divide="ignore", invalid="ignore"):
        t = shift * size / np.sqrt(resampled * (count / (count - 1)))
    t = np.where(flat, np.where(np.abs(shift) * size < 1e-6 * np.sqrt(squares), 0.0, np.copysign(np.inf, shift)), t)
    t.partition([cut := int(ALPHA / 2 * (len(t) + 1)) - 1, len(t) - 1 - cut], axis=0)
    error = np.sqrt(squares * (count / (count - 1))) / all_matches
    low: Array = mean - t[-1 - cut] * error
    high: Array = mean - t[cut] * error
    return low, high
