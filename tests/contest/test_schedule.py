"""Who plays whom: everybody as often, at every seat as often, against everybody as equally as can be."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koth.contest.schedule import Format, Pairing, deal, pair_spread, schedule
from koth.contest.seating import plan, seating
from koth.errors import KothError
from koth.games import GAMES, load


def games_of(pairings: list[Pairing]) -> Counter[int]:
    return Counter(bot for p in pairings for bot in p.seats)


def seats_of(pairings: list[Pairing]) -> Counter[tuple[int, int]]:
    return Counter((bot, seat) for p in pairings for seat, bot in enumerate(p.seats))


def test_everybody_in_every_match() -> None:
    pairings = schedule(5, 9, 1, Format(5))
    assert [(p.index, p.block, p.dice) for p in pairings] == [(i, i, i) for i in range(9)]
    assert {p.seats for p in pairings} == {(0, 1, 2, 3, 4)}
    assert schedule(5, 4, 1, Format(5)) == pairings[:4]


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 14), st.integers(1, 5), st.integers(1, 30), st.integers(0, 5), st.booleans(), st.booleans())
def test_tables(bots: int, size: int, games: int, seed: int, turned: bool, equal: bool) -> None:
    size = min(size, bots)
    form = Format(size, size if turned else 1, equal)
    pairings = schedule(bots, games, seed, form)
    assert [p.index for p in pairings] == list(range(len(pairings)))
    assert len(pairings) == form.matches(bots, games)
    assert all(len(set(p.seats)) == size for p in pairings)
    counts = games_of(pairings)
    assert set(counts) == set(range(bots))
    assert min(counts.values()) >= games
    assert max(counts.values()) - min(counts.values()) <= (0 if equal or turned else 1)
    if turned:
        assert len(set(seats_of(pairings).values())) == 1
    assert pairings == schedule(bots, games, seed, form)


@pytest.mark.parametrize("seeds", ["shared", "independent"])
def test_a_block_is_one_table_turned(seeds: str) -> None:
    pairings = schedule(7, 8, 3, Format(4, 4, seeds=seeds))
    for block in {p.block for p in pairings}:
        same = [p for p in pairings if p.block == block]
        first = same[0].seats
        assert [p.seats for p in same] == [first[turn:] + first[:turn] for turn in range(4)]
        assert len({p.dice for p in same}) == (1 if seeds == "shared" else 4)
    assert len({p.dice for p in pairings}) == len(pairings) // (4 if seeds == "shared" else 1)


def test_rounds() -> None:
    """Whenever it stops, nobody has played more than one table more than another."""
    pairings = schedule(10, 12, 5, Format(3))
    for end in range(1, len(pairings)):
        counts = games_of(pairings[:end])
        assert max(counts.values()) - min(counts[bot] for bot in range(10)) <= 1


@pytest.mark.parametrize(("bots", "size", "games"), [(4, 4, 24), (8, 4, 24), (13, 4, 24), (9, 2, 16), (25, 4, 24)])
def test_pairs_meet_almost_equally(bots: int, size: int, games: int) -> None:
    """Within two blocks' worth of the mean."""
    pairings = schedule(bots, games, 0, Format(size, size))
    low, high = pair_spread(bots, pairings)
    mean = games_of(pairings)[0] * (size - 1) / (bots - 1)
    assert mean - 2 * size <= low <= mean <= high <= mean + 2 * size


def test_seats_change_where_tables_are_not_turned() -> None:
    seats = seats_of(schedule(12, 40, 6, Format(4)))
    assert len(seats) == 12 * 4
    assert max(seats.values()) - min(seats.values()) <= 3


def test_pair_spread() -> None:
    assert pair_spread(2, schedule(2, 9, 1, Format(2))) == (9, 9)
    assert pair_spread(1, schedule(1, 9, 1, Format(1))) == (0, 0)
    assert pair_spread(3, [Pairing(0, 0, (0, 1), 0)]) == (0, 1)


def test_a_thousand_bots_are_drawn() -> None:
    """In linear time: it is some million draws, not some billion."""
    begun = time.process_time()
    drawn, met = deal(1000, 4, 1500, 1)
    assert drawn.shape == (1500, 4)
    assert met.sum() == 1500 * 4 * 3
    assert met.max() <= 2
    assert time.process_time() - begun < 120  # with the compilation, on a slow machine; a hang would be far more


def test_seating() -> None:
    metalman, zombies, pacman = (load(name) for name in ("metalman", "zombies", "pacman"))
    assert seating(metalman, 6) == Format(4, 4)
    assert seating(metalman, 3) == Format(3, 3)
    assert seating(metalman, 6, table=2) == Format(2, 2)
    assert seating(zombies, 8) == Format(8)
    assert seating(zombies, 8, table=3, seeds="independent") == Format(3, seeds="independent")
    assert seating(pacman, 20, table=5) == Format(5, equal=True)
    assert seating(zombies, 1000).size == 250
    with pytest.raises(KothError, match="--table 1000: zombies is played by 1 to 252 bots"):
        seating(zombies, 8, table=1000)
    with pytest.raises(KothError, match="not 1"):
        seating(metalman, 1)


@pytest.mark.parametrize("game", GAMES)
def test_any_number_of_bots_can_play_any_game(game: str) -> None:
    form = seating(load(game), 1000)
    assert form.size in load(game).seats


def test_the_plan_in_words() -> None:
    assert (
        plan(Format(4, 4), 6, 24) == "36 matches (9 tables of 4, each played from every seat), 24 for each of 6 bots"
    )
    assert plan(Format(3), 3, 1) == "1 match, 1 for each of 3 bots"
    assert plan(Format(3), 4, 2) == "3 matches (3 tables of 3), 2 or 3 for each of 4 bots"
    assert plan(Format(2), 2, 48, "settled") == "at most 48 matches, 48 for each of 2 bots, until settled"
