"""Rules 7 to 20: who is asked when, encounters, teleports, eating, and the end."""

from __future__ import annotations

import numpy as np
import pytest

from koth.games.pacman.ghosts import AFTER_GHOSTS, AFTER_PACMEN
from koth.games.pacman.state import GHOST, NOWHERE, PACMAN, Settings
from koth.rng import draw
from tests.games.pacman.boards import again, field, has_left, play

# In these boards an NPC ghost moves to a known square: on a torus without walls a Blinky that scatters steps
# towards the north-east corner, north before east. `waits` keeps it where it is.
EMPTY = "_ _ _ _ _\n"


def landing(seed: int, turn: int, phase: int, ghost: int, side: int) -> tuple[int, int]:
    return divmod(draw(seed, turn, phase, ghost, side * side), side)


def test_rule_7_npc_ghosts_choose_before_anybody_moves_and_step_at_once() -> None:
    """Two chase each other's place in line: each reads where the quarry stood as the last turn left it."""
    t = play(field("_ b _ _ A\n" + EMPTY * 3 + "_ . _ _ _", "b chase A left 3 of 5"), A="S")
    assert t.ghost_at() == (0, 0), "west across the seam, towards where A stood"


def test_rule_8_the_dead_are_asked_on_the_board_after_the_npc_ghosts_moved() -> None:
    t = play(field("A _ _ B _\n_ b _ _ _\n" + EMPTY * 2 + ". _ _ _ _", "A ghost", "b scatter left 4 of 5"), A="S")
    assert t.ghost_at() == (1, 2)
    assert "1,2G" in t.asked[0]["A"].split()
    assert t.at("A") == (1, 0)


def test_rule_8_the_dead_all_step_at_once() -> None:
    t = play(field("A B _ _ C\n" + EMPTY * 3 + "_ _ . _ _", "A ghost", "B ghost"), A="E", B="W")
    assert (t.at("A"), t.at("B")) == ((0, 1), (0, 0))
    assert all("0,1G" in shown or "0,0G" in shown for shown in t.asked[0].values())


def test_rule_9_without_a_living_pacman_the_rest_of_the_turn_falls_away() -> None:
    t = play(field("A b _ _ _\n" + EMPTY * 3 + "_ _ . _ _", "b chase A left 4 of 5"), A="S")
    assert t.status("A") == GHOST
    assert t.asked[1] == {}
    assert t.over[0]


def test_rule_10_the_living_are_asked_on_the_same_board_and_step_at_once() -> None:
    t = play(field("A B _ _ _\n" + EMPTY * 3 + "_ _ . _ _", "B faces X"), A="E", B="W")
    assert set(t.asked[1]) == {"A", "B"}
    assert (t.at("A"), t.at("B")) == ((0, 1), (0, 0)), "they pass each other"


def test_rule_11_encounters_come_before_eating() -> None:
    t = play(field("A .b _ _ _\n" + EMPTY * 3 + "_ _ . _ _", "b waits"), A="E")
    assert t.status("A") == GHOST
    assert t.score("A") == 0
    assert t.item(0, 1) == "."


def test_rule_12_who_dies_before_the_pacmen_move_is_first_asked_as_a_ghost_in_the_next_turn() -> None:
    t = play(field("A b _ _ _\n_ _ _ _ _\n_ _ B _ _\n_ _ _ _ _\n_ _ . _ _", "b chase A left 4 of 5"))
    assert [set(shown) for shown in t.asked] == [set(), {"B"}]
    t = again(t)
    assert [set(shown) for shown in t.asked] == [{"A"}, {"B"}]


def test_rule_12_the_dead_stands_there_and_kills_meanwhile() -> None:
    t = play(field("A b _ _ B\n" + EMPTY * 3 + "_ _ . _ _", "b chase A left 4 of 5"), B="E")
    assert (t.status("A"), t.status("B")) == (GHOST, GHOST), "B walked across the seam onto A's square"


WALLED = """
    +   +---+   +   +
    | A   B |       |
    +   +   +   +   +
              .
    +   +   +   +   +

    +   +   +   +   +

    +   +---+   +   +
"""


@pytest.mark.parametrize(
    ("move", "place"), [("N", (3, 0)), ("E", (0, 1)), ("S", (1, 0)), ("W", (0, 0)), ("X", (0, 0))]
)
def test_rule_12_a_step_into_a_wall_is_standing_still(move: str, place: tuple[int, int]) -> None:
    t = play(WALLED, A=move)
    assert t.at("A") == place
    assert t.facing[0, 0] == (NOWHERE if place == (0, 0) else "NESWX".index(move))


def test_rule_13_encounters_are_judged_as_the_board_stands_when_they_begin() -> None:
    """A teleported ghost may land on another Pac-Man's square: it meets it only in the next encounters."""
    text = field("A b0 _ _ _\n_ _ _ _ _\n_ _ _ _ _\n_ _ _ _ _\n_ _ _ _ B", "A invincible 5", "b0 waits", "B faces X")
    for seed in range(400):
        if landing(seed, 1, AFTER_PACMEN, 0, 5) == (4, 4):
            t = play(f"seed {seed}\n" + text + "\n", A="E")
            assert t.ghost_at() == (4, 4)
            assert t.lives("B")
            t = play(t.state) if not t.over[0] else t
            assert t.turn[0] == 1 or not t.lives("B")
            return
    raise AssertionError("no seed lands there")


def test_rule_14_every_ghost_is_eaten_and_scores_for_each_invincible_nobody_else_is_harmed() -> None:
    details = ("A invincible 5", "B invincible 2", "b0 waits", "p1 waits")
    t = play(field("A b0p1 B _ C\n" + EMPTY * 3 + "_ _ . _ _", *details), A="E", B="W")
    assert (t.score("A"), t.score("B"), t.score("C")) == (400, 400, 0)
    assert all(t.lives(letter) for letter in "AB")
    assert {t.ghost_at(0), t.ghost_at(1)} == {landing(0, 1, AFTER_PACMEN, g, 5) for g in (0, 1)}


def test_rule_14_a_weak_pacman_beside_an_invincible_one_is_not_harmed_and_scores_nothing() -> None:
    t = play(field("A b B _ _\n" + EMPTY * 3 + "_ _ . _ _", "A invincible 5", "b waits"), A="E", B="W")
    assert t.lives("B")
    assert (t.score("A"), t.score("B")) == (200, 0)


def test_rule_14_a_dead_pacman_is_eaten_like_any_ghost() -> None:
    t = play(field("A _ B _ _\n" + EMPTY * 3 + "_ _ . _ _", "A invincible 5", "B ghost"), A="E", B="W")
    assert t.score("A") == 200
    assert t.at("B") == landing(0, 1, AFTER_PACMEN, 1 - 1 + 1, 5), "its address is that of ghost 0 + seat 1"


def test_rule_15_otherwise_every_pacman_there_dies_and_goes_on_as_a_ghost_from_that_square() -> None:
    t = play(field("A b B _ _\n" + EMPTY * 3 + "_ C . _ _", "A score 70", "b waits"), A="E", B="W")
    assert (t.status("A"), t.status("B")) == (GHOST, GHOST)
    assert t.at("A") == t.at("B") == t.ghost_at() == (0, 1)
    assert t.score("A") == 70, "it keeps its score"
    t = again(t, A="S", B="N")
    assert (t.at("A"), t.at("B")) == ((1, 1), (4, 1))
    assert t.score("A") == 70


def test_rule_15_a_ghost_eats_nothing_and_scores_no_more() -> None:
    t = play(field("A . o B _\n" + EMPTY * 3 + "_ _ . _ _", "A ghost score 30"), A="E")
    assert t.item(0, 1) == "."
    assert t.score("A") == 30
    assert t.gained[0].tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_rule_16_an_eaten_ghost_lands_on_a_random_square_and_sits_out_its_next_turn(seed: int) -> None:
    text = field("A b _ _ _\n" + EMPTY * 3 + "_ _ . _ _", "A invincible 9", "b waits", seed=seed)
    t = play(text, A="E")
    there = landing(seed, 1, AFTER_PACMEN, 0, 5)
    assert t.ghost_at() == there
    assert t.ghost_back[0, 0] == NOWHERE
    t = again(t, A="X" if there != (0, 2) else "S")
    assert t.ghost_at() == there, "it sits out"
    t = again(t)
    assert t.ghost_at() != there or t.score("A") > 200


def test_rule_16_a_dead_pacman_that_was_eaten_is_not_asked_in_its_next_turn() -> None:
    t = play(field("A B _ _ _\n" + EMPTY * 3 + "_ _ . _ _", "A invincible 9", "B ghost", seed=3), A="E")
    assert "B" in t.asked[0]
    t = again(t)
    assert "B" not in t.asked[0]
    t = again(t)
    assert "B" in t.asked[0]


def test_rule_16_eaten_again_while_it_waits_it_sits_out_no_second_turn() -> None:
    """Eaten before the Pac-Men move and again after: one turn is sat out, not two."""
    for seed in range(2000):
        row, col = landing(seed, 1, AFTER_GHOSTS, 1, 5)
        if (row, col) == (0, 1):
            break
    t = play(field("A _ _ _ _\n" + EMPTY * 3 + "B _ . _ _", "A invincible 9", "B ghost", seed=seed), B="S", A="E")
    assert t.score("A") == 400, "eaten where it had come to, and where it landed"
    t = again(t)
    assert "B" not in t.asked[0]
    t = again(t)
    assert "B" in t.asked[0]


def test_rule_17_alone_a_pacman_takes_what_lies_there() -> None:
    for item, points in ((".", 10), ("o", 50), ("%", 100)):
        t = play(field(f"A {item} _ _ _\n" + EMPTY * 3 + "_ _ . _ _"), A="E")
        assert t.score("A") == t.gained[0, 0] == points
        assert t.item(0, 1) == " "
        assert t.pellets[0] == 1


def test_rule_17_of_several_nobody_takes_it_and_it_is_gone() -> None:
    t = play(field("A % B _ _\n" + EMPTY * 3 + "_ _ . _ _"), A="E", B="W")
    assert (t.score("A"), t.score("B")) == (0, 0)
    assert t.item(0, 1) == " "


def test_rule_17_of_several_the_only_invincible_one_takes_it() -> None:
    t = play(field("A % B _ _\n" + EMPTY * 3 + "_ _ . _ _", "B invincible 3"), A="E", B="W")
    assert (t.score("A"), t.score("B")) == (0, 100)


def test_rule_17_of_several_two_invincible_ones_leave_nobody_with_it() -> None:
    t = play(field("A % B _ _\n" + EMPTY * 3 + "C _ . _ _", "A invincible 3", "B invincible 3"), A="E", B="W")
    assert (t.score("A"), t.score("B")) == (0, 0)
    assert t.item(0, 1) == " "


def test_rule_17_a_ghost_on_the_square_is_nobody_who_shares_it() -> None:
    """An eaten ghost is gone before eating; the dead of the square eat nothing."""
    t = play(field("A %b _ _ _\n" + EMPTY * 3 + "_ _ . _ _", "A invincible 3", "b waits", seed=1), A="E")
    assert t.score("A") == 300


def test_rule_18_a_power_pellet_sets_the_counter_and_never_adds() -> None:
    t = play(field("A o _ _ _\n" + EMPTY * 3 + "_ _ . _ _", "A invincible 7"), A="E")
    assert t.invincible("A") == 10


def test_rule_19_it_protects_in_both_encounters_of_the_ten_turns_after() -> None:
    t = play(field("A o _ _ _\n" + EMPTY * 3 + "_ _ . _ _"), A="E")
    counters = [t.invincible("A")]
    for _ in range(11):
        t = again(t)
        counters.append(t.invincible("A"))
    assert counters == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]


@pytest.mark.parametrize(("counter", "survives"), [(1, True), (0, False)])
def test_rule_19_a_counter_above_zero_is_what_protects(counter: int, survives: bool) -> None:
    for text, move in (
        (field("A b _ _ _\n" + EMPTY * 3 + "_ _ . _ _", f"A invincible {counter}", "b waits"), "E"),
        (field("A b _ _ _\n" + EMPTY * 3 + "_ _ . _ _", f"A invincible {counter}", "b chase A left 2 of 5"), "X"),
    ):
        assert play(text, A=move).lives("A") is survives


def test_rule_19_a_pellet_eaten_this_turn_does_not_protect_in_it() -> None:
    t = play(field("A ob _ _ _\n" + EMPTY * 3 + "_ _ . _ _", "b waits"), A="E")
    assert not t.lives("A")


def test_rule_20_the_match_ends_when_no_pacman_lives() -> None:
    assert play(field("A b _ _ _\n" + EMPTY * 3 + "_ _ . _ _", "b waits"), A="E").over[0]


def test_rule_20_the_match_ends_when_no_plain_pellet_is_left() -> None:
    t = play(field("A . . _ _\n" + EMPTY * 3 + "_ _ o % _"), A="E")
    assert not t.over[0]
    assert again(t, A="E").over[0]


def test_rule_20_the_match_ends_after_500_turns() -> None:
    assert not play(field("A _ _ _ _\n" + EMPTY * 3 + "_ _ . _ _", turn=498)).over[0]
    assert play(field("A _ _ _ _\n" + EMPTY * 3 + "_ _ . _ _", turn=499)).over[0]
    assert play(field("A _ _ _ _\n" + EMPTY * 3 + "_ _ . _ _", turn=6), Settings(turns=7)).over[0]


@pytest.mark.parametrize("question", [0, 1])
def test_rule_37_the_piece_of_a_dead_bot_leaves_before_that_parts_steps_and_its_score_stays(question: int) -> None:
    t = play(field("A % B _ _\n" + EMPTY * 3 + "_ _ . _ _", "B score 90"), gone=[(question, "B")], A="E", B="W")
    assert has_left(t, "B")
    assert (t.score("A"), t.score("B")) == (100, 90), "B is not there to spoil the fruit"
    assert t.pacmen_on.sum() == 1


def test_rule_37_a_dead_pacman_leaves_like_a_living_one() -> None:
    t = play(field("A B _ _ _\n" + EMPTY * 3 + "_ _ . _ _", "B ghost"), gone=[(0, "B")], A="E")
    assert has_left(t, "B")
    assert t.lives("A")
    assert t.ghosts_on.sum() == 0


def test_rule_37_when_the_last_living_bot_is_gone_the_match_is_over() -> None:
    t = play(field("A _ _ _ _\n" + EMPTY * 3 + "_ _ . _ _"), gone=[(1, "A")], A="E")
    assert t.over[0]


def test_rules_13_to_17_crowds_are_counted_right_through_whole_matches() -> None:
    """What the planes say of who stands where follows from where everybody stands."""
    from koth.engine.batch import Batch
    from koth.game import copy_state
    from koth.games.pacman import GAME
    from koth.games.pacman.crowds import count_crowds
    from koth.testing import RandomAnswers

    seeds = [1, 2, 3]
    batch = Batch(GAME, Settings(), 6, seeds)
    policy = RandomAnswers(seeds, 6)
    while batch.observations is not None and batch.turn < 120:
        batch.answer(policy(batch.observations))
        s = batch.state
        for m in range(3):
            ghosts, pacmen = np.zeros_like(s.ghosts_on[m]), np.zeros_like(s.pacmen_on[m])
            np.add.at(ghosts, (s.ghost_row[m], s.ghost_col[m]), 1)
            np.add.at(ghosts, (s.row[m][s.status[m] == GHOST], s.col[m][s.status[m] == GHOST]), 1)
            np.add.at(pacmen, (s.row[m][s.status[m] == PACMAN], s.col[m][s.status[m] == PACMAN]), 1)
            assert (ghosts == s.ghosts_on[m]).all()
            assert (pacmen == s.pacmen_on[m]).all()
            assert s.pellets[m] == (s.item[m] == 1).sum()
        anew = copy_state(s)
        anew.shown[:] = 9
        count_crowds(anew)
        assert (anew.shown[:, : s.item[0].size] == s.shown[:, : s.item[0].size]).all()
