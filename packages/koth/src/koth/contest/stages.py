"""Extensions of a contest by more matches or other bots: which matches count now, and which are missing.

A match counts if all its bots are still entrants, with the same digests, and if it has the current number of seats;
knockout matches never count. So an extension plays missing matches only; but if all bots play in every match, a
changed list of entrants means that all matches are played again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

import numpy as np

from koth.contest.schedule import ScheduledMatch, schedule_extension, tables_of
from koth.contest.seating import TableFormat
from koth.contest.tables import missing_tables

Entrants = Sequence[tuple[str, str]]
"""All entrants' names and digests, in the contest's order."""


def select_counting(
    matches: Iterable[ScheduledMatch], entrants: Sequence[Entrants], size: int
) -> list[ScheduledMatch]:
    """Return the matches that count for the last entrants, with seats as indices into the list of last entrants."""
    places = {bot: place for place, bot in enumerate(entrants[-1])}
    found = []
    for match in matches:
        if match.round:
            continue
        if match.stage == len(entrants) - 1:
            found.append(match)
        elif len(match.seats) == size:
            seats = [places.get(entrants[match.stage][place]) for place in match.seats]
            if None not in seats:
                found.append(replace(match, seats=tuple(seat for seat in seats if seat is not None)))
    return found


def extend_schedule(
    drawn: Sequence[ScheduledMatch],
    entrants: Sequence[Entrants],
    played: Set[int],
    matches: int,
    seed: int,
    form: TableFormat,
) -> tuple[list[ScheduledMatch], list[ScheduledMatch]]:
    """Return the matches of a contest extended to the last entrants: kept matches, and new matches.

    `played` are the numbers of played matches. Each bot gets at least `matches` matches; new matches are no more than
    in a new contest.
    """
    stay = _keep_useful(select_counting(drawn, entrants, form.size), played, len(entrants[-1]), matches, form)
    last, last_block = max(match.number for match in drawn), max(match.block for match in drawn)
    first = ScheduledMatch(last + 1, last_block + 1, (), 0, len(entrants) - 1)
    return stay, schedule_extension(stay, len(entrants[-1]), matches, seed, form, first)


def _keep_useful(
    counted: Sequence[ScheduledMatch], played: Set[int], bots: int, matches: int, form: TableFormat
) -> list[ScheduledMatch]:
    """Return the matches that count, without unstarted tables that do not save a new table.

    With all unstarted tables, extending an interrupted contest could take more matches than a new contest.
    """
    begun = {form.table(match.block) for match in counted if match.number in played}
    had = np.zeros(bots, np.int64)
    stays = set()
    for table, bots_of_it in sorted(tables_of(counted, form).items(), key=lambda found: found[0] not in begun):
        more = had.copy()
        more[list(bots_of_it)] += 1
        missing = [missing_tables(each, form.tables_each(matches), form.size) for each in (had, more)]
        if table in begun or missing[1] < missing[0]:
            stays.add(table)
            had = more
    return [match for match in counted if form.table(match.block) in stays]
