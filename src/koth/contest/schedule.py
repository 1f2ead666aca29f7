"""Who plays whom: the matches of a contest, in order. It knows no game.

What is drawn is a function of the seed and of what was asked for, nothing else: the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from koth.game import Array
from koth.kernel import kernel, maker
from koth.rng import derive, draw

SEEDS = ("shared", "independent")
"""Whether the matches of a block share their dice."""
WIDTH = 48
"""So many bots of those whose turn it is are looked at for a seat, at most."""
TRIES = 40
"""So many schedules are drawn for a small contest, and the most even one is taken."""
WORK = 400_000
"""Seats that may be drawn in all before fewer schedules are tried."""


@dataclass(frozen=True)
class Pairing:
    """One match to play: `seats` holds the places of its bots in the contest's list, in seat order.

    Matches of one `block` have the same bots at changing seats and count as one observation. Matches with the same
    `dice` have the same luck.
    """

    index: int
    block: int
    seats: tuple[int, ...]
    dice: int
    stage: int = 0
    """Which extension of the contest it was drawn for; 0: the contest as it began."""


@dataclass(frozen=True)
class Format:
    """How a contest is laid out: `size` seats at a table, each table played `turned` times, everybody one seat on.

    With `equal`, everybody has the same number of games; else they may differ by one. `seeds`: whether the matches of
    a table share their dice.
    """

    size: int
    turned: int = 1
    equal: bool = False
    seeds: str = "shared"

    def blocks(self, bots: int, games: int) -> int:
        """How many tables it takes to give everybody `games` games, at least."""
        each, size = -(-games // self.turned), min(self.size, bots)
        if self.equal or self.turned > 1:
            step = size // math.gcd(bots, size)
            each = -(-each // step) * step
        return -(-bots * each // size)

    def matches(self, bots: int, games: int) -> int:
        """How many matches that is."""
        return self.blocks(bots, games) * self.turned


def match_name(index: int) -> str:
    """What the files of a match are called."""
    return f"match-{index:04d}"


def schedule(bots: int, games: int, seed: int, form: Format) -> list[Pairing]:
    """The matches of a contest: everybody plays at least `games` of them.

    Tables are drawn in rounds, in each of which everybody sits at one, so that after any number of them all have
    played equally often, give or take a table; and so that pairs meet as equally often as can be found.
    """
    count = form.blocks(bots, games)
    if form.size >= bots and form.turned == 1:
        tables = np.tile(np.arange(bots, dtype=np.int32), (count, 1))
    else:
        tables = drawn_tables(bots, min(form.size, bots), count, seed)
    return _pairings(tables, form)


def extension(
    played: Sequence[Pairing], bots: int, games: int, seed: int, form: Format, first: Pairing
) -> list[Pairing]:
    """What is missing beside matches that count already, so that everybody plays at least `games`.

    Tables are given to whoever has played least. The first new one has the numbers of `first`, and its stage.
    """
    if form.size >= bots and form.turned == 1:
        count = max(0, form.blocks(bots, games) - len(played))
        return _pairings(np.tile(np.arange(bots, dtype=np.int32), (count, 1)), form, first)
    had, met = np.zeros(bots, np.int64), np.zeros((bots, bots), np.int32)
    for seats in {pairing.block: np.array(pairing.seats) for pairing in played}.values():
        had[seats] += 1
        met[np.ix_(seats, seats)] += ~np.eye(len(seats), dtype=bool)
    target = -(-games // form.turned)
    most = int(np.maximum(target - had, 0).sum()) + bots * form.size
    return _pairings(_deal(bots, form.size, most, seed, met, had, target, form.equal), form, first)


def with_everywhere(rivals: int, blocks: int, seed: int, form: Format) -> list[Pairing]:
    """The matches of a contest in which bot 0 sits at every table, and so many rivals beside it in turn.

    Its seat changes from table to table.
    """
    others = min(form.size - 1, rivals)
    if others < rivals:
        drawn = 1 + drawn_tables(rivals, others, blocks, seed)
    else:
        drawn = np.tile(np.arange(1, rivals + 1, dtype=np.int32), (blocks, 1))
    tables = np.insert(drawn, 0, 0, axis=1)
    for block in range(blocks):
        tables[block] = np.roll(tables[block], block % (others + 1))
    return _pairings(tables, form)


def _pairings(tables: Array, form: Format, first: Pairing | None = None) -> list[Pairing]:
    """The matches at these tables, numbered from those of `first` on."""
    at = first or Pairing(0, 0, (), 0)
    pairings = []
    for number, table in enumerate(tables.tolist()):
        block = at.block + number
        for turn in range(form.turned):
            index = at.index + number * form.turned + turn
            seats = tuple(table[turn:] + table[:turn])
            pairings.append(Pairing(index, block, seats, block if form.seeds == "shared" else index, at.stage))
    return pairings


def drawn_tables(bots: int, size: int, tables: int, seed: int) -> Array:
    """int32[tables, size]: who sits where at each table; the most even of some schedules drawn."""
    tries = max(1, min(TRIES, WORK // (tables * size)))
    best, least = None, (np.inf, np.inf)
    for attempt in range(tries):
        drawn, met = deal(bots, size, tables, derive(seed, attempt))
        unevenness = _unevenness(met)
        if unevenness < least:
            best, least = drawn, unevenness
    assert best is not None
    return best


def deal(bots: int, size: int, tables: int, seed: int) -> tuple[Array, Array]:
    """So many tables, filled in rounds; also how often each two met: int32[bots, bots]."""
    met = np.zeros((bots, bots), np.int32)
    return _deal(bots, size, tables, seed, met, np.zeros(bots, np.int64), tables, False), met


@maker
def _deal(bots: int, size: int, tables: int, seed: int, met: Array, had: Array, target: int, equal: bool) -> Array:
    """Fill table after table with whose turn it is, preferring those who met the others at it least.

    Where some `had` tables before, it is the turn of those who had fewest, until everybody has had `target` (and, to
    be `equal`, all as many). `met` is counted on; of `tables` only as many are returned as were filled.
    """
    drawn = np.zeros((tables, size), np.int32)
    sat = np.zeros((bots, size), np.int32)
    waiting = np.arange(bots).astype(np.int32)
    left = bots
    uneven = had.any()
    for t in range(tables):
        table = drawn[t]
        if uneven:
            if had.min() >= target and (had.max() == had.min() or not equal):
                return drawn[:t]
            left = 0
        for seat in range(size):
            if left == 0 and uneven:
                left = _fewest(had, table[:seat], waiting)
            elif left == 0:
                for bot in range(bots):
                    waiting[bot] = bot
                left = bots
            best, cost = -1, 0
            looked = min(left, WIDTH)
            start = draw(seed, t, 1, seat, left)
            for step in range(left):
                if looked == 0:
                    break
                place = (start + step) % left
                bot = waiting[place]
                new = 0
                for other in range(seat):
                    if table[other] == bot:
                        new = -1
                        break
                    new += met[bot, table[other]] * met[bot, table[other]]
                if new < 0:
                    continue
                looked -= 1
                new = new * 4096 + draw(seed, t, 2 + seat, place, 4096)
                if best < 0 or new < cost:
                    best, cost = place, new
            table[seat] = waiting[best]
            left -= 1
            waiting[best], waiting[left] = waiting[left], waiting[best]
        _seat(table, sat, seed, t)
        for i in range(size):
            for j in range(size):
                met[table[i], table[j]] += i != j
            had[table[i]] += 1
    return drawn


@kernel
def _fewest(had: Array, table: Array, waiting: Array) -> int:
    """Put those who had fewest tables, and don't sit at this one, into `waiting`; how many they are."""
    least, left = -1, 0
    for bot in range(len(had)):
        sits = False
        for other in table:
            sits |= other == bot
        if sits:
            continue
        if least < 0 or had[bot] < least:
            least, left = had[bot], 0
        if had[bot] == least:
            waiting[left] = bot
            left += 1
    return left


@maker
def _seat(table: Array, sat: Array, seed: int, t: int) -> None:
    """Seat a table: for each seat in turn, from a random one on, whoever sat there least; `sat[bot, seat]` counts."""
    size = len(table)
    free = table.copy()
    left = size
    start = draw(seed, t, 0, 0, size)
    for step in range(size):
        seat = (start + step) % size
        best, cost = 0, -1
        for place in range(left):
            often = sat[free[place], seat] * 4096 + draw(seed, t, 0, 1 + step * size + place, 4096)
            if cost < 0 or often < cost:
                best, cost = place, often
        table[seat] = free[best]
        sat[free[best], seat] += 1
        left -= 1
        free[best] = free[left]


def _unevenness(met: Array) -> tuple[float, float]:
    """How far apart the most and the fewest meetings are, then how spread they are."""
    counts = met[np.triu_indices(len(met), 1)].astype(np.int64)
    return float(np.ptp(counts)) if len(counts) else 0.0, float((counts**2).sum())


def pair_spread(bots: int, pairings: Sequence[Pairing]) -> tuple[int, int]:
    """The fewest and the most matches that two bots play against each other."""
    met = np.zeros((bots, bots), dtype=np.int64)
    for pairing in pairings:
        seats = np.array(pairing.seats)
        met[seats[:, None], seats] += 1
    counts = met[np.triu_indices(bots, 1)]
    return (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)
