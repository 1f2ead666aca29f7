"""The scores of many matches as arrays, and the blocks of each bot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from koth.game import AGGREGATES as AGGREGATES
from koth.game import Array

CELL = np.dtype([("match", "i8"), ("place", "i4"), ("bot", "i4"), ("score", "f8")])
"""One bot's score in one match; `place` is the column in `Scores`."""


@dataclass(frozen=True)
class Scores:
    """Matches as rows, in any order. `bot[match, seat]` is an index into the sorted `names`, -1 for an empty seat.

    `block[match]` is the block's number: matches of one block depend on each other (the same bots, often the same
    dice), so a block is one observation. `score[match, seat]` is float64.
    """

    names: tuple[str, ...]
    block: Array
    bot: Array
    score: Array

    @classmethod
    def of(cls, matches: Iterable[tuple[int, Mapping[str, float]]]) -> Scores:
        """Make the arrays from pairs of a match's block and the bots' scores."""
        rows = list(matches)
        names = tuple(sorted({name for _, scores in rows for name in scores}))
        places = {name: place for place, name in enumerate(names)}
        seats = max((len(scores) for _, scores in rows), default=0)
        bot = np.full((len(rows), seats), -1, dtype=np.int32)
        score = np.zeros((len(rows), seats))
        for row, (_, scores) in enumerate(rows):
            bot[row, : len(scores)] = [places[name] for name in scores]
            score[row, : len(scores)] = list(scores.values())
        return cls(names, np.array([block for block, _ in rows], dtype=np.int64), bot, score)

    @classmethod
    def of_cells(cls, matches: Array, names: Sequence[str], cells: Array) -> Scores:
        """Make the arrays from match numbers and blocks (int64[matches, 2], sorted), and `CELL`s indexing `names`."""
        cells = cells[np.isin(cells["match"], matches[:, 0])]
        order = sorted(names)
        shape = (len(matches), int(cells["place"].max(initial=-1)) + 1)
        bot, score = np.full(shape, -1, np.int32), np.zeros(shape)
        where = np.searchsorted(matches[:, 0], cells["match"]), cells["place"]
        bot[where] = np.array([order.index(name) for name in names], np.int32)[cells["bot"]] if names else 0
        score[where] = cells["score"]
        return cls(tuple(order), matches[:, 1], bot, score)

    def __len__(self) -> int:
        return len(self.block)

    def take(self, rows: Array) -> Scores:
        """Return the scores of some matches: `rows` is bool[matches] or indices."""
        return Scores(self.names, self.block[rows], self.bot[rows], self.score[rows])

    def drop_absent(self) -> Scores:
        """Return the scores without names of bots that played no match."""
        played = np.flatnonzero(self.matches)
        place = np.full(len(self.names) + 1, -1, dtype=np.int32)  # the last one for empty seats, -1
        place[played] = np.arange(len(played))
        return Scores(tuple(self.names[k] for k in played.tolist()), self.block, place[self.bot], self.score)

    @property
    def matches(self) -> Array:
        """Return the number of matches of each bot (int64[bots])."""
        return np.bincount(self.bot[self.bot >= 0], minlength=len(self.names))


@dataclass(frozen=True)
class Blocks:
    """The blocks of each bot: a row for each block and each bot in the block, sorted by block, then bot.

    `block` counts from 0 without gaps. `total` is the sum of the bot's scores in the block, `matches` the number of
    scores, `value` the mean of the scores or, if medians count, the median.
    """

    bots: int
    count: int
    block: Array
    bot: Array
    total: Array
    matches: Array
    value: Array

    @classmethod
    def of(cls, scores: Scores, aggregate: str) -> Blocks:
        """Compute the blocks of matches."""
        bots = len(scores.names)
        blocks, block = np.unique(scores.block, return_inverse=True)
        if len(blocks) == len(scores):  # a match per block: sorting rows is far cheaper
            rows, seats = np.argsort(block)[:, None], np.argsort(scores.bot, axis=1)
            bot, points = scores.bot[rows, seats[rows[:, 0]]], scores.score[rows, seats[rows[:, 0]]]
            seated = bot >= 0
            key, points = (np.arange(len(blocks))[:, None] * bots + bot)[seated], points[seated]
        else:
            seated = scores.bot >= 0
            key, points = (block[:, None] * bots + scores.bot)[seated], scores.score[seated]
            order = np.lexsort((points, key))  # by points, too: sums must not depend on the order of the matches
            key, points = key[order], points[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        matches = np.diff(first, append=len(key))
        total = np.add.reduceat(points, first) if len(first) else np.zeros(0)
        if aggregate == "median" and len(first):
            value = (points[first + (matches - 1) // 2] + points[first + matches // 2]) / 2
        else:
            value = total / matches
        cells = key[first]
        return cls(bots, len(blocks), cells // max(bots, 1), cells % max(bots, 1), total, matches, value)

    @cached_property
    def by_bot(self) -> Array:
        """The rows sorted by bot, then block."""
        return np.argsort(self.bot, kind="stable")

    @cached_property
    def played(self) -> Array:
        """Return the number of blocks of each bot (int64[bots])."""
        return np.bincount(self.bot, minlength=self.bots)

    @cached_property
    def matches_each(self) -> Array:
        """Return the number of matches of each bot (int64[bots])."""
        return np.bincount(self.bot, self.matches, self.bots).astype(np.int64)

    def rows(self, bot: int) -> Array:
        """Return the rows of one bot, by block."""
        return self.by_bot[self._ends[bot] : self._ends[bot + 1]]

    @cached_property
    def _ends(self) -> list[int]:
        return [0, *np.cumsum(self.played).tolist()]

    def dense(self, values: Array, first: int, last: int) -> Array:
        """Return the values of blocks `first` to `last` - 1 as float64[blocks, bots], 0 where a bot did not play."""
        start, stop = np.searchsorted(self.block, [first, last])
        table = np.zeros((min(last, self.count) - first, self.bots))
        table[self.block[start:stop] - first, self.bot[start:stop]] = values[start:stop]
        return table

    def pad(self) -> tuple[Array, Array]:
        """Return `bot[block, seat]` (-1: empty) and `value[block, seat]`."""
        sizes = np.bincount(self.block, minlength=self.count)
        seat = np.arange(len(self.block)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        shape = (self.count, int(sizes.max(initial=0)))
        bot, value = np.full(shape, -1, dtype=np.int32), np.zeros(shape)
        bot[self.block, seat] = self.bot
        value[self.block, seat] = self.value
        return bot, value


def aggregate_of_match(aggregate: str) -> str:
    """Return the aggregate that gives points per match: for sums the mean."""
    return "mean" if aggregate == "sum" else aggregate


def estimates(blocks: Blocks, aggregate: str, matches: int | None = None) -> Array:
    """Return float64[bots], the score of each bot; 0 without a match.

    A score is the mean of all matches (for wins the share won), the median of block medians, or for sums the mean
    times `matches_in_sum(blocks, matches)`: a sum must not depend on a bot's number of matches.
    """
    if aggregate == "median":
        rows = (blocks.rows(bot) for bot in range(blocks.bots))
        return np.array([np.median(blocks.value[own]) if len(own) else 0.0 for own in rows])
    total = np.bincount(blocks.bot, blocks.total, blocks.bots)
    if aggregate == "sum":
        total *= matches_in_sum(blocks, matches)
    return total / np.maximum(blocks.matches_each, 1)


def matches_in_sum(blocks: Blocks, asked: int | None = None) -> int:
    """Return the number of matches in a sum: `asked`, but no more than any bot has played."""
    most = int(blocks.matches_each.max(initial=0))
    return most if asked is None else min(asked, most)
