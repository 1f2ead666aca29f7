"""Extensions: the requested matches, no more than a fresh contest has, and played matches count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.contest.schedule import ScheduledMatch, count_matches, schedule_contest
from koth.contest.seating import TableFormat, variant_of
from koth.contest.stages import Entrants, extend_schedule, select_counting


def bots(*versions: str) -> Entrants:
    """A field by names and versions: "a1" is the first version of a."""
    return [(text[0], text[1:]) for text in versions]


@dataclass
class History:
    """A contest as it goes on: the fields so far, what was drawn and what was played."""

    table: int
    rotates: bool
    equal: bool
    seed: int
    variants: int = 1
    fields: list[Entrants] = field(default_factory=list)
    drawn: list[ScheduledMatch] = field(default_factory=list)
    played: set[int] = field(default_factory=set)

    @property
    def form(self) -> TableFormat:
        size = min(self.table, len(self.fields[-1]))
        return TableFormat(size, size if self.rotates else 1, self.equal, variants=self.variants)

    @property
    def counted(self) -> list[ScheduledMatch]:
        return select_counting(self.drawn, self.fields, self.form.size)

    def begin(self, entrants: Entrants, matches: int) -> None:
        self.fields.append(entrants)
        self.drawn = schedule_contest(len(entrants), matches, self.seed, self.form)

    def play(self, choose: Callable[[ScheduledMatch], bool] = lambda match: True) -> None:
        self.played |= {match.number for match in self.counted if choose(match)}

    def go_on(self, entrants: Entrants, matches: int) -> tuple[list[ScheduledMatch], list[ScheduledMatch]]:
        """The matches that stay, and the new ones."""
        self.fields.append(entrants)
        stay, new = extend_schedule(self.drawn, self.fields, self.played, matches, self.seed + 1, self.form)
        assert (stay, new) == extend_schedule(self.drawn, self.fields, self.played, matches, self.seed + 1, self.form)
        kept = self.played | {match.number for match in stay}
        self.drawn = [match for match in self.drawn if match.number in kept] + new
        return stay, new


def spread_of_seats(form: TableFormat, count: int, matches: list[ScheduledMatch]) -> int:
    """Return the largest difference between a bot's counts of two seats."""
    seats = np.zeros((count, form.size), np.int64)
    for match in matches:
        seats[list(match.seats), np.arange(form.size)] += 1
    return int(np.ptp(seats, axis=1).max())


def are_whole(form: TableFormat, matches: list[ScheduledMatch]) -> bool:
    """Return whether each table is played once from every seat, or once if it is not rotated."""
    tables = defaultdict(list)
    for match in matches:
        tables[match.block].append(match.seats)
    return all(
        sorted(seats) == sorted(seats[0][turn:] + seats[0][:turn] for turn in range(form.rotations))
        for seats in tables.values()
    )


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["more", "newcomer", "version", "without", "two newcomers", "all new versions"]),
        st.integers(0, 8),
        st.floats(0, 1),
    ),
    min_size=1,
    max_size=3,
)
"""Of each extension: what changes, how many more matches, and the share of the matches so far that was played."""


def changed(entrants: Entrants, how: str, number: int) -> Entrants:
    """The field after such a change, the number-th of the contest."""
    match how:
        case "newcomer":
            return [*entrants, (f"new{number}", "1")]
        case "two newcomers":
            return [*entrants, (f"new{number}", "1"), (f"newer{number}", "1")]
        case "version":
            return [(entrants[0][0], f"v{number}"), *entrants[1:]]
        case "all new versions":
            return [(name, f"v{number}") for name, _ in entrants]
        case "without":
            return entrants[1:] if len(entrants) > 1 else entrants
    return entrants


@given(
    st.integers(1, 10),
    st.integers(1, 5),
    st.integers(1, 16),
    st.booleans(),
    st.booleans(),
    st.integers(0, 5),
    st.integers(1, 3),
    CHANGES,
    st.randoms(use_true_random=False),
)
def test_what_an_extension_promises(
    count: int,
    table: int,
    matches: int,
    rotates: bool,
    equal: bool,
    seed: int,
    variants: int,
    changes: Any,
    random: Any,
) -> None:
    contest = History(table, rotates, equal, seed, variants)
    contest.begin([(f"b{k}", "1") for k in range(count)], matches)
    for number, (how, more, share) in enumerate(changes):
        contest.play(lambda match, share=share: random.random() < share)  # others void, or never come to
        matches += more
        before = contest.drawn
        stay, new = contest.go_on(changed(contest.fields[-1], how, number), matches)
        form, entrants = contest.form, len(contest.fields[-1])
        assert contest.counted == stay + new
        assert min(count_matches(entrants, stay + new)) >= matches
        begun = {form.table(match.block) for match in stay if match.number in contest.played}
        to_begin = {form.table(match.block) for match in stay + new} - begun
        assert len(to_begin) <= form.tables(entrants, matches)  # a fresh contest has so many
        lost = contest.played - {match.number for match in stay}
        assert not lost & {match.number for match in select_counting(before, contest.fields, form.size)}
        assert are_whole(form, stay + new)
        met = Counter((tuple(sorted(m.seats)), variant_of(m.block) % variants) for m in stay + new)
        assert all(len({met[table, k] for k in range(variants)}) == 1 for table, _ in met), "each variant as often"
        if form.size < entrants:
            # Swaps of two bots even seats out; where no swap helps, three of a seat and none of another may be left,
            # in each variant: a table has the same seats in all of them.
            spread = spread_of_seats(form, entrants, stay)
            assert spread_of_seats(form, entrants, stay + new) <= max(3 * variants, spread)
        assert not {m.number for m in new} & {m.number for m in before}
        assert not {m.seed_group for m in new} & {m.seed_group for m in before}
        assert (
            extend_schedule(contest.drawn, contest.fields, {m.number for m in stay + new}, matches, 9, form)[1] == []
        )


def entrants(count: int, changed: int = 0) -> Entrants:
    """So many bots, of which the first few have a new version."""
    return [(f"b{k}", "2" if k < changed else "1") for k in range(count)]


@pytest.mark.parametrize(
    ("table", "rotates", "equal", "before", "after", "matches", "new_matches"),
    [
        (4, True, False, entrants(4), entrants(4, 1), 8, 8),
        (4, True, False, entrants(4), entrants(4, 1), 24, 24),
        (4, True, False, entrants(4), entrants(4, 1), 48, 48),
        (4, True, False, entrants(8), entrants(8, 8), 24, 48),
        (4, True, False, entrants(24), entrants(25), 24, 24),
        (8, False, True, entrants(8), entrants(9), 20, 20),
        (3, False, False, entrants(9), entrants(10), 24, 24),
        (5, False, False, entrants(5), entrants(5, 1), 9, 9),
        (4, True, False, entrants(9), entrants(8), 24, 8),
        (4, True, False, entrants(3), entrants(4), 24, 24),
    ],
)
def test_as_few_matches_as_can_be_are_new(
    table: int, rotates: bool, equal: bool, before: Entrants, after: Entrants, matches: int, new_matches: int
) -> None:
    """After a contest that was played to its end."""
    contest = History(table, rotates, equal, 1)
    contest.begin(before, matches)
    contest.play()
    stay, new = contest.go_on(after, matches)
    assert (len(new), min(count_matches(len(after), stay + new)) >= matches) == (new_matches, True)


@pytest.mark.parametrize("played", [0, 1, 13, 50])
def test_a_contest_that_was_broken_off_gets_the_same_matches_as_one_that_was_not(played: int) -> None:
    """With more matches for the same bots; with a newcomer it is not longer than a fresh one."""
    contest = History(4, True, False, 1)
    contest.begin(entrants(9), 24)
    contest.play(lambda match: match.number <= played)
    stay, new = contest.go_on(entrants(9), 48)
    whole = History(4, True, False, 1)
    whole.begin(entrants(9), 24)
    whole.play()
    assert (stay, new) == whole.go_on(entrants(9), 48)
    newcomer = History(8, False, True, 1)
    newcomer.begin(entrants(8), 20)
    newcomer.play(lambda match: match.number <= played)
    stay, new = newcomer.go_on(entrants(9), 20)
    to_play = [match for match in stay + new if match.number not in newcomer.played]
    assert len(to_play) == max(20, -(-(9 * 20 - 8 * min(played, 20)) // 8))


def test_matches_with_a_version_that_is_gone_do_not_count() -> None:
    contest = History(2, False, False, 1)
    contest.begin(entrants(6), 8)
    contest.play()
    stay, new = contest.go_on(entrants(6, 1), 8)
    assert stay == [match for match in contest.drawn if match.stage == 0 and 0 not in match.seats]
    assert sum(0 in match.seats for match in new) == 8


def test_where_all_play_in_one_match_another_field_begins_anew() -> None:
    for count, counted in ((3, 5), (4, 0)):
        contest = History(9, False, False, 1)
        contest.begin(entrants(3), 5)
        contest.play()
        stay, new = contest.go_on(entrants(count), 7)
        assert (len(stay), len(stay + new)) == (counted, 7)
