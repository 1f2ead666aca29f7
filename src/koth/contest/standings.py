"""What the matches say: a score, an interval and a rank for everybody who scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from koth.game import Array
from koth.rng import derive

RESAMPLES = 2000
MOST_PICKS = 4_000_000
"""In contests so long that they would need more, fewer resamples say as much."""
FEW = 6
"""Below so many independent games (blocks) a bootstrap says little: the worst and the best one are given."""


@dataclass(frozen=True)
class Played:
    """One match as the standings see it: who scored what, and the block that its luck belongs to."""

    block: int
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Standing:
    """One line of the table. `low` and `high`: a 95 % bootstrap interval, or with `is_range` the extremes."""

    rank: int
    bot: str
    score: float
    low: float
    high: float
    games: int
    is_range: bool

    def as_json(self, faults: Mapping[str, int]) -> dict[str, Any]:
        """The line as `--json` and the contest's page have it, with the bot's faults by kind."""
        return {
            "rank": self.rank,
            "bot": self.bot,
            "score": self.score,
            "low": self.low,
            "high": self.high,
            "range": self.is_range,
            "games": self.games,
            "faults": dict(faults),
        }


def standings(matches: Sequence[Played], aggregate: str, seed: int) -> list[Standing]:
    """Everybody who scored, best first; equal scores share a rank.

    `aggregate` is "median", "mean" or "sum" of a bot's games. The bootstrap resamples blocks and is seeded.
    """
    names = list(dict.fromkeys(name for match in matches for name in match.scores))
    lines = []
    for name in names:
        games = [(m.block, m.scores[name]) for m in matches if name in m.scores]
        score = aggregated(np.array([score for _, score in games]), aggregate)
        blocks: dict[int, list[float]] = {}
        for block, points in games:
            blocks.setdefault(block, []).append(points)
        is_range = len(blocks) < FEW
        low, high = (_extremes if is_range else _interval)(list(blocks.values()), aggregate, seed)
        lines.append((score, name, low, high, len(games), is_range))
    lines.sort(key=lambda line: -line[0])
    ranks: dict[float, int] = {}
    for place_, line in enumerate(lines, 1):
        ranks.setdefault(line[0], place_)
    return [Standing(ranks[line[0]], line[1], line[0], *line[2:]) for line in lines]


def aggregated(values: Array, aggregate: str) -> float:
    """One number for all of a bot's games."""
    reduce: Any = {"median": np.median, "mean": np.mean, "sum": np.sum}[aggregate]
    return float(reduce(values))


def _extremes(blocks: Sequence[Sequence[float]], aggregate: str, seed: int) -> tuple[float, float]:
    """The worst and the best block; for a sum, as if every block had been like it."""
    values = [aggregated(np.array(block), aggregate) for block in blocks]
    factor = len(blocks) if aggregate == "sum" else 1
    return min(values) * factor, max(values) * factor


def _interval(blocks: Sequence[Sequence[float]], aggregate: str, seed: int) -> tuple[float, float]:
    """The 95 % bootstrap interval over the blocks of one bot; bots with as many blocks share the picks."""
    resamples = min(RESAMPLES, max(200, MOST_PICKS // len(blocks)))
    picks = _picks(len(blocks), resamples, seed)
    if aggregate == "median":
        resampled = _medians(blocks, _times(len(blocks), resamples, seed))
    else:
        sums = np.array([sum(block) for block in blocks])[picks].sum(axis=1)
        counts = np.array([len(block) for block in blocks])[picks].sum(axis=1)
        resampled = sums if aggregate == "sum" else sums / counts
    low, high = np.percentile(resampled, [2.5, 97.5])
    return float(low), float(high)


@lru_cache(maxsize=1)
def _picks(blocks: int, resamples: int, seed: int) -> Array:
    """The blocks of each resample."""
    return np.random.default_rng(derive(seed, "bootstrap")).integers(0, blocks, (resamples, blocks))


@lru_cache(maxsize=1)
def _times(blocks: int, resamples: int, seed: int) -> Array:
    """How often each block is in each resample."""
    rows = np.arange(resamples)[:, None] * blocks
    times = np.bincount((_picks(blocks, resamples, seed) + rows).ravel(), minlength=resamples * blocks)
    return times.reshape(resamples, blocks).astype(np.int32)


def _medians(blocks: Sequence[Sequence[float]], times: Array) -> Array:
    """The median of every resample, which takes all games of a block so many times."""
    values = np.concatenate([np.asarray(block, dtype=np.float64) for block in blocks])
    of_block = np.repeat(np.arange(len(blocks)), [len(block) for block in blocks])
    order = np.argsort(values)
    so_far = np.cumsum(times[:, of_block[order]], axis=1)
    last = so_far[:, -1:] - 1
    lower, upper = (np.count_nonzero(so_far <= middle, axis=1) for middle in (last // 2, (last + 1) // 2))
    in_order = values[order]
    middles: Array = (in_order[lower] + in_order[upper]) / 2
    return middles
