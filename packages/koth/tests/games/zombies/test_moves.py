"""Rules 6 to 8: moves, scavenging, the clock and the end."""

from __future__ import annotations

import pytest

from koth.engine.batch import Batch
from koth.game import no_answers
from koth.games.zombies.state import MOVES, SHOOT
from tests.games.zombies.boards import GAME, TINY, arena, board, dice, empty, find, grid, identity, shown, take_turn


@pytest.mark.parametrize(
    ("move", "x", "y"),
    [
        ("NORTHWEST", 0, 0), ("NORTH", 1, 0), ("NORTHEAST", 2, 0), ("WEST", 0, 1), ("STAY", 1, 1),
        ("EAST", 2, 1), ("SOUTHWEST", 0, 2), ("SOUTH", 1, 2), ("SOUTHEAST", 2, 2),
    ],
)  # fmt: skip
def test_rule_6_each_move_goes_its_way(move: str, x: int, y: int) -> None:
    after = arena(". . .\n. A0 .\n. . .", {"A0": move})
    assert after[y][x] == "A0"


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("corner", [(0, 0), (6, 0), (0, 6), (6, 6)])
def test_rule_6_moves_go_on_across_the_edges(move: str, corner: tuple[int, int]) -> None:
    state = board(empty(7, {corner: "A0"}), seed=dice(7, (3, 3), {20: "STAY"}), next=20)
    take_turn(state, {"A0": move})
    inland = find(arena(". . .\n. A0 .\n. . .", {"A0": move}), "A0")
    expected = ((corner[0] + inland[0] - 1) % 7, (corner[1] + inland[1] - 1) % 7)
    assert find(shown(state), "A0") == expected


CONFLICTS = {
    "two for one square": ("A0 . B0", {"A0": "EAST", "B0": "WEST"}, "A0 . B0"),
    "three for one square": (
        "A0 . B0\n.  A1 .",
        {"A0": "EAST", "B0": "WEST", "A1": "NORTH"},
        "A0 . B0\n.  A1 .",
    ),
    "somebody stays": ("A0 B0", {"A0": "EAST"}, "A0 B0"),
    "a body": ("A0 #9", {"A0": "EAST"}, "A0 #9"),
    "a shooter": ("A0 B0", {"A0": "EAST", "B0": "shoot nobody"}, "A0 B0:2"),
    "somebody just shot": ("A0 B0 A1", {"A0": "EAST", "B0": "NORTH", "A1": "shoot B0"}, "A0:4 #21 A1"),
    "to follow": ("A0 B0 A1 .", {"A0": "EAST", "B0": "EAST", "A1": "EAST"}, ". A0 B0 A1"),
    "to follow one who is stopped": (
        "A0 B0 A1 #9",
        {"A0": "EAST", "B0": "EAST", "A1": "EAST"},
        "A0 B0 A1 #9",
    ),
    "a swap": ("A0 B0", {"A0": "EAST", "B0": "WEST"}, "B0 A0"),
    "a swap across": ("A0 .\n. B0", {"A0": "SOUTHEAST", "B0": "NORTHWEST"}, "B0 .\n. A0"),
    "crossing": ("A0 B0\n. .", {"A0": "SOUTHEAST", "B0": "SOUTHWEST"}, ". .\nB0 A0"),
    "a ring of three": (
        "A0 A1\n. B0",
        {"A0": "EAST", "A1": "SOUTH", "B0": "NORTHWEST"},
        "B0 A0\n. A1",
    ),
    "a ring of four": (
        "A0 A1\nB0 B1",
        {"A0": "EAST", "A1": "SOUTH", "B1": "WEST", "B0": "NORTH"},
        "B0 A0\nB1 A1",
    ),
    "a swap with a third who wants in": (
        "A0 B0 A1",
        {"A0": "EAST", "B0": "WEST", "A1": "WEST"},
        "A0 B0 A1",
    ),
    "a ring that somebody breaks": (
        "A0 A1 B2\nB0 B1 .",
        {"A0": "EAST", "A1": "SOUTH", "B1": "WEST", "B0": "NORTH", "B2": "WEST"},
        "A0 A1 B2\nB0 B1 .",
    ),
    "a chain of going back": (
        "A0 A1 A2 . B0",
        {"A0": "EAST", "A1": "EAST", "A2": "EAST", "B0": "WEST"},
        "A0 A1 A2 . B0",
    ),
    "going back into somebody else's way": (
        ".  .  B1\nA0 .  B0\n.  .  .",
        {"A0": "EAST", "B0": "WEST", "B1": "SOUTH"},
        ".  .  B1\nA0 .  B0\n.  .  .",
    ),
    "the others get what is free": (
        "A0 .  B0\n.  .  .\nA1 .  .",
        {"A0": "EAST", "B0": "WEST", "A1": "EAST"},
        "A0 .  B0\n.  .  .\n.  A1 .",
    ),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_rule_6_conflicts(name: str) -> None:
    before, orders, after = CONFLICTS[name]
    assert arena(before, orders) == grid(after)


def test_rule_6_a_square_nobody_got_can_be_had_in_the_next_turn() -> None:
    state = board(empty(9, {(3, 4): "A0", (5, 4): "B0"}), seed=dice(9, (0, 0), {20: "STAY"}), next=20)
    take_turn(state, {"A0": "EAST", "B0": "WEST"})
    assert shown(state)[4][3:6] == ["A0", ".", "B0"]
    state.seed[0] = dice(9, (0, 8), {20: "STAY", 21: "STAY"}, clock=1)
    take_turn(state, {"A0": "EAST"})
    assert shown(state)[4][3:6] == [".", "A0", "B0"]


def test_rule_6_zombies_and_players_are_in_each_others_way() -> None:
    """z9 wants the square between, as A0 does; z10 wants z9's."""
    assert arena("z10 z9 . A0", {"A0": "WEST"}) == grid("z10 z9 . A0")


def test_rule_6_a_zombie_steps_where_a_player_was() -> None:
    assert arena("z9 . A0 .", {"A0": "EAST"}) == grid(". z9 . A0")


def test_rule_6_nobody_missing_from_a_board_stands_in_the_way() -> None:
    """A board read from text has six of its players nowhere: not on the first square either."""
    state = board(empty(7, {(1, 0): "A1", (4, 4): "B3"}), seed=dice(7, (3, 0), {20: "STAY"}), next=20)
    take_turn(state, {"A1": "WEST"})
    assert shown(state)[0][0] == "A1"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A0 #9:7", "A0:10 #9"),
        ("A0 #9:7 B0", "A0:6 #9 B0:6"),  # 3 each, the seventh is lost
        ("A0 #9:2 B0\n.  A1 .", "A0 #9 B0\n. A1 ."),  # none each, and they are gone
        ("A0 .  #9:7", "A0 .  #9:7"),  # out of reach
        (".  .  .\nA0 #9:4 .\n.  #10:5 .", ".  .  .\nA0:12 #9 .\n.  #10 ."),  # one player, two bodies
        ("A0 A1 A2\nA3 #9:17 B0\nB1 B2 B3", "A0:5 A1:5 A2:5\nA3:5 #9 B0:5\nB1:5 B2:5 B3:5"),
        ("A0 #9 B0", "A0 #9 B0"),
    ],
)
def test_rule_7_a_bodys_bullets_are_shared_by_the_living_around_it(before: str, after: str) -> None:
    assert arena(before) == grid(after)


def test_rule_7_only_the_living_take_bullets() -> None:
    assert arena("z11 #9:7 . . A0", walks={11: "STAY"}) == grid("z11 #9:7 . . A0")
    assert arena(". z11 .    A0\n. .   #9:7 .") == grid(". . z11 A0:10\n. . #9 .")
    assert arena("#10 #9:7 A0") == grid("#10 #9 A0:10")


def test_rule_7_comes_after_moves_and_shots() -> None:
    assert arena("A0 . #9:7", {"A0": "EAST"}) == grid(". A0:10 #9")
    assert arena(". A0 #9:7", {"A0": "WEST"}) == grid("A0 . #9:7")
    assert arena("A0 B0:9", {"A0": "shoot B0"}) == grid("A0:11 #21"), "the body of this turn, for who shot"
    assert arena("A0 #9:5", {"A0": "shoot #9"}) == grid("A0:7 #21"), "a body that was hit"


def test_rule_7_reaches_across_the_edges() -> None:
    text = empty(7, {(0, 0): "#9:8", (6, 6): "A0", (0, 6): "B0"})
    state = board(text, seed=dice(7, (3, 3), {20: "STAY"}), next=20)
    take_turn(state)
    after = shown(state)
    assert (after[0][0], after[6][6], after[6][0]) == ("#9", "A0:7", "B0:7")


def test_rule_8_the_clock_goes_up_and_the_match_goes_on() -> None:
    state = board("A0" + " ." * 4 + "\n. . . . ." * 4, clock=7, seed=dice(5, (2, 2), {}, clock=7))
    take_turn(state)
    assert state.clock[0] == 8
    assert not GAME.over(state)[0]


def test_rule_8_the_match_ends_when_the_last_player_is_shot() -> None:
    state = board("A0" + " ." * 4 + "\n. . . . ." * 4, clock=7, seed=dice(5, (2, 2), {}, clock=7))
    batch = Batch.from_state(GAME, TINY, 2, state)
    answers = no_answers(batch.observations, batch.nobody_gone())
    answers["action"][0], answers["target"][0] = SHOOT, identity("A0")
    batch.answer(answers)
    assert batch.observations is None
    assert state.clock[0] == 8
    assert GAME.over(state)[0]
    assert GAME.scores(TINY, state).tolist() == [[7, 0]]


def test_rule_8_the_match_ends_when_the_last_player_is_bitten_and_nobody_is_asked() -> None:
    state = board("A0" + " ." * 4 + "\n. . . . ." * 4, clock=7, seed=dice(5, (1, 1), {}, clock=7))
    state.score[0] = [6, 2]
    batch = Batch.from_state(GAME, TINY, 2, state)
    assert batch.observations is None
    assert batch.turn == 1
    assert state.clock[0] == 8
    assert GAME.scores(TINY, state).tolist() == [[6, 2]]


def test_rule_8_one_bot_left_alone_plays_on() -> None:
    state = board(empty(9, {(4, 4): "A0"}), seed=dice(9, (0, 0), {}), next=20)
    take_turn(state)
    state.seed[0] = dice(9, (0, 8), {}, clock=1)
    take_turn(state)
    assert state.clock[0] == 2
    assert not GAME.over(state)[0]
