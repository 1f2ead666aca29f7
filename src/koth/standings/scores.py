"""The scores of many matches as arrays, and what each bot's blocks came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from koth.game import Array

AGGREGATES = ("median", "mean", "sum", "wins")
"""How a bot's games become its standing; in "wins" a score is 1 for a game won, else 0, and the mean counts."""

CELL = np.dtype([("match", "i8"), ("place", "i4"), ("bot", "i4"), ("score", "f8")])
"""One bot's score in one match; `place` is its own within the match."""


@dataclass(frozen=True)
class Scores:
    """Matches as rows, in any order. `bot[match, seat]` is a place in `names`, which are sorted, or -1: nobody.

    `block[match]` numbers the blocks: matches of one block hang together (one table, often the same dice), so a
    block is one observation. `score[match, seat]` is float64.
    """

    names: tuple[str, ...]
    block: Array
    bot: Array
    score: Array

    @classmethod
    def of(cls, matches: Iterable[tuple[int, Mapping[str, float]]]) -> Scores:
        """From the block and everybody's score of each match."""
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
        """From numbers and blocks (int64[matches, 2], by number) and `CELL`s, whose bots are places in `names`."""
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
        """The same with only these matches (bool[matches] or their places)."""
        return Scores(self.names, self.block[rows], self.bot[rows], self.score[rows])

    def of_those_who_played(self) -> Scores:
        """The same without names that played in none of the matches."""
        played = np.flatnonzero(self.games)
        place = np.full(len(self.names) + 1, -1, dtype=np.int32)  # the last one for nobody, -1
        place[played] = np.arange(len(played))
        return Scores(tuple(self.names[k] for k in played.tolist()), self.block, place[self.bot], self.score)

    @property
    def games(self) -> Array:
        """int64[bots]: how many matches each played."""
        return np.bincount(self.bot[self.bot >= 0], minlength=len(self.names))


@dataclass(frozen=True)
class Blocks:
    """What each bot's blocks came to: a row per block and bot that played in it, sorted by block, then bot.

    `block` counts from 0 without gaps. `total` is the sum of the bot's scores in the block, `games` how many they
    are, `value` their mean or, where medians count, their median.
    """

    bots: int
    count: int
    block: Array
    bot: Array
    total: Array
    games: Array
    value: Array

    @classmethod
    def of(cls, scores: Scores, aggregate: str) -> Blocks:
        """The blocks of these matches."""
        bots = len(scores.names)
        blocks, block = np.unique(scores.block, return_inverse=True)
        if len(blocks) == len(scores):  # nothing to be put together: sorting rows is far cheaper
            rows, seats = np.argsort(block)[:, None], np.argsort(scores.bot, axis=1)
            bot, points = scores.bot[rows, seats[rows[:, 0]]], scores.score[rows, seats[rows[:, 0]]]
            seated = bot >= 0
            key, points = (np.arange(len(blocks))[:, None] * bots + bot)[seated], points[seated]
        else:
            seated = scores.bot >= 0
            key, points = (block[:, None] * bots + scores.bot)[seated], scores.score[seated]
            order = np.lexsort((points, key))  # by points, too: sums must not hang on the order of the matches
            key, points = key[order], points[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        games = np.diff(first, append=len(key))
        total = np.add.reduceat(points, first) if len(first) else np.zeros(0)
        if aggregate == "median" and len(first):
            value = (points[first + (games - 1) // 2] + points[first + games // 2]) / 2
        else:
            value = total / games
        cells = key[first]
        return cls(bots, len(blocks), cells // max(bots, 1), cells % max(bots, 1), total, games, value)

    @cached_property
    def by_bot(self) -> Array:
        """The rows sorted by bot, then block."""
        return np.argsort(self.bot, kind="stable")

    @cached_property
    def played(self) -> Array:
        """int64[bots]: how many blocks each played in."""
        return np.bincount(self.bot, minlength=self.bots)

    @cached_property
    def matches(self) -> Array:
        """int64[bots]: the matches of each bot."""
        return np.bincount(self.bot, self.games, self.bots).astype(np.int64)

    def rows(self, bot: int) -> Array:
        """The rows of one bot, by block."""
        return self.by_bot[self._ends[bot] : self._ends[bot + 1]]

    @cached_property
    def _ends(self) -> list[int]:
        """Where each bot's rows begin in `by_bot`, and where the last one's end."""
        return [0, *np.cumsum(self.played).tolist()]

    def dense(self, values: Array, first: int, last: int) -> Array:
        """float64[blocks, bots] of the blocks from `first` to `last`, 0 where a bot did not play."""
        start, stop = np.searchsorted(self.block, [first, last])
        table = np.zeros((min(last, self.count) - first, self.bots))
        table[self.block[start:stop] - first, self.bot[start:stop]] = values[start:stop]
        return table

    def padded(self) -> tuple[Array, Array]:
        """`bot[block, seat]` (-1: nobody) and `value[block, seat]`."""
        sizes = np.bincount(self.block, minlength=self.count)
        seat = np.arange(len(self.block)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        shape = (self.count, int(sizes.max(initial=0)))
        bot, value = np.full(shape, -1, dtype=np.int32), np.zeros(shape)
        bot[self.block, seat] = self.bot
        value[self.block, seat] = self.value
        return bot, value


def estimates(blocks: Blocks, aggregate: str, matches: int | None = None) -> Array:
    """Return float64[bots], the score of each bot; 0 without a match.

    The mean of all matches (for wins the share won), the median of block medians, and for sums the mean times
    `counted_matches(blocks, matches)`: a sum must not depend on how many matches a bot happens to have.
    """
    if aggregate == "median":
        rows = (blocks.rows(bot) for bot in range(blocks.bots))
        return np.array([np.median(blocks.value[own]) if len(own) else 0.0 for own in rows])
    total = np.bincount(blocks.bot, blocks.total, blocks.bots)
    if aggregate == "sum":
        total *= counted_matches(blocks, matches)
    return total / np.maximum(blocks.matches, 1)


def counted_matches(blocks: Blocks, asked: int | None = None) -> int:
    """Return the number of matches in a sum: as many as `asked` for, or as the busiest bot has played."""
    most = int(blocks.matches.max(initial=0))
    return most if asked is None else min(asked, most)
