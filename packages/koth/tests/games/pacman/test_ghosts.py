"""Rules 21 to 28: the NPC ghosts' phases, quarries, targets and steps."""

from __future__ import annotations

from collections import Counter

import pytest

from koth.games.pacman.state import NOWHERE, Settings
from tests.games.pacman.boards import Turn, again, field, play

SIDE = 11


def blank(things: dict[tuple[int, int], str], *details: str, side: int = SIDE, seed: int = 0) -> str:
    """A torus without walls with these things on it, and a pellet that keeps the match going."""
    rows = [["_"] * side for _ in range(side)]
    rows[side // 2][side // 2] = "."
    for (row, col), word in things.items():
        rows[row][col] = word
    return field("\n".join(" ".join(row) for row in rows), *details, seed=seed)


def step(things: dict[tuple[int, int], str], *details: str, side: int = SIDE, **moves: str) -> tuple[int, int]:
    """Where NPC ghost 0 is after one turn."""
    return play(blank(things, *details, side=side), **moves).ghost_at()


def phases(turn: Turn, turns: int, settings: Settings) -> str:
    """A letter per turn, `s` or `c`, for the phase that NPC ghost 0 is in."""
    letters = ""
    for _ in range(turns):
        letters += "c" if turn.chasing[0, 0] else "s"
        turn = again(turn, settings)
    return letters


def test_rule_21_it_scatters_for_d_turns_chases_for_d_turns_and_so_on() -> None:
    """A far Clyde that can see A over the whole board, but whose way never meets it."""
    settings = Settings(clyde_reach=20)
    text = blank({(0, 0): "A", (5, 5): "c."}, "c left 3 of 3", "A faces X invincible 99")
    assert phases(play(text, settings), 12, settings) == "sssccc" * 2


def test_rule_21_turns_that_are_sat_out_count() -> None:
    t = play(blank({(0, 0): "A", (5, 5): "b."}, "b scatter left 3 of 7 waits"))
    assert t.left[0, 0] == 2
    assert t.ghost_at() == (5, 5)


@pytest.mark.parametrize(
    ("target", "where"),
    [((0, 5), (4, 5)), ((10, 5), (6, 5)), ((5, 0), (5, 4)), ((5, 10), (5, 6))],
)
def test_rule_22_it_steps_to_the_neighbour_nearest_to_its_target(
    target: tuple[int, int], where: tuple[int, int]
) -> None:
    assert step({(5, 5): "b.", target: "A"}, "b chase A left 3 of 5") == where


def test_rule_22_distances_are_squared_ones_and_go_round_the_torus() -> None:
    assert step({(0, 0): "b", (10, 4): "A"}, "b chase A left 3 of 5") == (0, 1), "4 and 1 apart: the long axis first"
    assert step({(0, 0): "b", (0, 8): "A"}, "b chase A left 3 of 5") == (0, 10), "west across the seam"
    assert step({(0, 0): "b", (8, 0): "A"}, "b chase A left 3 of 5") == (10, 0), "north across the seam"


@pytest.mark.parametrize(
    ("offset", "where"),
    [((-2, -2), (4, 5)), ((-2, 2), (4, 5)), ((2, -2), (5, 4)), ((2, 2), (6, 5))],
)
def test_rule_22_ties_are_broken_north_west_south_east(offset: tuple[int, int], where: tuple[int, int]) -> None:
    assert step({(5, 5): "b.", (5 + offset[0], 5 + offset[1]): "A"}, "b chase A left 3 of 5") == where


def test_rule_22_it_does_not_go_back_where_it_came_from() -> None:
    details = ("b chase A left 3 of 5 from N", "A faces X")
    assert step({(5, 5): "b.", (2, 5): "A"}, *details) == (5, 4), "not north, so the next best"


DEAD_END = """
    +---+---+---+---+
    | A |   | b     |
    +   +---+---+   +
    |   |   |     . |
    +   +   +   +   +
    |       |       |
    +   +   +   +   +
    |               |
    +---+---+---+---+
    b chase A left 3 of 5 from E
"""


def test_rule_23_it_goes_back_when_there_is_no_other_way_out() -> None:
    assert play(DEAD_END).ghost_at() == (0, 3)


@pytest.mark.parametrize(("phase", "target"), [("scatter left 0 of 5", (5, 1)), ("chase A left 0 of 5", (5, 1))])
def test_rule_23_it_goes_back_as_its_first_step_of_a_new_phase(phase: str, target: tuple[int, int]) -> None:
    t = play(blank({(5, 5): "b.", target: "A"}, f"b {phase} from E", "A faces X"))
    assert t.ghost_at() == (5, 6), "although A is in the west"
    assert t.left[0, 0] == 4
    assert again(t).ghost_at() != (5, 5), "and not back again"


def test_rule_23_at_the_start_and_after_a_teleport_it_came_from_nowhere() -> None:
    t = play(blank({(5, 5): "b.", (5, 1): "A"}, "b scatter left 0 of 5"))
    assert t.chasing[0, 0]
    assert t.ghost_at() == (5, 4), "a new phase, but no square to go back to"


@pytest.mark.parametrize(("kind", "corner"), [("b", (0, 10)), ("p", (0, 0)), ("i", (10, 10)), ("c", (10, 0))])
def test_rule_24_scattering_its_target_is_its_own_corner(kind: str, corner: tuple[int, int]) -> None:
    t = play(blank({(5, 5): f"{kind}.", (7, 2): "A"}, f"{kind} scatter left 99 of 100", "A invincible 99"))
    for _ in range(15):
        if t.ghost_at() == corner:
            return
        t = again(t)
    raise AssertionError(f"{t.ghost_at()} is not {corner}")


def test_rule_24_here_the_distance_is_measured_on_the_flat_map() -> None:
    """A Pinky in the south-east corner is one step diagonally from its own, and does not know."""
    assert step({(10, 10): "p", (5, 1): "A"}, "p scatter left 9 of 10") == (0, 10), "across the seam it is nearer"
    assert step({(9, 9): "p", (5, 1): "A"}, "p scatter left 9 of 10") == (8, 9)


def chases(kind: str, things: dict[tuple[int, int], str], seed: int = 0) -> int:
    """Whom a ghost at (5, 5) of a wide torus picks as its chase begins; -1: nobody."""
    text = blank({(5, 5): f"{kind}0", (15, 15): ".", **things}, f"{kind}0 scatter left 0 of 6", side=23, seed=seed)
    return int(play(text).quarry[0, 0])


@pytest.mark.parametrize("kind", ["b", "p", "i"])
def test_rule_25_the_quarry_is_the_nearest_within_five_squares_in_each_axis(kind: str) -> None:
    assert chases(kind, {(5, 8): "A", (5, 7): "B"}) == 1
    assert chases(kind, {(10, 10): "A"}) == 0, "five in both axes"
    assert chases(kind, {(5, 11): "A"}) == -1
    assert chases(kind, {(11, 5): "A"}) == -1
    assert chases(kind, {(9, 9): "A", (5, 10): "B"}) == 1, "Manhattan: 5 is nearer than 8"
    assert chases(kind, {(22, 22): "B", (0, 0): "A"}) == 0, "10 apart; the other is 6 off in each axis"


def test_rule_25_clyde_takes_the_furthest_within_eight() -> None:
    assert chases("c", {(5, 8): "A", (5, 7): "B"}) == 0
    assert chases("c", {(13, 13): "A", (5, 7): "B"}) == 0
    assert chases("c", {(14, 5): "A", (5, 7): "B"}) == 1
    assert chases("c", {(20, 20): "A"}) == 0, "across the seam it is 8 and 8"


def test_rule_25_the_distance_goes_round_the_torus() -> None:
    assert chases("b", {(5, 0): "A", (1, 5): "B"}) == 1
    text = blank({(0, 0): "b0", (22, 22): "A", (3, 0): "B", (15, 15): "."}, "b0 left 0 of 6", side=23)
    assert play(text).quarry[0, 0] == 0


def test_rule_25_only_living_pacmen_are_looked_for() -> None:
    text = blank({(5, 5): "b0.", (5, 7): "A", (5, 9): "B"}, "b0 left 0 of 6", "A ghost")
    assert play(text).quarry[0, 0] == 1


@pytest.mark.parametrize("kind", ["b", "c"])
def test_rule_25_ties_are_broken_at_random(kind: str) -> None:
    around = {(5, 8): "A", (8, 5): "B", (5, 2): "C", (5, 6): "D"} if kind == "c" else {
        (5, 8): "A", (8, 5): "B", (5, 2): "C", (9, 5): "D"
    }  # fmt: skip
    found = Counter(chases(kind, around, seed) for seed in range(240))
    assert sorted(found) == [0, 1, 2]
    assert min(found.values()) > 50


def test_rule_25_without_a_quarry_it_scatters_for_another_phase_and_then_looks_again() -> None:
    """And that is not a new phase: it does not turn back."""
    details = ("b scatter left 0 of 3 from E", "A faces X invincible 99")
    t = play(blank({(11, 11): "b.", (0, 0): "A"}, *details, side=23))
    assert (t.chasing[0, 0], t.left[0, 0]) == (False, 2)
    assert t.ghost_at() == (10, 11), "towards its corner, not back east"
    t = play(t.state)
    t.state.row[0, 0], t.state.col[0, 0] = 7, 11
    t = play(t.state)
    assert not t.chasing[0, 0], "the phase goes on"
    t = play(t.state)
    assert t.chasing[0, 0], "after three turns it looks again"


def test_rule_26_it_keeps_its_quarry_though_another_comes_nearer() -> None:
    t = play(blank({(5, 5): "b.", (5, 1): "A", (4, 6): "B"}, "b chase A left 3 of 5", "B invincible 99"))
    assert t.quarry[0, 0] == 0
    assert t.ghost_at() == (5, 4)


def test_rule_26_it_keeps_its_quarry_through_a_teleport() -> None:
    t = play(
        blank({(5, 5): "b.", (5, 3): "A"}, "b chase A left 4 of 5", "A invincible 9"),
        A="E",
    )
    assert t.score("A") == 200
    assert (t.chasing[0, 0], t.quarry[0, 0], t.ghost_waits[0, 0]) == (True, 0, True)


@pytest.mark.parametrize("how", ["dies", "leaves"])
def test_rule_26_if_the_quarry_dies_or_leaves_it_scatters_until_the_phase_ends(how: str) -> None:
    text = blank(
        {(5, 5): "b.", (2, 2): "A", (9, 9): "B"}, "b chase A left 4 of 5", f"A {'ghost' if how == 'dies' else 'gone'}"
    )
    if how == "leaves":
        text = text.replace(" A ", "   ", 1)
    t = play(text)
    assert t.ghost_at() == (4, 5), "to its corner in the north-east, north first"
    assert t.chasing[0, 0], "the phase is the same"
    t = again(t)
    assert t.ghost_at() in ((3, 5), (4, 6))


@pytest.mark.parametrize("kind", ["b", "c"])
def test_rule_27_blinky_and_clyde_go_for_the_quarrys_square(kind: str) -> None:
    details = (f"{kind} chase A left 4 of 5", "A faces S")
    assert step({(5, 5): f"{kind}.", (4, 2): "A"}, *details) == (5, 4)


@pytest.mark.parametrize(("faces", "where"), [("S", (6, 5)), ("N", (4, 5)), ("X", (5, 4))])
def test_rule_27_pinkys_target_is_four_squares_ahead_of_the_quarry(faces: str, where: tuple[int, int]) -> None:
    assert step({(5, 5): "p.", (5, 3): "A"}, "p chase A left 4 of 5", f"A faces {faces}") == where


def test_rule_27_targets_wrap() -> None:
    """Four ahead of a quarry at the northern edge lies in the south."""
    assert step({(5, 5): "p.", (1, 5): "A"}, "p chase A left 4 of 5", "A faces N") == (6, 5)


def test_rule_27_inkys_target_is_as_far_again_beyond_the_square_two_ahead_of_the_quarry() -> None:
    """From Blinky at (5, 3) to two ahead of A, (3, 5): the target is (1, 7)."""
    things = {(5, 3): "b0", (3, 3): "A", (1, 4): "i1"}
    details = ("b0 waits", "i1 chase A left 4 of 5 with b0", "A faces E")
    assert play(blank(things, *details)).ghost_at(1) == (1, 5)


def test_rule_27_inkys_other_ghost_is_read_where_it_is_now() -> None:
    things = {(3, 9): "b0", (3, 5): "A", (5, 5): "i1."}
    details = ("b0 waits", "i1 chase A left 4 of 5 with b0", "A faces X")
    assert play(blank(things, *details)).ghost_at(1) == (5, 4), "the target is (3, 1)"


def test_rule_27_inky_takes_the_other_ghost_nearest_as_the_chase_begins_npc_or_dead() -> None:
    things = {(5, 5): "i0", (5, 8): "A", (9, 9): "b1", (5, 2): "B", (0, 6): "."}
    t = play(blank(things, "i0 left 0 of 6", "B ghost", "b1 waits"))
    assert t.partner[0, 0] == 2 + 1, "the dead B, at three squares"
    things[5, 4] = "p2"
    t = play(blank(things, "i0 left 0 of 6", "B ghost"))
    assert t.partner[0, 0] == 2
    t = play(blank({(5, 5): "i0.", (5, 8): "A", (0, 0): "b1"}, "i0 left 0 of 6"))
    assert t.partner[0, 0] == 1, "at any distance"


def test_rule_27_inkys_choice_among_ghosts_equally_near_is_random() -> None:
    things = {(5, 5): "i0.", (5, 8): "A", (3, 5): "b1", (7, 5): "p2", (5, 3): "B"}
    found = Counter(
        int(play(blank(things, "i0 left 0 of 6", "B ghost", seed=seed)).partner[0, 0]) for seed in range(240)
    )
    assert sorted(found) == [1, 2, 4]
    assert min(found.values()) > 50


@pytest.mark.parametrize("how", ["gone", "alone"])
def test_rule_27_without_that_ghost_inky_goes_for_the_quarrys_square(how: str) -> None:
    with_whom = " with B" if how == "gone" else ""
    details = (f"i chase A left 4 of 5{with_whom}", "A faces E", "B gone")
    assert step({(5, 5): "i.", (5, 2): "A"}, *details) == (5, 4)


def test_rule_28_ghosts_do_not_fear_the_invincible() -> None:
    assert step({(5, 5): "b.", (5, 2): "A"}, "b chase A left 3 of 5", "A invincible 9") == (5, 4)


def test_a_ghost_without_any_way_out_stays() -> None:
    closed = """
        +---+---+---+
        | b |   | A |
        +---+---+---+
        |   | . |   |
        +---+---+---+
        |   |   |   |
        +---+---+---+
    """
    t = play(closed)
    assert t.ghost_at() == (0, 0)
    assert t.ghost_back[0, 0] == NOWHERE
