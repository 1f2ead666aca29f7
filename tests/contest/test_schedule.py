"""Who plays whom: everybody as often, at every seat as often, against everybody as equally as can be."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.contest.schedule import Pairing, everybody, matches_at_tables, pair_spread, tables


def test_everybody() -> None:
    pairings = everybody(5, 9)
    assert [p.index for p in pairings] == list(range(9))
    assert [p.block for p in pairings] == list(range(9))
    assert {p.seats for p in pairings} == {(0, 1, 2, 3, 4)}
    assert everybody(5, 4) == pairings[:4]


def games_of(pairings: list[Pairing]) -> Counter[int]:
    return Counter(bot for p in pairings for bot in p.seats)


def seats_of(pairings: list[Pairing]) -> Counter[tuple[int, int]]:
    return Counter((bot, seat) for p in pairings for seat, bot in enumerate(p.seats))


@given(st.integers(1, 14), st.integers(1, 5), st.integers(1, 30), st.integers(0, 5))
def test_tables(bots: int, size: int, games: int, seed: int) -> None:
    pairings = tables(bots, size, games, seed)
    assert [p.index for p in pairings] == list(range(len(pairings)))
    assert all(len(set(p.seats)) == min(size, bots) for p in pairings)
    counts = games_of(pairings)
    assert set(counts) == set(range(bots))
    assert len(set(counts.values())) == 1
    assert counts[0] >= games
    assert len(set(seats_of(pairings).values())) == 1
    assert pairings == tables(bots, size, games, seed)
    assert len(pairings) == matches_at_tables(bots, size, games)


def test_a_block_is_one_table_turned() -> None:
    pairings = tables(7, 4, 8, 3)
    for block in {p.block for p in pairings}:
        same = [p for p in pairings if p.block == block]
        first = same[0].seats
        assert [p.seats for p in same] == [first[turn:] + first[:turn] for turn in range(4)]


@pytest.mark.parametrize(("bots", "size", "games"), [(4, 4, 24), (8, 4, 24), (13, 4, 24), (9, 2, 16), (25, 4, 24)])
def test_pairs_meet_almost_equally(bots: int, size: int, games: int) -> None:
    """Within two blocks' worth of the mean."""
    pairings = tables(bots, size, games, 0)
    low, high = pair_spread(bots, pairings)
    mean = games_of(pairings)[0] * (size - 1) / (bots - 1)
    assert mean - 2 * size <= low <= mean <= high <= mean + 2 * size


def test_pair_spread() -> None:
    assert pair_spread(2, everybody(2, 9)) == (9, 9)
    assert pair_spread(1, everybody(1, 9)) == (0, 0)
    assert pair_spread(3, [Pairing(0, 0, (0, 1))]) == (0, 1)
