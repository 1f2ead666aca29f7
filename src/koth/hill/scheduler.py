"""The choice of the next table of a hill, with its reason: a function of the matches so far, without side effects.

By rating, new versions come first, until they are placed; then neighbours in the table whose order is not settled;
then all evenly. Within each, authors with the fewest of the latest tables come first. By score, every two versions
meet equally often, as opponents chosen by strength would bias a mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

PLACEMENT_TABLES = 20
"""The number of tables after which a version is placed."""
RECENT_TABLES = 200
"""The number of latest tables in which each author's share is counted."""
MOST_MEETINGS = 100
"""The number of meetings after which neighbours count as settled: they are too close to be ordered."""
EVEN_SHARE = 4
"""One table in this number is drawn evenly among all bots, even while neighbours are not settled."""
REFIT_SHARE = 100
"""Ratings are recomputed when a season has grown by one part in this number, at first after each match."""
MEETING_COST = 100.0
"""The rating difference that one meeting fewer outweighs in the choice of an opponent."""
SAME_AUTHOR_COST = 1e6
"""The rating difference that keeps bots of one author apart: they meet only if there are no others."""


@dataclass(frozen=True)
class Candidate:
    """A version that plays: its number of tables, its rating, and half the width of its interval."""

    version: int
    name: str
    author: str
    tables: int = 0
    rating: float = 1000.0
    margin: float = float("inf")

    @property
    def is_new(self) -> bool:
        """Return whether it is not placed yet."""
        return self.tables < PLACEMENT_TABLES

    def overlaps(self, other: Candidate) -> bool:
        """Return whether the intervals of both ratings overlap."""
        return abs(self.rating - other.rating) <= self.margin + other.margin


@dataclass(frozen=True)
class PlannedTable:
    """The next table: versions in seat order, the one it is for, and why."""

    seats: tuple[int, ...]
    focus: int
    why: str


class PlanCounts:
    """Counts of a season for the scheduler: tables of each version, meetings, the latest authors."""

    def __init__(self) -> None:
        self.tables: Counter[int] = Counter()
        self.meetings: Counter[tuple[int, int]] = Counter()
        self.recent: list[str] = []
        """Authors of the latest tables, the last one last."""
        self.count = 0

    def add(self, seats: Sequence[int], author: str) -> None:
        """Count a table with these versions, chosen for a bot of this author."""
        self.add_all(1, Counter(seats), {(a, b): 1 for a in seats for b in seats if a < b}, [author])

    def add_all(
        self, count: int, tables: Mapping[int, int], meetings: Mapping[tuple[int, int], int], authors: Sequence[str]
    ) -> None:
        """Add the counts of several tables: per version, per pair that met, and the authors of the latest ones."""
        self.count += count
        self.tables.update(tables)
        self.meetings.update(meetings)
        self.recent = [*self.recent, *authors][-RECENT_TABLES:]

    def count_meetings(self, one: int, other: int) -> int:
        """Return the number of tables at which both sat."""
        return self.meetings[min(one, other), max(one, other)]

    def count_meetings_among(self, versions: AbstractSet[int]) -> Counter[int]:
        """Return the number of meetings of each of these versions with the others."""
        found: Counter[int] = Counter()
        for (one, other), times in self.meetings.items():
            if one in versions and other in versions:
                found[one] += times
                found[other] += times
        return found


def choose(candidates: Iterable[Candidate], tally: PlanCounts, size: int) -> PlannedTable:
    """Choose the next table of `size` seats; there must be at least `size` candidates."""
    everybody = sorted(candidates, key=lambda candidate: candidate.version)
    spent = Counter(tally.recent)
    focus, beside, why = _choose_focus(everybody, tally, spent)
    seated = [focus, *beside]
    while len(seated) < size:
        taken = {candidate.version for candidate in seated}
        seated.append(min((c for c in everybody if c.version not in taken), key=lambda c: _cost(c, seated, tally)))
    return _make_table(seated, why, tally)


def choose_evenly(candidates: Iterable[Candidate], tally: PlanCounts, size: int) -> PlannedTable:
    """Choose the next table so that every two versions meet equally often; there must be `size` candidates.

    It is chosen for the version that met the others least. Authors whose share of the latest tables exceeds that of
    their bots by more than `PLACEMENT_TABLES` tables wait, so that many new versions do not keep others from playing.
    """
    everybody = sorted(candidates, key=lambda candidate: candidate.version)
    spent, bots = Counter(tally.recent), Counter(candidate.author for candidate in everybody)
    total = tally.count_meetings_among({candidate.version for candidate in everybody})
    seated: list[Candidate] = []

    def order(candidate: Candidate) -> tuple[bool, int, int, int, int]:
        share = len(tally.recent) * bots[candidate.author] / len(everybody)
        waits = spent[candidate.author] > PLACEMENT_TABLES + share
        met = sum(tally.count_meetings(candidate.version, other.version) for other in seated)
        return waits, met, total[candidate.version], spent[candidate.author], candidate.version

    while len(seated) < size:
        seated.append(min((candidate for candidate in everybody if candidate not in seated), key=order))
    focus = seated[0]
    why = f"every two meet equally often: {focus.name} met the others least, {total[focus.version]:,} times"
    return _make_table(seated, why, tally)


def _make_table(seated: Sequence[Candidate], why: str, tally: PlanCounts) -> PlannedTable:
    """Return the table of these candidates, with its version first, at seats that change when they meet again."""
    rivals = ", ".join(candidate.name for candidate in seated[1:])
    seats = tuple(sorted(candidate.version for candidate in seated))
    shift = tally.count_meetings(*seats[:2]) % len(seats) if len(seats) > 1 else 0
    whole = f"{why}; at the table with {rivals}" if rivals else why
    return PlannedTable(seats[shift:] + seats[:shift], seated[0].version, whole)


def _choose_focus(
    everybody: Sequence[Candidate], tally: PlanCounts, spent: Mapping[str, int]
) -> tuple[Candidate, list[Candidate], str]:
    """Return the version for which the table is chosen, a rival that it must meet, if any, and the reason."""
    fair = len(tally.recent) / len({candidate.author for candidate in everybody}) + PLACEMENT_TABLES
    new = [c for c in everybody if c.is_new and spent[c.author] <= fair]
    if new:
        focus = min(new, key=lambda c: (spent[c.author], c.version))
        why = f"{focus.name} of {focus.author} is new: {focus.tables} of its first {PLACEMENT_TABLES} tables"
        return focus, [], why
    ordered = sorted(everybody, key=lambda c: (-c.rating, c.version))
    unsettled = [
        (one, other)
        for one, other in pairwise(ordered)
        if one.overlaps(other)
        and tally.count_meetings(one.version, other.version) < MOST_MEETINGS
        and one.author != other.author
    ]
    if unsettled and tally.count % EVEN_SHARE:
        pair = min(unsettled, key=lambda p: (spent[p[0].author] + spent[p[1].author], p[0].tables + p[1].tables))
        focus, rival = sorted(pair, key=lambda c: (spent[c.author], c.tables, c.version))
        times = tally.count_meetings(focus.version, rival.version)
        met = f"after {times} tables together" if times else "and have never met"
        return focus, [rival], f"{pair[0].name} and {pair[1].name} are neighbours, not settled {met}"
    focus = min(everybody, key=lambda c: (spent[c.author], c.tables, c.version))
    had = spent[focus.author]
    return focus, [], f"everybody evenly: {focus.author} had {had} of the last {len(tally.recent)} tables"


def _cost(candidate: Candidate, seated: Sequence[Candidate], tally: PlanCounts) -> tuple[float, int]:
    """Return the cost of seating a candidate: distance from the focus, earlier meetings, an author seated already."""
    cost = abs(candidate.rating - seated[0].rating)
    cost += MEETING_COST * sum(tally.count_meetings(candidate.version, other.version) for other in seated)
    cost += SAME_AUTHOR_COST * sum(candidate.author == other.author for other in seated)
    return cost, candidate.version
