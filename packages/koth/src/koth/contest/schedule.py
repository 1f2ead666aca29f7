"""The matches of a contest, in order: which bots meet, and at which seats.

A schedule depends only on the seed, bots, matches and format: it is the same on every machine.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from koth.contest.seating import TableFormat
from koth.contest.tables import TableCounts, draw_tables, missing_tables, seat_tables
from koth.game import Array


@dataclass(frozen=True)
class ScheduledMatch:
    """One match to play: `seats` are indices into the contest's list of bots, in seat order.

    Matches of one `block` have the same bots at rotated seats and count as one observation. Matches with the same
    `seed_group` have the same dice.
    """

    number: int
    """The match's number in the contest, from 1; blocks count from 1, too."""
    block: int
    seats: tuple[int, ...]
    seed_group: int
    stage: int = 0
    """The extension of the contest for which the match was drawn; 0: the first stage."""
    round: int = 0
    """The round of the knockout, from 1; 0: a match of the standings."""


def schedule_contest(bots: int, matches: int, seed: int, form: TableFormat) -> list[ScheduledMatch]:
    """Draw the matches of a new contest: every bot plays at least `matches` of them.

    At every point, bots' table counts differ by at most one, and so do a bot's counts per seat; pairs meet as equally
    as the best draw allows.
    """
    return _matches_at(_draw(form, form.tables(bots, matches), seed, TableCounts.of((), bots, form.size)), form)


def schedule_extension(
    counted: Sequence[ScheduledMatch], bots: int, matches: int, seed: int, form: TableFormat, first: ScheduledMatch
) -> list[ScheduledMatch]:
    """Draw matches in addition to the `counted` matches, so that every bot plays at least `matches`.

    The number of new tables is minimal, so never larger than in a new contest. The first new match has the number,
    block, seed group and stage of `first`.
    """
    had = TableCounts.of(tables_of(counted, form).values(), bots, form.size)
    missing = missing_tables(had.tables, form.tables_each(matches), form.size)
    return _matches_at(_draw(form, missing, seed, had), form, first)


def schedule_around_first(rivals: int, count: int, seed: int, form: TableFormat) -> list[ScheduledMatch]:
    """Draw the matches of a contest in which bot 0 plays at each of `count` tables, against the `rivals` in turn.

    Bot 0's seat changes from table to table.
    """
    others = min(form.size - 1, rivals)
    tables = np.insert(1 + _draw(TableFormat(others), count, seed, TableCounts.of((), rivals, others)), 0, 0, axis=1)
    for table in range(count):
        tables[table] = np.roll(tables[table], table % (others + 1))
    return _matches_at(tables, form)


def schedule_round(
    pairs: Sequence[tuple[int, int]], matches: int, seed: int, form: TableFormat, first: ScheduledMatch
) -> list[ScheduledMatch]:
    """Draw a round of a knockout, in which each pair plays at least `matches` matches; `form` has two seats.

    The first match has the number, block and seed group of `first`; all matches have the stage and round of `first`.
    """
    drawn = _draw(form, form.tables(2, matches), seed, TableCounts.of((), 2, 2))
    return _matches_at(np.concatenate([np.array(pair)[drawn] for pair in pairs]), form, first)


def tables_of(matches: Iterable[ScheduledMatch], form: TableFormat) -> dict[int, tuple[int, ...]]:
    """Return each table's bots by the table's number, in the seat order of its first match."""
    tables: dict[int, tuple[int, ...]] = {}
    for match in matches:
        tables.setdefault(form.table(match.block), match.seats)
    return tables


def _draw(form: TableFormat, count: int, seed: int, had: TableCounts) -> Array:
    """Return `count` tables in seat order (int32[count, size]).

    If every table has all bots and is played once, the bots sit in the contest's order.
    """
    if form.size == len(had.tables) and form.rotations == 1:
        return np.tile(np.arange(form.size, dtype=np.int32), (count, 1))
    tables = draw_tables(count, seed, had)
    return tables if form.rotations > 1 else seat_tables(tables, seed, had)


def count_matches(bots: int, matches: Iterable[ScheduledMatch]) -> list[int]:
    """Count the matches of each bot."""
    seats = [bot for match in matches for bot in match.seats]
    return [int(count) for count in np.bincount(np.array(seats, np.int64), minlength=bots)]


def pair_spread(bots: int, matches: Sequence[ScheduledMatch]) -> tuple[int, int]:
    """Return the fewest and the most matches that two bots play against each other."""
    met = np.zeros((bots, bots), dtype=np.int64)
    for match in matches:
        seats = np.array(match.seats)
        met[seats[:, None], seats] += 1
    counts = met[np.triu_indices(bots, 1)]
    return (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)


FIRST_MATCH = ScheduledMatch(1, 1, (), 1)


def _matches_at(tables: Array, form: TableFormat, first: ScheduledMatch = FIRST_MATCH) -> list[ScheduledMatch]:
    """Return the matches at these tables; the first match has the numbers, stage and round of `first`."""
    matches = []
    numbers = itertools.count(first.number)
    for block, table in enumerate(np.repeat(tables, form.variants, axis=0).tolist(), first.block):
        for turn in range(form.rotations):
            number, seats = next(numbers), tuple(table[turn:] + table[:turn])
            group = block if form.seeds == "shared" else number
            matches.append(ScheduledMatch(number, block, seats, group, first.stage, first.round))
    return matches
