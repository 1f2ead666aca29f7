"""How sure a standing is: an interval of (at least) 95 % around each bot's score, from its blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from koth.game import Array
from koth.standings.quantiles import binomial_interval, median_order
from koth.standings.scores import Blocks

ERROR = 0.05
"""How often an interval may miss the truth."""
RESAMPLES = 3999
FOLDED = 500
"""So many groups of blocks are resampled at most: neighbours are put together, whose means say as much."""
TOGETHER = 64
"""Bots that are reckoned at the same time."""
LEAST = {"median": 6, "mean": 48, "sum": 48, "wins": 1}
"""From so many blocks on there is an interval, in a game that declares nothing (`benchmarks/coverage.py`)."""


@dataclass(frozen=True)
class Interval:
    """`low` and `high` are None where nothing can be said on that side; `note` says why, if both are."""

    low: float | None = None
    high: float | None = None
    level: float = 1 - ERROR
    note: str = ""


def intervals(blocks: Blocks, aggregate: str, least: int) -> list[Interval]:
    """Everybody's, from at least `least` blocks each.

    Means and sums: bootstrap-t over blocks. Medians: order statistics. Wins in games that are blocks of their own:
    binomial.
    """
    found = [_plain(blocks, bot, aggregate, least) for bot in range(blocks.bots)]
    open_ = [bot for bot in range(blocks.bots) if found[bot] is None]
    for count in sorted({int(blocks.played[bot]) for bot in open_}):
        alike = [bot for bot in open_ if blocks.played[bot] == count]
        for start in range(0, len(alike), TOGETHER):
            some = alike[start : start + TOGETHER]
            rows = np.stack([blocks.rows(bot) for bot in some], axis=1)
            total, games = blocks.total[rows], blocks.games[rows].astype(np.float64)
            factor = games.sum(axis=0) if aggregate == "sum" else np.ones(len(some))
            low, high = (bound * factor for bound in bootstrap_t(total, games))
            for bot, *bounds in zip(some, low.tolist(), high.tolist(), strict=True):
                below, above = (bound if np.isfinite(bound) else None for bound in bounds)
                note = "too many equal" if below is None and above is None else ""
                found[bot] = Interval(below, above, note=note)
    return [interval or Interval() for interval in found]


def _plain(blocks: Blocks, bot: int, aggregate: str, least: int) -> Interval | None:
    """The interval of a bot that needs no resampling; None if it needs it."""
    rows = blocks.rows(bot)
    values, games, count = blocks.value[rows], blocks.games[rows], len(rows)
    if count == 0:
        return Interval(note="no game")
    if aggregate == "wins" and (games == 1).all():
        return Interval(*binomial_interval(int(values.sum()), count, ERROR))
    if count < least:
        return Interval(note=f"{count} of {least} {'games' if (games == 1).all() else 'blocks'}")
    if values.min() == values.max():
        return Interval(note=f"all {count} equal")
    if aggregate != "median":
        return None
    order = median_order(count, ERROR)
    if order is None:
        return Interval(note=f"{count} blocks are too few")
    k, level = order
    values = np.sort(values)
    return Interval(float(values[k - 1]), float(values[-k]), level)


@lru_cache(maxsize=2)
def picks(count: int, resamples: int = RESAMPLES) -> Array:
    """float64[resamples, count]: how often each of `count` blocks is in each resample. Always the same."""
    rng = np.random.default_rng(count)
    drawn = rng.integers(0, count, (resamples, count)) + count * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * count).reshape(resamples, count).astype(np.float64)


def folded(values: Array) -> Array:
    """The sums of at most FOLDED groups of neighbouring rows, as equally large as can be."""
    if len(values) <= FOLDED:
        return values
    folds: Array = np.add.reduceat(values, np.arange(FOLDED) * len(values) // FOLDED)
    return folds


def bootstrap_t(total: Array, games: Array) -> tuple[Array, Array]:
    """Bootstrap-t intervals (Efron, 1979) of the mean game of each column, from arrays [blocks, bots].

    `total` is what a block's games sum up to, `games` how many they are. A bound is infinite where too many
    resamples hold equal blocks only, as they then say nothing of how far away the truth may be.
    """
    total, games = folded(total), folded(games)
    count = len(total)
    all_games = games.sum(axis=0)
    mean = total.sum(axis=0) / all_games
    off = total - mean * games
    spread = (off**2).sum(axis=0)
    drawn = picks(count)
    size = drawn @ games
    drift = drawn @ off / size
    squares = drawn @ off**2 - 2 * drift * (drawn @ (off * games)) + drift**2 * (drawn @ games**2)
    flat = squares <= 1e-9 * spread
    with np.errstate(divide="ignore", invalid="ignore"):
        t = drift * size / np.sqrt(squares * (count / (count - 1)))
    t = np.where(flat, np.where(np.abs(drift) * size < 1e-6 * np.sqrt(spread), 0.0, np.copysign(np.inf, drift)), t)
    t.partition([cut := int(ERROR / 2 * (len(t) + 1)) - 1, len(t) - 1 - cut], axis=0)
    error = np.sqrt(spread * (count / (count - 1))) / all_games
    low: Array = mean - t[-1 - cut] * error
    high: Array = mean - t[cut] * error
    return low, high
