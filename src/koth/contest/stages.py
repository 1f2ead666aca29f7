"""Extensions of a contest by more matches or other bots: which of its matches count now, and which are still missing.

A match counts if all its bots are still entrants, with the same digests, and if it has as many seats as matches have
now; none of a knockout counts. So at tables only missing matches are played; where all bots play in one match, other
entrants mean new matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

import numpy as np

from koth.contest.schedule import ScheduledMatch, schedule_extension, tables_of
from koth.contest.seating import Format
from koth.contest.tables import missing_tables

Entrants = Sequence[tuple[str, str]]
"""Name and digest of all entrants, by place."""


def select_counting(
    matches: Iterable[ScheduledMatch], entrants: Sequence[Entrants], size: int
) -> list[ScheduledMatch]:
    """Return the matches that count for the last entrants, their seats as places among them."""
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
    form: Format,
) -> tuple[list[ScheduledMatch], list[ScheduledMatch]]:
    """Return the matches of a contest extended to the last entrants: those that stay, and new ones.

    `played` are those of the `drawn` matches that were played. Each bot gets at least `matches`, and there are no
    more new ones than in a fresh contest.
    """
    stay = _keep_useful(select_counting(drawn, entrants, form.size), played, len(entrants[-1]), matches, form)
    last, last_block = max(match.number for match in drawn), max(match.block for match in drawn)
    first = ScheduledMatch(last + 1, last_block + 1, (), 0, len(entrants) - 1)
    return stay, schedule_extension(stay, len(entrants[-1]), matches, seed, form, first)


def _keep_useful(
    counted: Sequence[ScheduledMatch], played: Set[int], bots: int, matches: int, form: Format
) -> list[ScheduledMatch]:
    """Return the matches that count, without unstarted tables that do not save a new one.

    If all unstarted tables stayed, a newcomer would make an interrupted contest longer than a fresh one.
    """
    begun = {match.block for match in counted if match.number in played}
    had = np.zeros(bots, np.int64)
    stays = set()
    for block, table in sorted(tables_of(counted).items(), key=lambda found: found[0] not in begun):
        more = had.copy()
        more[list(table)] += 1
        missing = [missing_tables(each, form.tables_each(matches), form.size) for each in (had, more)]
        if block in begun or missing[1] < missing[0]:
            stays.add(block)
            had = more
    return [match for match in counted if match.block in stays]
