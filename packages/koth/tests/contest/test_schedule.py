"""Schedules: equal numbers of matches, balanced seats, and meetings as equal as possible."""

from __future__ import annotations

import time
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.contest.schedule import ScheduledMatch, count_matches, pair_spread, schedule_contest
from koth.contest.seating import TableFormat, extra_matches_text, plan_text, seating, variant_of
from koth.errors import KothError
from koth.game import ContestDefaults
from koth.games import GAMES, load


def test_all_bots_in_every_match() -> None:
    pairings = schedule_contest(5, 9, 1, TableFormat(5))
    assert [(p.number, p.block, p.seed_group) for p in pairings] == [(i, i, i) for i in range(1, 10)]
    assert {p.seats for p in pairings} == {(0, 1, 2, 3, 4)}
    assert schedule_contest(5, 4, 1, TableFormat(5)) == pairings[:4]


def spread_of_seats(bots: int, matches: list[ScheduledMatch]) -> int:
    """Return the largest difference between a bot's counts of two seats."""
    seats = np.zeros((bots, len(matches[0].seats) if matches else 1), np.int64)
    for match in matches:
        seats[list(match.seats), np.arange(len(match.seats))] += 1
    return int(np.ptp(seats, axis=1).max())


@given(
    st.integers(1, 14),
    st.integers(1, 6),
    st.integers(1, 30),
    st.integers(0, 5),
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
)
def test_tables(bots: int, size: int, matches: int, seed: int, rotated: bool, equal: bool, variants: int) -> None:
    size = min(size, bots)
    form = TableFormat(size, size if rotated else 1, equal, variants=variants)
    drawn = schedule_contest(bots, matches, seed, form)
    assert [m.number for m in drawn] == list(range(1, 1 + len(drawn)))
    assert len(drawn) == form.matches(bots, matches)
    assert all(len(set(m.seats)) == size for m in drawn)
    counts = count_matches(bots, drawn)
    assert min(counts) >= matches
    assert max(counts) - min(counts) <= (0 if equal or rotated else variants)
    met = Counter((tuple(sorted(m.seats)), variant_of(m.block) % variants) for m in drawn)
    assert all(len({met[table, k] for k in range(variants)}) == 1 for table, _ in met), "each variant as often"
    if rotated:
        assert spread_of_seats(bots, drawn) == 0
    assert drawn == schedule_contest(bots, matches, seed, form)


@given(st.integers(2, 14), st.integers(1, 6), st.integers(1, 30), st.integers(0, 5))
def test_whenever_it_stops_tables_and_seats_are_even(bots: int, size: int, matches: int, seed: int) -> None:
    """No bot has had more than one table more than another, nor one seat more than once more than another seat."""
    drawn = schedule_contest(bots, matches, seed, TableFormat(min(size, bots - 1)))
    for end in range(1, len(drawn) + 1):
        counts = count_matches(bots, drawn[:end])
        assert max(counts) - min(counts) <= 1
        assert spread_of_seats(bots, drawn[:end]) <= 1


@pytest.mark.parametrize("seeds", ["shared", "independent"])
def test_a_block_is_one_table_turned(seeds: str) -> None:
    pairings = schedule_contest(7, 8, 3, TableFormat(4, 4, seeds=seeds))
    for block in {p.block for p in pairings}:
        same = [p for p in pairings if p.block == block]
        first = same[0].seats
        assert [p.seats for p in same] == [first[turn:] + first[:turn] for turn in range(4)]
        assert len({p.seed_group for p in same}) == (1 if seeds == "shared" else 4)
    assert len({p.seed_group for p in pairings}) == len(pairings) // (4 if seeds == "shared" else 1)


@pytest.mark.parametrize("bots", [2, 3, 6, 7, 12, 40])
def test_tables_of_two_are_complete_round_robins(bots: int) -> None:
    """Every two bots meet once before any two meet again, whatever the seed and the number of rounds."""
    tables = bots * (bots - 1) // 2
    for rotations in (1, 2):
        drawn = schedule_contest(bots, 2 * (bots - 1) * rotations, bots, TableFormat(2, rotations))
        firsts = [frozenset(match.seats) for match in drawn[::rotations]]
        assert len(firsts) == 2 * tables
        assert len(set(firsts[:tables])) == len(set(firsts[tables:])) == tables
        assert pair_spread(bots, drawn) == (2 * rotations, 2 * rotations)


@pytest.mark.parametrize(("bots", "size", "matches"), [(4, 4, 24), (8, 4, 24), (13, 4, 24), (9, 2, 16), (25, 4, 24)])
def test_pairs_meet_almost_equally(bots: int, size: int, matches: int) -> None:
    """Within two blocks' worth of the mean."""
    pairings = schedule_contest(bots, matches, 0, TableFormat(size, size))
    low, high = pair_spread(bots, pairings)
    mean = count_matches(bots, pairings)[0] * (size - 1) / (bots - 1)
    assert mean - 2 * size <= low <= mean <= high <= mean + 2 * size


def test_pair_spread() -> None:
    assert pair_spread(2, schedule_contest(2, 9, 1, TableFormat(2))) == (9, 9)
    assert pair_spread(1, schedule_contest(1, 9, 1, TableFormat(1))) == (0, 0)
    assert pair_spread(3, [ScheduledMatch(1, 1, (0, 1), 1)]) == (0, 1)


def test_a_thousand_bots_are_drawn() -> None:
    """It is some million draws, not some billion."""
    begun = time.process_time()
    drawn = schedule_contest(1000, 6, 1, TableFormat(4))
    assert len(drawn) == 1500
    assert set(count_matches(1000, drawn)) == {6}
    assert pair_spread(1000, drawn)[1] <= 2
    assert time.process_time() - begun < 120  # with the compilation, on a slow machine; a hang would be far more


def test_seating() -> None:
    metalman, zombies, pacman = (load(name) for name in ("metalman", "zombies", "pacman"))
    assert seating(metalman, 6) == TableFormat(4, 4)
    assert seating(metalman, 3) == TableFormat(3, 3)
    assert seating(metalman, 6, seats=2) == TableFormat(2, 2)
    assert seating(zombies, 8) == TableFormat(8)
    assert seating(zombies, 8, seats=3, seeds="independent") == TableFormat(3, seeds="independent")
    assert seating(pacman, 20, seats=5) == TableFormat(5, equal=True)
    assert seating(zombies, 1000).size == 250
    alike = SimpleNamespace(
        name="x", seats=range(2, 3), contest_defaults=ContestDefaults(9, "mean", seats=2, seats_alike=True)
    )
    assert seating(alike, 6) == TableFormat(2)
    with pytest.raises(KothError, match="--seats 1000: zombies is played by 1 to 252 bots"):
        seating(zombies, 8, seats=1000)
    with pytest.raises(KothError, match="not 1"):
        seating(metalman, 1)


@pytest.mark.parametrize("game", GAMES)
def test_any_number_of_bots_can_play_any_game(game: str) -> None:
    form = seating(load(game), 1000)
    assert form.size in load(game).seats


def planned(form: TableFormat, bots: int, matches: int, until: str = "") -> str:
    drawn = schedule_contest(bots, matches, 1, form)
    return plan_text(form, dict(zip("abcdefgh", count_matches(bots, drawn), strict=False)), len(drawn), until)


def test_the_plan_in_words() -> None:
    each_seat = "each played from every seat"
    assert planned(TableFormat(4, 4), 6, 24) == f"36 matches (9 tables of 4, {each_seat}), 24 for each of 6 bots"
    assert planned(TableFormat(3), 3, 1) == "1 match, 1 for each of 3 bots"
    assert planned(TableFormat(3), 4, 2) == "3 matches (3 tables of 3), 2 or 3 for each of 4 bots"
    assert planned(TableFormat(2), 2, 48, "settled") == "at most 48 matches, 48 for each of 2 bots, until settled"
    assert plan_text(TableFormat(1), {"a": 5}, 2) == "2 matches to play of 5, 5 for 1 bot"
    told = plan_text(TableFormat(4, 4), {"a": 8, "b": 16, "c": 8, "d": 8, "e": 8}, 4)
    assert told == f"4 matches to play of 12 (3 tables of 4, {each_seat}), 8 to 16 for each of 5 bots"


def test_bots_with_more_matches_than_others_are_named() -> None:
    assert extra_matches_text({"a": 24, "b": 24}) == ""
    assert extra_matches_text({"a": 28, "b": 24, "c": 32}) == "more matches than 24: c 32, a 28"
    told = extra_matches_text({f"b{k}": 1 + (k > 0) for k in range(12)})
    assert told == "more matches than 1: " + ", ".join(f"b{k} 2" for k in range(1, 9)) + " and 3 others"
