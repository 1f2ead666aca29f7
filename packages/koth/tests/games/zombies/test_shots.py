"""Rule 5: shots."""

from __future__ import annotations

import pytest

from koth.games.zombies.state import SHOOT, Settings
from tests.games.zombies.boards import arena, board, dice, empty, grid, shown, take_turn


@pytest.mark.parametrize(
    ("target", "after"),
    [
        ("B0", "A0:2 . #21:3"),
        ("A0", "#21:2 . B0"),
        ("nobody", "A0:2 . B0"),
        ("B1", "A0:2 . B0"),  # a player of the match who is not in sight
        ("z9", "A0:2 . B0"),  # a zombie that is not there
        ("z0", "A0:2 . B0"),  # the right number under the wrong name
        ("#4", "A0:2 . B0"),
    ],
)
def test_rule_5_a_shot_costs_a_bullet_and_hits_whom_it_names(target: str, after: str) -> None:
    assert arena("A0 . B0", {"A0": f"shoot {target}"}) == grid(after)


@pytest.mark.parametrize("target", [1, 0x400, 0xFFFFFFFF, 255, 4 * 256, 4 * 256 + 3, 4 * 256 + 5])
def test_rule_5_an_identity_that_does_not_exist_is_a_miss(target: int) -> None:
    """B0 is number 4 and has the low byte 4: nothing else will do."""
    assert arena("A0 . B0", {"A0": (SHOOT, target)}) == grid("A0:2 . B0")
    assert arena("A0 . B0", {"A0": (SHOOT, 4 * 256 + 4)}) == grid("A0:2 . #21:3")


def test_rule_5_shots_are_kept_for_the_picture() -> None:
    state = board(". . . . .\n. A0:0 A1 B0 .\n" + ". . . . .\n" * 3, seed=dice(5, (4, 4), {}), next=20)
    take_turn(state, {"A0": "shoot B0", "A1": "shoot B0", "B0": "shoot nobody"})
    assert state.shots[0, : state.shot_count[0]].tolist() == [[1, 4], [4, -1]]


@pytest.mark.parametrize(
    ("before", "hit"),
    [
        ("A0 . B0 .", True),
        ("A0 . . B0", False),
        ("A0 . . .\n. . . .\n. . B0 .", True),
        ("A0 . . .\n. . . .\n. . . .\n. . B0 .", False),
        (". . B0 .\n. . . .\nA0 . . .", True),
        (". . B0 .\n. . . .\n. . . .\nA0 . . .", False),
    ],
)
def test_rule_5_the_range_is_a_square(before: str, hit: bool) -> None:
    settings = Settings(vision=3, shoot_range=2, players=4)
    after = before.replace("A0", "A0:2").replace("B0", "#21:3" if hit else "B0")
    assert arena(before, {"A0": "shoot B0"}, settings) == grid(after)


def test_rule_5_reaches_across_the_edges() -> None:
    state = board(empty(7, {(0, 0): "A0", (5, 5): "B0"}), seed=dice(7, (3, 3), {20: "STAY"}), next=20)
    take_turn(state, {"A0": "shoot B0"})
    assert shown(state)[5][5] == "#21:3"


SHOTS = {
    # They are renumbered in the order of their old numbers, and have paid for their shots.
    "two who shoot each other both die": ("B0 . A0", {"A0": "shoot B0", "B0": "shoot A0"}, "#22:2 . #21:2"),
    "who is hit shoots all the same": (
        "A0 . B0 . A1",
        {"A0": "shoot B0", "B0": "shoot A1"},
        "A0:2 . #22:2 . #21:3",
    ),
    "who is hit does not move": ("A0 . B0 .", {"A0": "shoot B0", "B0": "EAST"}, "A0:2 . #21:3 ."),
    "who shoots does not move even without a bullet": (
        "A0:0 B0",
        {"A0": "shoot nobody", "B0": "WEST"},
        "A0:0 B0",
    ),
    "without a bullet nothing happens": ("A0:0 . B0", {"A0": "shoot B0"}, "A0:0 . B0"),
    "a zombie that is hit is a body without bullets and stays": ("A0 . z9", {"A0": "shoot z9"}, "A0:2 . #21"),
    "a body that is hit gets a new number and keeps its bullets": (
        "A0 . #9:7",
        {"A0": "shoot #9"},
        "A0:2 . #21:7",
    ),
    "more hits are one and each costs": (
        "A0 A1 B0 . A2",
        {"A0": "shoot B0", "A1": "shoot B0", "A2": "shoot B0"},
        "A0:2 A1:5 #21 . A2:2",
    ),
}


@pytest.mark.parametrize("name", SHOTS)
def test_rule_5_shots(name: str) -> None:
    before, orders, after = SHOTS[name]
    assert arena(before, orders) == grid(after)


def test_rule_5_a_shot_at_the_zombie_one_is_becoming_is_stale() -> None:
    """B0 is bitten before anybody decides: who still aims at B0 misses, who aims at z21 hits."""
    before = "z9 B0 . A0"
    stroll = {9: "STAY"}
    assert arena(before, {"A0": "shoot B0"}, walks=stroll) == grid("z9 . z21 A0:2")
    assert arena(before, {"A0": "shoot z21"}, walks=stroll) == grid("z9 #22 . A0:2")


def test_rule_5_new_numbers_go_by_old_ones_whoever_shot_first() -> None:
    before = """
        A0  .   B3  .
        .   .   #9  .
        .   #12 A1  .
        .   .   .   A2
    """
    orders = {"A0": "shoot #12", "A1": "shoot #9", "A2": "shoot A1", "B3": "shoot A0"}
    words = [word.split(":")[0] for row in arena(before, orders) for word in row if word != "."]
    assert words == ["#21", "B3", "#23", "#24", "#22", "A2"]


def test_rule_5_yesterdays_identity_is_stale() -> None:
    """An identity that was true a turn ago is stale once its owner has become something else."""
    state = board(empty(7, {(2, 3): "A0", (4, 3): "B0"}), seed=dice(7, (0, 0), {20: "STAY"}), next=20)
    take_turn(state, {"A0": "shoot B0"})
    state.seed[0] = dice(7, (0, 1), {20: "STAY", 22: "STAY"}, clock=1)
    take_turn(state, {"A0": "shoot B0"})
    words = [word for row in shown(state) for word in row if word[0] in "A#"]
    assert words == ["A0:1", "#21:3"]
