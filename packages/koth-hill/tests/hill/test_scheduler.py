"""Which match is next: new versions, unsettled neighbours, everybody; fairly for each author."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from koth_hill.scheduler import (
    EVEN_SHARE,
    MOST_MEETINGS,
    PLACEMENT_TABLES,
    RECENT_TABLES,
    Candidate,
    PlanCounts,
    PlannedTable,
    choose,
    choose_evenly,
)


def candidate(version: int, author: str = "", **more: float) -> Candidate:
    return Candidate(version, author or f"author{version}", **more)  # type: ignore[arg-type]


def placed(version: int, rating: float, margin: float = 10.0, author: str = "") -> Candidate:
    return candidate(version, author, tables=PLACEMENT_TABLES, rating=rating, margin=margin)


def played(tables: int, candidates: list[Candidate], size: int = 2) -> tuple[list[PlannedTable], PlanCounts]:
    """So many tables, one after the other; ratings stay."""
    tally, chosen = PlanCounts(), []
    authors = {c.version: c.author for c in candidates}
    for _ in range(tables):
        now = [Candidate(c.version, c.author, tally.tables[c.version], c.rating, c.margin) for c in candidates]
        table = choose(now, tally, size)
        tally.add(table.seats, authors[table.focus])
        chosen.append(table)
    return chosen, tally


def test_a_new_version_comes_first_and_meets_its_nearest() -> None:
    table = choose([placed(1, 900), placed(2, 1100), placed(3, 1310), candidate(4, rating=1250)], PlanCounts(), 2)
    assert (table.focus, set(table.seats)) == (4, {3, 4})


def test_who_was_met_often_makes_room() -> None:
    tally = PlanCounts()
    tally.add((3, 4), "author4")
    bots = [placed(2, 1100), placed(3, 1310), candidate(4, rating=1270)]
    assert set(choose(bots, tally, 2).seats) == {3, 4}
    tally.add((3, 4), "author4")
    assert set(choose(bots, tally, 2).seats) == {2, 4}


def test_the_older_of_an_authors_new_versions_is_placed_first() -> None:
    chosen, _ = played(3, [placed(1, 1000), candidate(2, "anna"), candidate(3, "anna"), candidate(4, "ben")])
    assert [table.focus for table in chosen if table.focus in (2, 3)] == [2]


def test_neighbours_that_are_not_settled_meet() -> None:
    tally = PlanCounts()
    tally.count = 1
    table = choose([placed(1, 1500), placed(2, 1000), placed(3, 1015), placed(4, 500)], tally, 2)
    assert set(table.seats) == {2, 3}


def test_neighbours_too_close_to_be_told_apart_are_left_alone() -> None:
    tally = PlanCounts()
    for _ in range(MOST_MEETINGS):
        tally.add((2, 3), "author2")
    tally.count += tally.count % EVEN_SHARE == 0
    table = choose([placed(1, 1500), placed(2, 1000), placed(3, 1015), placed(4, 500)], tally, 2)
    assert (table.focus, set(table.seats)) == (1, {1, 3}), "evenly"


def test_some_tables_go_to_everybody_though_neighbours_are_not_settled() -> None:
    bots = [placed(1, 1500), placed(2, 1000), placed(3, 1015), placed(4, 500)]
    tally = PlanCounts()
    neighbours = 0
    for _ in range(40):
        table = choose(bots, tally, 2)
        tally.add(table.seats, f"author{table.focus}")
        neighbours += set(table.seats) == {2, 3}
    assert neighbours == 30


def test_an_author_with_many_bots_has_no_more_than_others() -> None:
    bots = [candidate(number, "many", margin=1.0, rating=1000.0 + 50 * number) for number in range(1, 21)]
    bots += [candidate(number, margin=1.0, rating=1000.0 + 50 * number) for number in range(21, 25)]
    _, tally = played(1000, bots)
    share = Counter(tally.recent)
    assert len(tally.recent) == RECENT_TABLES
    assert all(abs(had - RECENT_TABLES / 5) <= 2 for had in share.values()), share


def test_a_flood_of_new_versions_keeps_nobody_from_playing() -> None:
    flood = [candidate(number, "flood") for number in range(1, 200)]
    _, tally = played(RECENT_TABLES, [*flood, *(placed(number, 1000) for number in range(200, 209))])
    share = Counter(tally.recent)
    assert share["flood"] <= RECENT_TABLES / 10 + PLACEMENT_TABLES + 1
    assert min(share[f"author{number}"] for number in range(200, 209)) > 0


def test_bots_of_one_author_meet_only_where_there_are_no_others() -> None:
    bots = [candidate(1, "anna"), candidate(2, "anna"), candidate(3, "ben", rating=2000)]
    _, tally = played(30, bots)
    assert tally.count_meetings(1, 2) == 0
    assert set(choose(bots[:2], PlanCounts(), 2).seats) == {1, 2}


def test_seats_change() -> None:
    chosen, _ = played(4, [candidate(1), candidate(2)])
    assert [table.seats for table in chosen] == [(1, 2), (2, 1), (1, 2), (2, 1)]


def test_all_sit_where_a_match_has_room_for_all() -> None:
    assert set(choose([candidate(number) for number in range(5)], PlanCounts(), 5).seats) == set(range(5))


def evenly(tables: int, candidates: list[Candidate], size: int = 2, tally: PlanCounts | None = None) -> PlanCounts:
    """Choose tables for versions that rank by score, one after the other."""
    tally = tally or PlanCounts()
    for _ in range(tables):
        table = choose_evenly(candidates, tally, size)
        tally.add(table.seats, next(c.author for c in candidates if c.version == table.focus))
    return tally


def meetings(tally: PlanCounts, versions: range) -> Counter[int]:
    return Counter(tally.count_meetings(one, other) for one, other in combinations(versions, 2))


def test_by_score_every_two_meet_once_before_any_meet_again() -> None:
    bots = [candidate(number, "anna" if number < 5 else "") for number in range(11)]
    assert [meetings(evenly(55 * rounds, bots), range(11)) for rounds in (1, 3)] == [{1: 55}, {3: 55}]
    assert set(meetings(evenly(55, bots, size=4), range(11))) <= {4, 5, 6, 7, 8}


def test_by_score_a_new_version_catches_up_until_all_have_met_equally_often() -> None:
    bots = [candidate(number) for number in range(6)]
    tally = evenly(3 * 10, bots[:5])
    assert choose_evenly(bots, tally, 2).focus == 5
    assert meetings(evenly(3 * 5, bots, tally=tally), range(6)) == {3: 15}


def test_by_score_a_flood_of_new_versions_keeps_nobody_from_playing() -> None:
    bots = [candidate(number) for number in range(9)]
    tally = evenly(36, bots)
    for version in range(100, 300):
        evenly(1, [*bots, candidate(version, "flood")], tally=tally)
    assert Counter(tally.recent)["flood"] <= PLACEMENT_TABLES + RECENT_TABLES / 10 + 1


def test_the_choice_is_a_function_of_what_was_played() -> None:
    bots = [candidate(number, "ab"[number % 2], rating=1000.0 + number % 7) for number in range(50)]
    assert played(60, bots, 4)[0] == played(60, list(reversed(bots)), 4)[0]
