"""The choice of a hill's next group of bots that play together: a function of the matches so far.

By rating, new versions come first, until they are placed; then neighbours in the standings whose order is not
settled; then all evenly. Among these, authors with the fewest of the latest groups come first. By score, every two
versions meet equally often: opponents chosen by strength would bias a mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

PLACEMENT_GROUPS = 20
"""The number of groups in which a version must play to be placed."""
RECENT_GROUPS = 200
"""The number of latest groups in which the scheduler counts each author's share."""
MOST_MEETINGS = 100
"""The number of meetings after which neighbours count as settled: such bots are too close to be ordered."""
EVEN_SHARE = 4
"""One group in this number is chosen evenly among all bots, even while neighbours are not settled."""
REFIT_SHARE = 100
"""A season that has grown by one part in this number gets new ratings; at first that is after each match."""
MEETING_COST = 100.0
"""The rating difference that counts as much as one earlier meeting in the choice of an opponent."""
SAME_AUTHOR_COST = 1e6
"""The rating difference that keeps an author's bots apart: such bots meet only if no other bots are left."""


@dataclass(frozen=True)
class Candidate:
    """A version that plays: its number of groups, its rating, and half the width of the rating's interval."""

    version: int
    author: str
    groups: int = 0
    rating: float = 1000.0
    margin: float = float("inf")

    @property
    def is_new(self) -> bool:
        """Return whether the version is not placed yet."""
        return self.groups < PLACEMENT_GROUPS

    def overlaps(self, other: Candidate) -> bool:
        """Return whether the intervals of both ratings overlap."""
        return abs(self.rating - other.rating) <= self.margin + other.margin


@dataclass(frozen=True)
class PlannedGroup:
    """The next group: versions in seat order, and the version for which the group is chosen."""

    seats: tuple[int, ...]
    focus: int


class PairingHistory:
    """Counts of a season for the scheduler: each version's groups, meetings, and the latest authors."""

    def __init__(self) -> None:
        self.groups: Counter[int] = Counter()
        self.meetings: Counter[tuple[int, int]] = Counter()
        self.recent: list[str] = []
        """The authors for whose bots the latest groups were chosen, oldest first."""
        self.count = 0

    def add(self, seats: Sequence[int], author: str) -> None:
        """Count a group with these versions, chosen for a bot of this author."""
        self.add_all(1, Counter(seats), {(a, b): 1 for a in seats for b in seats if a < b}, [author])

    def add_all(
        self, count: int, groups: Mapping[int, int], meetings: Mapping[tuple[int, int], int], authors: Sequence[str]
    ) -> None:
        """Add the counts of several groups: per version, per pair that met, and the authors of the latest groups."""
        self.count += count
        self.groups.update(groups)
        self.meetings.update(meetings)
        self.recent = [*self.recent, *authors][-RECENT_GROUPS:]

    def count_meetings(self, one: int, other: int) -> int:
        """Return the number of groups that contained both versions."""
        return self.meetings[min(one, other), max(one, other)]

    def count_meetings_among(self, versions: AbstractSet[int]) -> Counter[int]:
        """Return the number of each version's meetings with the other versions."""
        found: Counter[int] = Counter()
        for (one, other), times in self.meetings.items():
            if one in versions and other in versions:
                found[one] += times
                found[other] += times
        return found


def choose(candidates: Iterable[Candidate], history: PairingHistory, size: int) -> PlannedGroup:
    """Choose the next group of `size` bots by rating; needs at least `size` candidates."""
    everybody = sorted(candidates, key=lambda candidate: candidate.version)
    spent = Counter(history.recent)
    seated = _choose_first(everybody, history, spent)
    while len(seated) < size:
        taken = {candidate.version for candidate in seated}
        seated.append(min((c for c in everybody if c.version not in taken), key=lambda c: _cost(c, seated, history)))
    return _make_group(seated, history)


def choose_evenly(candidates: Iterable[Candidate], history: PairingHistory, size: int) -> PlannedGroup:
    """Choose the next group so that every two versions meet equally often; needs at least `size` candidates.

    The first seat goes to the version with the fewest meetings. Authors with over `PLACEMENT_GROUPS` recent groups
    more than their bots' share come last, so that many new versions do not keep others from playing.
    """
    everybody = sorted(candidates, key=lambda candidate: candidate.version)
    spent, bots = Counter(history.recent), Counter(candidate.author for candidate in everybody)
    total = history.count_meetings_among({candidate.version for candidate in everybody})
    seated: list[Candidate] = []

    def order(candidate: Candidate) -> tuple[bool, int, int, int, int]:
        share = len(history.recent) * bots[candidate.author] / len(everybody)
        waits = spent[candidate.author] > PLACEMENT_GROUPS + share
        met = sum(history.count_meetings(candidate.version, other.version) for other in seated)
        return waits, met, total[candidate.version], spent[candidate.author], candidate.version

    while len(seated) < size:
        seated.append(min((candidate for candidate in everybody if candidate not in seated), key=order))
    return _make_group(seated, history)


def _make_group(seated: Sequence[Candidate], history: PairingHistory) -> PlannedGroup:
    """Return a group of these candidates, chosen for the first; seats rotate when the same candidates meet again."""
    seats = tuple(sorted(candidate.version for candidate in seated))
    shift = history.count_meetings(*seats[:2]) % len(seats) if len(seats) > 1 else 0
    return PlannedGroup(seats[shift:] + seats[:shift], seated[0].version)


def _choose_first(
    everybody: Sequence[Candidate], history: PairingHistory, spent: Mapping[str, int]
) -> list[Candidate]:
    """Return the version for which the group is chosen, and the rival that this version must meet, if any."""
    fair = len(history.recent) / len({candidate.author for candidate in everybody}) + PLACEMENT_GROUPS
    new = [c for c in everybody if c.is_new and spent[c.author] <= fair]
    if new:
        return [min(new, key=lambda c: (spent[c.author], c.version))]
    ordered = sorted(everybody, key=lambda c: (-c.rating, c.version))
    unsettled = [
        (one, other)
        for one, other in pairwise(ordered)
        if one.overlaps(other)
        and history.count_meetings(one.version, other.version) < MOST_MEETINGS
        and one.author != other.author
    ]
    if unsettled and history.count % EVEN_SHARE:
        pair = min(unsettled, key=lambda p: (spent[p[0].author] + spent[p[1].author], p[0].groups + p[1].groups))
        return sorted(pair, key=lambda c: (spent[c.author], c.groups, c.version))
    return [min(everybody, key=lambda c: (spent[c.author], c.groups, c.version))]


def _cost(candidate: Candidate, seated: Sequence[Candidate], history: PairingHistory) -> tuple[float, int]:
    """Return a candidate's cost: rating distance from the first, earlier meetings, same author as a seated one."""
    cost = abs(candidate.rating - seated[0].rating)
    cost += MEETING_COST * sum(history.count_meetings(candidate.version, other.version) for other in seated)
    cost += SAME_AUTHOR_COST * sum(candidate.author == other.author for other in seated)
    return cost, candidate.version
