"""Each bot's chance to be first, by resampling the blocks of a contest for all bots together."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.standings.intervals import BINS, resample_counts, t_quantile
from koth.standings.paired import ALPHA
from koth.standings.scores import Blocks, estimates

RESAMPLES = 2000
PARTS = 256
"""The number of parts of a bot's sorted scores in the search for medians."""
EQUAL = 1e-9
"""The share of the largest score below which a difference counts as 0."""


def chance_to_be_first(blocks: Blocks, aggregate: str, group: Array, candidates: Array) -> Array:
    """Return float64[bots], the share of resamples in which a bot leads its group's `candidates` (bool[bots]).

    Tied bots share the lead; bots that are not candidates have 0.
    """
    resampled = _resample(blocks, aggregate)
    first = np.zeros(blocks.bots)
    for number in np.unique(group):
        members = np.flatnonzero(group == number)
        scores = resampled[:, members]
        scores = np.round(scores / (np.abs(scores).max(initial=0) or 1) / EQUAL)
        scores[:, ~candidates[members]] = -np.inf
        leads = scores == scores.max(axis=1, keepdims=True)
        first[members] = (leads / leads.sum(axis=1, keepdims=True)).mean(axis=0)
    return first


def _resample(blocks: Blocks, aggregate: str) -> Array:
    """Return float64[resamples, bots], each bot's score in each resample of blocks (for sums the mean)."""
    bins = min(blocks.count, BINS)
    group = blocks.block * bins // max(blocks.count, 1)
    counts = resample_counts(bins, RESAMPLES)
    if aggregate == "median":
        return _resample_medians(blocks, counts, group)
    center = estimates(blocks, "mean")
    cell = group * blocks.bots + blocks.bot
    shape = (bins, blocks.bots)
    matches = np.bincount(cell, blocks.matches, bins * blocks.bots).reshape(shape)
    off = np.bincount(cell, blocks.total - center[blocks.bot] * blocks.matches, bins * blocks.bots).reshape(shape)
    shift = (counts @ off) / np.maximum(counts @ matches, 1)
    widening = np.array([_widening(count) for count in np.minimum(blocks.played, BINS).tolist()])
    return np.asarray(center + shift * widening)


def _widening(count: int) -> float:
    """Return the factor that makes the spread of resampled means of `count` blocks match Student's t."""
    if count < 2:
        return 1.0
    return t_quantile(ALPHA, count - 1) / t_quantile(ALPHA, 1e9) * float(np.sqrt(count / (count - 1)))


def _resample_medians(blocks: Blocks, counts: Array, group: Array) -> Array:
    center = estimates(blocks, "median")
    medians = np.tile(center, (len(counts), 1))
    for bot in np.flatnonzero(blocks.played).tolist():
        rows = blocks.rows(bot)
        rows = rows[np.argsort(blocks.value[rows])]
        found = _weighted_medians(counts, blocks.value[rows], group[rows])
        medians[:, bot] = np.where(np.isnan(found), center[bot], found)
    return medians


def _weighted_medians(counts: Array, values: Array, group: Array) -> Array:
    """Return float64[resamples], the weighted medians of sorted values; NaN without a value.

    Each value counts `counts[resample, group]` times. Counting whole parts finds the part with the median; counting
    within the part finds the value.
    """
    step = -(-len(values) // PARTS)
    of_parts = np.bincount(
        np.arange(len(values)) // step * counts.shape[1] + group, minlength=PARTS * counts.shape[1]
    )
    so_far = np.cumsum(counts @ of_parts.reshape(-1, counts.shape[1]).T, axis=1)
    total = so_far[:, -1]
    medians = np.where(total > 0, 0.0, np.nan)
    for rank in np.maximum((total - 1) // 2, 0), np.maximum(total // 2, 0):
        part = np.minimum((so_far <= rank[:, None]).sum(axis=1), (len(values) - 1) // step)
        before = np.where(part > 0, so_far[np.arange(len(part)), part - 1], 0)
        rows = np.minimum(part[:, None] * step + np.arange(step), len(values) - 1)
        within = before[:, None] + np.cumsum(counts[np.arange(len(part))[:, None], group[rows]], axis=1)
        row = part * step + (within <= rank[:, None]).sum(axis=1)
        medians += values[np.minimum(row, len(values) - 1)] / 2
    return medians
