"""What the matches say: a score, an interval and a rank for everybody who scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from koth.game import Array
from koth.rng import derive

RESAMPLES = 2000
FEW = 6
"""Below so many games a bootstrap says little: the smallest and the largest game are given instead."""


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


def standings(matches: Sequence[Played], aggregate: str, seed: int) -> list[Standing]:
    """Everybody who scored, best first; equal scores share a rank.

    `aggregate` is "median", "mean" or "sum" of a bot's games. The bootstrap resamples blocks and is seeded.
    """
    names = list(dict.fromkeys(name for match in matches for name in match.scores))
    blocks = sorted({match.block for match in matches})
    place = {block: i for i, block in enumerate(blocks)}
    picks = np.random.default_rng(derive(seed, "bootstrap")).integers(0, len(blocks) or 1, (RESAMPLES, len(blocks)))
    lines = []
    for name in names:
        games = [(place[m.block], m.scores[name]) for m in matches if name in m.scores]
        values = np.array([score for _, score in games])
        score = aggregated(values, aggregate)
        is_range = len(games) < FEW
        if is_range:
            factor = len(games) if aggregate == "sum" else 1
            low, high = float(values.min()) * factor, float(values.max()) * factor
        else:
            low, high = _interval(games, len(blocks), picks, aggregate)
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


def _interval(games: Sequence[tuple[int, float]], blocks: int, picks: Array, aggregate: str) -> tuple[float, float]:
    """The 95 % bootstrap interval over blocks."""
    sums, counts = np.zeros(blocks), np.zeros(blocks)
    for block, score in games:
        sums[block] += score
        counts[block] += 1
    if aggregate == "median" and (counts == 1).all():
        resampled = np.median(sums[picks], axis=1)
    elif aggregate == "median":
        by_block: list[list[float]] = [[] for _ in range(blocks)]
        for block, score in games:
            by_block[block].append(score)
        resampled = np.array([_median([s for b in pick for s in by_block[b]]) for pick in picks])
    elif aggregate == "sum":
        resampled = sums[picks].sum(axis=1)
    else:
        resampled = sums[picks].sum(axis=1) / np.maximum(counts[picks].sum(axis=1), 1)
    low, high = np.percentile(resampled, [2.5, 97.5])
    return float(low), float(high)


def _median(values: Sequence[float]) -> float:
    return float(np.median(values)) if values else 0.0
