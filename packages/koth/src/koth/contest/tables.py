"""The tables (groups of bots that play together) of a contest: which bots meet, and at which seats.

Tables are a function of the seed and of the bots' earlier tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from koth.contest.round_robin import round_robins
from koth.game import Array
from koth.kernel import kernel
from koth.rng import derive, draw

MOST_ATTEMPTS = 40
"""The number of random draws of a small contest's tables; the most even draw is used."""
MOST_COMPARISONS = 4_000_000
"""The number of compared candidates for seats above which tables are drawn fewer than `MOST_ATTEMPTS` times."""
FREE_SEAT = -1
"""The mark of a seat that has not been taken yet."""


@dataclass(frozen=True)
class TableCounts:
    """Counts of tables (int64[bots]), meetings (int32[bots, bots]) and seats taken (int64[bots, size]) so far."""

    tables: Array
    met: Array
    seats: Array

    @classmethod
    def of(cls, tables: Iterable[Sequence[int]], bots: int, size: int) -> TableCounts:
        """Count tables; a table lists bots in seat order."""
        tally = cls(np.zeros(bots, np.int64), np.zeros((bots, bots), np.int32), np.zeros((bots, size), np.int64))
        for table in tables:
            seated = np.array(table)
            tally.tables[seated] += 1
            tally.met[np.ix_(seated, seated)] += ~np.eye(size, dtype=bool)
            tally.seats[seated, np.arange(size)] += 1
        return tally


def missing_tables(had: Array, wanted: int, size: int) -> int:
    """Return the least number of tables of `size` seats that raises each bot's count from `had` to `wanted`."""
    missing = np.maximum(wanted - had, 0)
    return max(int(missing.max()), -(-int(missing.sum()) // size))


def draw_tables(count: int, seed: int, had: TableCounts) -> Array:
    """Draw `count` tables for bots that already `had` others: int32[count, size], each table's bots in any order.

    Tables of two form round robins if all pairs have met equally often so far. Otherwise several draws are made, and
    the draw in which pairs meet most equally is used.
    """
    bots, size = had.seats.shape
    if size == 2 and np.ptp(had.tables) == 0 and _unevenness(had.met)[0] == 0:
        return np.array(list(islice(round_robins(bots, seed), count)), np.int32).reshape(-1, 2)

    def attempt(number: int) -> tuple[Array, Array]:
        met = had.met.copy()
        return _fill_tables(count, size, derive(seed, number), had.tables.copy(), met), met

    tries = max(1, min(MOST_ATTEMPTS, MOST_COMPARISONS // max(1, count * size * bots)))
    tables, _ = min(map(attempt, range(tries)), key=lambda found: _unevenness(found[1]))
    return tables


def seat_tables(tables: Array, seed: int, had: TableCounts) -> Array:
    """Put each table's bots in seat order, so that bots, counting the tables they `had`, take all seats evenly."""
    seated, seats = _assign_seats(tables, len(had.tables), seed), had.seats.copy()
    np.add.at(seats, (seated, np.arange(tables.shape[1])), 1)
    _even_out(seated, seats)
    return seated


def _unevenness(met: Array) -> tuple[float, float]:
    """Return the difference between the most and the fewest meetings of a pair, and the sum of squared meetings."""
    counts = met[np.triu_indices(len(met), 1)].astype(np.int64)
    return float(np.ptp(counts)) if len(counts) else 0.0, float((counts**2).sum())


@kernel(allocates=True)
def _fill_tables(tables: int, size: int, seed: int, had: Array, met: Array) -> Array:
    """Fill tables with bots that `had` the fewest tables; of these, with bots that `met` the table's bots least.

    Updates both arrays. Taking the bots with the fewest tables minimises the number of tables.
    """
    bots = len(had)
    filled = np.zeros((tables, size), np.int32)
    for t in range(tables):
        sits = np.zeros(bots, np.bool_)
        often = np.zeros(bots, np.int64)
        for seat in range(size):
            best, least = -1, 0
            for bot in range(bots):
                if sits[bot] or (best >= 0 and had[bot] > had[best]):
                    continue
                cost = often[bot] * 4096 + draw(seed, t, 1 + seat, bot, 4096)
                if best < 0 or had[bot] < had[best] or cost < least:
                    best, least = bot, cost
            filled[t, seat] = best
            sits[best] = True
            for bot in range(bots):
                often[bot] += met[bot, best] * met[bot, best]
        for i in range(size):
            had[filled[t, i]] += 1
            for j in range(size):
                met[filled[t, i], filled[t, j]] += i != j
    return filled


@kernel(allocates=True)
def _assign_seats(tables: Array, bots: int, seed: int) -> Array:
    """Arrange each table so that every bot takes each seat once before taking a seat again.

    The arrangement is an edge colouring, which always exists (König): each bot's tables form groups whose size is the
    number of seats, and no seat is taken twice at a table or twice in a group.
    """
    count, size = tables.shape
    had = np.zeros(bots, np.int64)
    for bot in tables.flat:
        had[bot] += 1
    groups = had.max() // max(size, 1) + 1  # of a bot
    table_at = np.full((bots * groups, size), FREE_SEAT)
    group_at = np.full((count, size), FREE_SEAT)
    had[:] = 0
    for t in range(count):
        for place in range(size):
            bot = tables[t, place]
            group = bot * groups + had[bot] // size
            had[bot] += 1
            start = draw(seed, t, 0, place, size)
            at_table, in_group = FREE_SEAT, FREE_SEAT
            for step in range(size):
                seat = (start + step) % size
                if group_at[t, seat] == FREE_SEAT and table_at[group, seat] == FREE_SEAT:
                    at_table, in_group = seat, seat
                    break
                if group_at[t, seat] == FREE_SEAT:
                    at_table = seat
                elif table_at[group, seat] == FREE_SEAT:
                    in_group = seat
            _take_seat(table_at, group_at, t, group, at_table, in_group)
    seated: Array = (group_at // groups).astype(np.int32)
    return seated


@kernel
def _take_seat(table_at: Array, group_at: Array, t: int, group: int, seat: int, other: int) -> None:
    """Give a group a `seat` that is free at table t; the seat `other` is free in the group.

    If the group already has `seat` at another table, swap both seats there, and so on along the chain.
    """
    while True:
        before = table_at[group, seat]
        table_at[group, seat] = t
        group_at[t, seat] = group
        if before == FREE_SEAT:
            return
        t = before
        rival = group_at[t, other]
        table_at[group, other] = t
        group_at[t, other] = group
        if rival == FREE_SEAT:
            group_at[t, seat] = FREE_SEAT
            return
        table_at[rival, other] = FREE_SEAT
        group = rival


@kernel
def _even_out(tables: Array, had: Array) -> None:
    """Swap pairs of bots within tables while swaps even out how often bots `had` each seat (with these tables)."""
    changed = True
    while changed:
        changed = False
        for table in tables:
            for one in range(len(table)):
                for other in range(one):
                    a, b = table[one], table[other]
                    if had[a, one] - had[a, other] + had[b, other] - had[b, one] > 2:
                        had[a, one] -= 1
                        had[a, other] += 1
                        had[b, other] -= 1
                        had[b, one] += 1
                        table[one], table[other] = b, a
                        changed = True
