"""Which ranks a bot might have had: the blocks of a contest are drawn anew, for all bots together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from koth.game import Array
from koth.standings.intervals import ERROR, FOLDED, picks
from koth.standings.quantiles import t_quantile
from koth.standings.scores import Blocks, estimates

RESAMPLES = 2000
PORTION = 250
"""Resamples that are ranked at a time."""
PARTS = 256
"""Into so many parts the sorted scores of a bot are divided, to find their medians."""
ALIKE = 1e-9
"""Scores that differ by less than this share of the largest count as equal."""


@dataclass(frozen=True)
class Ranks:
    """By bot: the best and the worst rank in 95 % of the resamples, and in which share of them it is first."""

    best: Array
    worst: Array
    first: Array


def ranks(blocks: Blocks, aggregate: str, group: Array) -> Ranks:
    """Everybody's ranks within its group (`group[bot]`); who shares a rank has all of those it shares."""
    resampled = _resampled(blocks, aggregate)
    best, worst, first = (np.zeros(blocks.bots) for _ in range(3))
    for number in np.unique(group):
        own = np.flatnonzero(group == number)
        best[own], worst[own], first[own] = _ranked(resampled[:, own])
    return Ranks(best.astype(np.int64), worst.astype(np.int64), first)


def _resampled(blocks: Blocks, aggregate: str) -> Array:
    """float64[resamples, bots]: everybody's score in each resample of the blocks."""
    groups = min(blocks.count, FOLDED)
    group = blocks.block * groups // max(blocks.count, 1)
    drawn = picks(groups, RESAMPLES)
    center = estimates(blocks, "median" if aggregate == "median" else "mean")
    if aggregate == "median":
        medians = np.tile(center, (len(drawn), 1))
        for bot in np.flatnonzero(blocks.played).tolist():
            rows = blocks.rows(bot)
            rows = rows[np.argsort(blocks.value[rows])]
            drawn_anew = _resampled_medians(drawn, blocks.value[rows], group[rows])
            medians[:, bot] = np.where(np.isnan(drawn_anew), center[bot], drawn_anew)
        return medians
    cell = group * blocks.bots + blocks.bot
    shape = (groups, blocks.bots)
    games = np.bincount(cell, blocks.games, groups * blocks.bots).reshape(shape)
    off = np.bincount(cell, blocks.total - center[blocks.bot] * blocks.games, groups * blocks.bots).reshape(shape)
    drift = (drawn @ off) / np.maximum(drawn @ games, 1)
    widened = np.array([_widened(count) for count in np.minimum(blocks.played, FOLDED).tolist()])
    return np.asarray(center + drift * widened)


def _widened(count: int) -> float:
    """By how much resampled means of so few blocks are to be spread to be as wide as Student's t says."""
    if count < 2:
        return 1.0
    return t_quantile(ERROR, count - 1) / t_quantile(ERROR, 1e9) * float(np.sqrt(count / (count - 1)))


def _ranked(scores: Array) -> tuple[Array, Array, Array]:
    """Best and worst rank in the middle 95 % of the rows, and the share of rows in which each column is first."""
    rows, bots = scores.shape
    lowest, highest = np.empty((rows, bots), np.int32), np.empty((rows, bots), np.int32)
    firsts = np.zeros(bots)
    scores = np.round(scores / (np.abs(scores).max(initial=0) or 1) / ALIKE)
    for start in range(0, rows, PORTION):
        part = scores[start : start + PORTION]
        order = np.argsort(-part, axis=1)
        in_order = np.take_along_axis(part, order, axis=1)
        new = np.diff(in_order, axis=1) != 0
        place = np.arange(1, bots + 1)
        begins = np.maximum.accumulate(np.where(np.pad(new, ((0, 0), (1, 0)), constant_values=True), place, 0), 1)
        ends = np.where(np.pad(new, ((0, 0), (0, 1)), constant_values=True), place, bots)
        ends = np.minimum.accumulate(ends[:, ::-1], 1)[:, ::-1]
        np.put_along_axis(lowest[start : start + PORTION], order, begins.astype(np.int32), axis=1)
        np.put_along_axis(highest[start : start + PORTION], order, ends.astype(np.int32), axis=1)
        leads = lowest[start : start + PORTION] == 1
        firsts += (leads / leads.sum(axis=1, keepdims=True)).sum(axis=0)
    cut = int(rows * ERROR / 2)
    lowest.partition(cut, axis=0)
    highest.partition(rows - 1 - cut, axis=0)
    return lowest[cut], highest[rows - 1 - cut], firsts / rows


def _resampled_medians(drawn: Array, values: Array, group: Array) -> Array:
    """float64[resamples]: the median of sorted values, each counted `drawn[resample, group]` times; NaN of none.

    The part in which a median lies is found by counting whole parts, the value by counting within that part.
    """
    step = -(-len(values) // PARTS)
    counts = np.bincount(np.arange(len(values)) // step * drawn.shape[1] + group, minlength=PARTS * drawn.shape[1])
    so_far = np.cumsum(drawn @ counts.reshape(-1, drawn.shape[1]).T, axis=1)
    total = so_far[:, -1]
    medians = np.where(total > 0, 0.0, np.nan)
    for place in np.maximum((total - 1) // 2, 0), np.maximum(total // 2, 0):
        part = np.minimum((so_far <= place[:, None]).sum(axis=1), (len(values) - 1) // step)
        before = np.where(part > 0, so_far[np.arange(len(part)), part - 1], 0)
        rows = np.minimum(part[:, None] * step + np.arange(step), len(values) - 1)
        within = before[:, None] + np.cumsum(drawn[np.arange(len(part))[:, None], group[rows]], axis=1)
        row = part * step + (within <= place[:, None]).sum(axis=1)
        medians += values[np.minimum(row, len(values) - 1)] / 2
    return medians
