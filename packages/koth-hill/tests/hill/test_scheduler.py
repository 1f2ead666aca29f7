"""Which match is next: new versions, unsettled neighbours, everybody; fairly for each author."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from koth_hill.scheduler import (
    EVEN_SHARE,
    MOST_MEETINGS,
    PLACEMENT_GROUPS,
    RECENT_GROUPS,
    Candidate,
    PairingHistory,
    PlannedGroup,
    choose,
    choose_evenly,
)


def candidate(version: int, author: str = "", **more: float) -> Candidate:
    return Candidate(version, author or f"author{version}", **more)  # type: ignore[arg-type]


def placed(version: int, rating: float, margin: float = 10.0, author: str = "") -> Candidate:
    return candidate(version, author, groups=PLACEMENT_GROUPS, rating=rating, margin=margin)


def played(groups: int, candidates: list[Candidate], size: int = 2) -> tuple[list[PlannedGroup], PairingHistory]:
    """So many groups, one after the other; ratings stay."""
    history, chosen = PairingHistory(), []
    authors = {c.version: c.author for c in candidates}
    for _ in range(groups):
        now = [Candidate(c.version, c.author, history.groups[c.version], c.rating, c.margin) for c in candidates]
        table = choose(now, history, size)
        history.add(table.seats, authors[table.focus])
        chosen.append(table)
    return chosen, history


def test_a_new_version_comes_first_and_meets_its_nearest() -> None:
    table = choose([placed(1, 900), placed(2, 1100), placed(3, 1310), candidate(4, rating=1250)], PairingHistory(), 2)
    assert (table.focus, set(table.seats)) == (4, {3, 4})


def test_who_was_met_often_makes_room() -> None:
    history = PairingHistory()
    history.add((3, 4), "author4")
    bots = [placed(2, 1100), placed(3, 1310), candidate(4, rating=1270)]
    assert set(choose(bots, history, 2).seats) == {3, 4}
    history.add((3, 4), "author4")
    assert set(choose(bots, history, 2).seats) == {2, 4}


def test_the_older_of_an_authors_new_versions_is_placed_first() -> None:
    chosen, _ = played(3, [placed(1, 1000), candidate(2, "anna"), candidate(3, "anna"), candidate(4, "ben")])
    assert [table.focus for table in chosen if table.focus in (2, 3)] == [2]


def test_neighbours_that_are_not_settled_meet() -> None:
    history = PairingHistory()
    history.count = 1
    table = choose([placed(1, 1500), placed(2, 1000), placed(3, 1015), placed(4, 500)], history, 2)
    assert set(table.seats) == {2, 3}


def test_neighbours_too_close_to_be_told_apart_are_left_alone() -> None:
    history = PairingHistory()
    for _ in range(MOST_MEETINGS):
        history.add((2, 3), "author2")
    history.count += history.count % EVEN_SHARE == 0
    table = choose([placed(1, 1500), placed(2, 1000), placed(3, 1015), placed(4, 500)], history, 2)
    assert (table.focus, set(table.seats)) == (1, {1, 3}), "evenly"


def test_some_tables_go_to_everybody_though_neighbours_are_not_settled() -> None:
    bots = [placed(1, 1500), placed(2, 1000), placed(3, 1015), placed(4, 500)]
    history = PairingHistory()
    neighbours = 0
    for _ in range(40):
        table = choose(bots, history, 2)
        history.add(table.seats, f"author{table.focus}")
        neighbours += set(table.seats) == {2, 3}
    assert neighbours == 30


def test_an_author_with_many_bots_has_no_more_than_others() -> None:
    bots = [candidate(number, "many", margin=1.0, rating=1000.0 + 50 * number) for number in range(1, 21)]
    bots += [candidate(number, margin=1.0, rating=1000.0 + 50 * number) for number in range(21, 25)]
    _, history = played(1000, bots)
    share = Counter(history.recent)
    assert len(history.recent) == RECENT_GROUPS
    assert all(abs(had - RECENT_GROUPS / 5) <= 2 for had in share.values()), share


def test_a_flood_of_new_versions_keeps_nobody_from_playing() -> None:
    flood = [candidate(number, "flood") for number in range(1, 200)]
    _, history = played(RECENT_GROUPS, [*flood, *(placed(number, 1000) for number in range(200, 209))])
    share = Counter(history.recent)
    assert share["flood"] <= RECENT_GROUPS / 10 + PLACEMENT_GROUPS + 1
    assert min(share[f"author{number}"] for number in range(200, 209)) > 0


def test_bots_of_one_author_meet_only_where_there_are_no_others() -> None:
    bots = [candidate(1, "anna"), candidate(2, "anna"), candidate(3, "ben", rating=2000)]
    _, history = played(30, bots)
    assert history.count_meetings(1, 2) == 0
    assert set(choose(bots[:2], PairingHistory(), 2).seats) == {1, 2}


def test_seats_change() -> None:
    chosen, _ = played(4, [candidate(1), candidate(2)])
    assert [table.seats for table in chosen] == [(1, 2), (2, 1), (1, 2), (2, 1)]


def test_all_sit_where_a_match_has_room_for_all() -> None:
    assert set(choose([candidate(number) for number in range(5)], PairingHistory(), 5).seats) == set(range(5))


def evenly(
    groups: int, candidates: list[Candidate], size: int = 2, history: PairingHistory | None = None
) -> PairingHistory:
    """Choose groups for versions that rank by score, one after the other."""
    history = history or PairingHistory()
    for _ in range(groups):
        table = choose_evenly(candidates, history, size)
        history.add(table.seats, next(c.author for c in candidates if c.version == table.focus))
    return history


def meetings(history: PairingHistory, versions: range) -> Counter[int]:
    return Counter(history.count_meetings(one, other) for one, other in combinations(versions, 2))


def test_by_score_every_two_meet_once_before_any_meet_again() -> None:
    bots = [candidate(number, "anna" if number < 5 else "") for number in range(11)]
    assert [meetings(evenly(55 * rounds, bots), range(11)) for rounds in (1, 3)] == [{1: 55}, {3: 55}]
    assert set(meetings(evenly(55, bots, size=4), range(11))) <= {4, 5, 6, 7, 8}


def test_by_score_a_new_version_catches_up_until_all_have_met_equally_often() -> None:
    bots = [candidate(number) for number in range(6)]
    history = evenly(3 * 10, bots[:5])
    assert choose_evenly(bots, history, 2).focus == 5
    assert meetings(evenly(3 * 5, bots, history=history), range(6)) == {3: 15}


def test_by_score_a_flood_of_new_versions_keeps_nobody_from_playing() -> None:
    bots = [candidate(number) for number in range(9)]
    history = evenly(36, bots)
    for version in range(100, 300):
        evenly(1, [*bots, candidate(version, "flood")], history=history)
    assert Counter(history.recent)["flood"] <= PLACEMENT_GROUPS + RECENT_GROUPS / 10 + 1


def test_the_choice_is_a_function_of_what_was_played() -> None:
    bots = [candidate(number, "ab"[number % 2], rating=1000.0 + number % 7) for number in range(50)]
    assert played(60, bots, 4)[0] == played(60, list(reversed(bots)), 4)[0]
