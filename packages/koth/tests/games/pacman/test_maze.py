"""Rules 1 to 6: the maze, and where everything lies at the start."""

from __future__ import annotations

from collections import Counter, deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.errors import SettingsError
from koth.games.pacman import GAME
from koth.games.pacman.maze import braid, carve, is_dead_end
from koth.games.pacman.state import CLYDE, FRUIT, NOTHING, NOWHERE, PELLET, POWER, Settings, State
from koth.grid import DCOL, DROW

SIDES = st.integers(3, 24)
SEEDS = st.integers(0, 2**63 - 1)


def tree(side: int, seed: int) -> np.ndarray:
    """A maze before it is braided."""
    walls = np.zeros((side, side), np.uint8)
    carve(walls, seed)
    return walls


def maze(side: int, seed: int) -> np.ndarray:
    """A finished maze."""
    walls = tree(side, seed)
    braid(walls, seed)
    return walls


def neighbours(walls: np.ndarray, row: int, col: int) -> list[tuple[int, int]]:
    """The squares connected to one, across the seam too."""
    side = len(walls)
    return [
        ((row + int(DROW[d])) % side, (col + int(DCOL[d])) % side) for d in range(4) if not walls[row, col] >> d & 1
    ]


def reached(walls: np.ndarray) -> int:
    """How many squares can be reached from the first."""
    seen = {(0, 0)}
    queue = deque(seen)
    while queue:
        for there in neighbours(walls, *queue.popleft()):
            if there not in seen:
                seen.add(there)
                queue.append(there)
    return len(seen)


def start(seats: int = 5, seed: int = 1, **changes: int) -> State:
    return GAME.initial_state(Settings(**changes), seats, [seed])


@pytest.mark.parametrize(("seats", "side"), [(1, 10), (2, 15), (3, 18), (4, 20), (9, 30), (10, 32), (20, 45)])
def test_rule_1_the_side_grows_with_the_square_root_of_the_bots(seats: int, side: int) -> None:
    assert start(seats).walls.shape == (1, side, side)


def test_rule_1_a_side_set_by_hand_holds_and_one_below_three_is_refused() -> None:
    assert start(1, side=12).walls.shape == (1, 12, 12)
    with pytest.raises(SettingsError, match="side must be 0, or a whole number in 3"):
        Settings(side=2)
    with pytest.raises(SettingsError, match="spread=20 has no effect with side=12"):
        Settings(side=12, spread=20)
    with pytest.raises(SettingsError, match="at least 3"):
        start(1, spread=2)


def test_rule_1_a_side_that_leaves_no_place_for_something_is_refused() -> None:
    with pytest.raises(SettingsError, match="find no place in a maze of 3 x 3"):
        start(1, side=3)
    with pytest.raises(SettingsError, match="find no place in a maze of 5 x 5"):
        start(4, side=5)


@given(SIDES, SEEDS)
def test_rule_2_prim_joins_every_square_once_and_leaves_the_outer_walls(side: int, seed: int) -> None:
    walls = tree(side, seed)
    openings = sum(4 - int(digit).bit_count() for digit in walls.ravel().tolist())
    assert openings == 2 * (side * side - 1), "a tree has one opening less than squares"
    assert reached(walls) == side * side
    for edge, bit in ((walls[0], 1), (walls[:, -1], 2), (walls[-1], 4), (walls[:, 0], 8)):
        assert (edge & bit).all(), "the outer walls are closed"


def test_rule_2_prim_has_short_dead_ends_and_treats_both_axes_alike() -> None:
    dead = across = down = 0
    for seed in range(60):
        walls = tree(20, seed)
        dead += sum(is_dead_end(digit) for digit in walls.ravel().tolist())
        across += int((walls & 2 == 0).sum())
        down += int((walls & 4 == 0).sum())
    assert 0.27 < dead / (60 * 400) < 0.36, "randomised Prim has about three dead ends in ten squares"
    assert abs(across - down) < 0.02 * (across + down)


def test_rule_2_the_first_square_is_any() -> None:
    mazes = {tree(4, seed).tobytes() for seed in range(200)}
    assert len(mazes) > 190


@given(SIDES, SEEDS)
def test_rules_3_and_4_no_square_keeps_three_walls(side: int, seed: int) -> None:
    digits = set(maze(side, seed).ravel().tolist())
    assert not digits & {7, 11, 13, 14, 15}


@given(SIDES, SEEDS)
def test_rule_3_a_wall_is_the_same_from_both_sides_across_the_seam_too(side: int, seed: int) -> None:
    walls = maze(side, seed)
    south_of = np.roll(walls, -1, axis=0)
    east_of = np.roll(walls, -1, axis=1)
    assert ((walls & 4 > 0) == (south_of & 1 > 0)).all()
    assert ((walls & 2 > 0) == (east_of & 8 > 0)).all()


@given(SIDES, SEEDS)
def test_rule_3_braiding_only_opens_and_the_maze_stays_connected(side: int, seed: int) -> None:
    before, after = tree(side, seed), maze(side, seed)
    assert (after & ~before == 0).all(), "no wall is built"
    assert reached(after) == side * side
    opened = sum((int(b) & ~int(a)).bit_count() for b, a in zip(before.ravel(), after.ravel(), strict=True))
    dead = sum(is_dead_end(digit) for digit in before.ravel().tolist())
    assert dead <= opened <= 2 * dead, "each dead end is opened once, some two at a time"


def test_rule_3_dead_ends_next_to_each_other_are_joined_first() -> None:
    """Of the walls opened, those between two dead ends are more than chance would have them."""
    joined = opened = by_chance = 0.0
    for seed in range(40):
        before, after = tree(16, seed), maze(16, seed)
        for row, col in np.ndindex(before.shape):
            for d in (1, 2):  # each wall once
                there = (row + int(DROW[d])) % 16, (col + int(DCOL[d])) % 16
                if (before[row, col] & ~after[row, col]) >> d & 1:
                    opened += 1
                    joined += is_dead_end(before[row, col]) and is_dead_end(before[there])
        for row, col in zip(*np.nonzero(np.isin(before, (7, 11, 13, 14))), strict=True):
            closed = [d for d in range(4) if before[row, col] >> d & 1]
            ends = [is_dead_end(before[(row + DROW[d]) % 16, (col + DCOL[d]) % 16]) for d in closed]
            by_chance += sum(ends) / len(ends)
    dead = sum(is_dead_end(d) for seed in range(40) for d in tree(16, seed).ravel().tolist())
    assert joined / opened > 1.3 * by_chance / dead


@given(SIDES, SEEDS)
def test_rule_3_a_dead_end_with_a_dead_end_across_a_wall_is_never_opened_elsewhere(side: int, seed: int) -> None:
    """A dead end that was opened towards no dead end had none left beside it when its turn came.

    So no two neighbours across a wall that is still closed can both have been opened away from dead ends only:
    the one whose turn came first would have been opened towards the other, or another dead end.
    """
    before, after = tree(side, seed), maze(side, seed)
    alone = np.zeros((side, side), np.bool_)
    for row, col in np.ndindex(before.shape):
        if is_dead_end(before[row, col]):
            fresh = [d for d in range(4) if (before[row, col] & ~after[row, col]) >> d & 1]
            there = [((row + int(DROW[d])) % side, (col + int(DCOL[d])) % side) for d in fresh]
            alone[row, col] = not any(is_dead_end(before[square]) for square in there)
    for row, col in np.ndindex(before.shape):
        for d in range(4):
            there = (row + int(DROW[d])) % side, (col + int(DCOL[d])) % side
            assert not (alone[row, col] and alone[there] and after[row, col] >> d & 1)


def test_rule_3_outer_walls_are_opened_on_both_axes_alike() -> None:
    north = west = 0
    for seed in range(80):
        walls = maze(12, seed)
        north += int((walls[0] & 1 == 0).sum())
        west += int((walls[:, 0] & 8 == 0).sum())
    assert north > 80
    assert west > 80
    assert abs(north - west) < 0.15 * (north + west)


@given(st.integers(1, 12), SEEDS)
def test_rules_5_and_6_everything_is_there_and_on_squares_of_its_own(seats: int, seed: int) -> None:
    s = start(seats, seed)
    items = Counter(s.item[0].ravel().tolist())
    assert (items[POWER], items[FRUIT]) == (4 * seats, 2 * seats)
    assert items[NOTHING] == 3 * seats, "where ghosts and Pac-Men start there is no pellet"
    assert items[PELLET] == s.pellets[0] == s.item.size - 9 * seats
    ghosts = list(zip(s.ghost_row[0].tolist(), s.ghost_col[0].tolist(), strict=True))
    pacmen = list(zip(s.row[0].tolist(), s.col[0].tolist(), strict=True))
    assert len(ghosts) == 2 * seats
    assert len({*ghosts, *pacmen}) == 3 * seats
    assert all(s.item[0, row, col] == NOTHING for row, col in ghosts + pacmen)


@given(st.integers(1, 12), SEEDS)
def test_rule_6_nobody_starts_next_to_anything_but_pellets(seats: int, seed: int) -> None:
    s = start(seats, seed)
    taken = {*zip(s.ghost_row[0].tolist(), s.ghost_col[0].tolist(), strict=True)}
    taken |= {*zip(s.row[0].tolist(), s.col[0].tolist(), strict=True)}
    for row, col in zip(s.row[0].tolist(), s.col[0].tolist(), strict=True):
        for there in neighbours(s.walls[0], row, col):
            assert there not in taken
            assert s.item[0][there] == PELLET


def test_rules_5_and_6_every_square_is_drawn_alike() -> None:
    at = Counter[int]()
    for seed in range(400):
        s = start(2, seed, side=8)
        at.update((s.ghost_row[0] * 8 + s.ghost_col[0]).tolist() + (s.row[0] * 8 + s.col[0]).tolist())
    expected = 400 * 6 / 64
    assert len(at) == 64
    chi2 = sum((count - expected) ** 2 / expected for count in at.values())
    assert chi2 < 110, "the 0.9998 quantile of 63 degrees of freedom"


def test_rule_21_kinds_and_lengths_are_drawn_alike_and_every_ghost_begins_to_scatter() -> None:
    kinds, lengths = Counter[int](), Counter[int]()
    for seed in range(150):
        s = start(4, seed)
        kinds.update(s.ghost_kind[0].tolist())
        lengths.update(s.length[0].tolist())
        assert not s.chasing.any()
        assert (s.left == s.length).all()
        assert (s.ghost_back == NOWHERE).all()
    assert sorted(kinds) == list(range(CLYDE + 1))
    assert min(kinds.values()) > 240
    assert sorted(lengths) == [5, 6, 7, 8, 9, 10, 11]
    assert min(lengths.values()) > 120


def test_rules_1_to_6_other_seeds_other_mazes_and_batches_do_not_matter() -> None:
    both = GAME.initial_state(Settings(), 3, [7, 8])
    assert not (both.walls[0] == both.walls[1]).all()
    for k, seed in enumerate((7, 8)):
        alone = GAME.initial_state(Settings(), 3, [seed])
        for name, array in zip(both._fields, both, strict=True):
            assert (array[k] == getattr(alone, name)[0]).all(), name
