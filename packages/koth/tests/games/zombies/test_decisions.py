"""Rule 4: what a player sees, and how a zombie chooses its step."""

from __future__ import annotations

import numpy as np
import pytest

from koth.game import Buffers
from koth.games.zombies.state import MOVES, Settings
from tests.games.zombies.boards import GAME, arena, board, dice, empty, find, grid, identity, take_turn

CROWD = """
    B0  .   .   .   .   .   .   .   A3
    .   .   .   .   .   .   .   .   .
    .   .   z9  .   .   .   .   .   .
    .   .   .   .   .   .   A1  .   .
    .   .   .   .   A0  .   .   .   .
    .   .   .   #10 .   .   .   .   .
    .   .   .   .   .   .   B1  .   .
    .   .   .   .   .   .   .   .   .
    A2  .   .   .   .   .   .   .   z11
"""


def test_rule_4_a_player_sees_who_stands_around_it_and_nobody_else() -> None:
    state = board(CROWD, clock=5, seed=dice(9, (4, 8), {}, clock=5), next=20)
    state.bullets[0, 0] = 7
    observations = take_turn(state)
    row = observations.unit.tolist().index(0)
    seen = {
        (dx, dy): int(observations.fields["window"][row, dy + 2, dx + 2])
        for dy in range(-2, 3)
        for dx in range(-2, 3)
        if observations.fields["window"][row, dy + 2, dx + 2]
    }
    assert seen == {
        (0, 0): identity("A0"),
        (-2, -2): identity("z9"),
        (2, -1): identity("A1"),
        (-1, 1): identity("#10"),
        (2, 2): identity("B1"),
    }
    own = {key: int(observations.fields[key][row]) for key in ("number", "bullets", "x", "y", "clock")}
    assert own == {"number": 0, "bullets": 7, "x": 4, "y": 4, "clock": 5}


def test_rule_4_sight_goes_on_across_the_edges() -> None:
    state = board(CROWD.replace("z11", "#11"), seed=dice(9, (4, 8), {}), next=20)
    observations = take_turn(state)
    row = observations.unit.tolist().index(4)  # B0 in the north-western corner
    window = observations.fields["window"][row]
    assert window[2, 2] == identity("B0")
    assert window[2, 1] == identity("A3")
    assert window[1, 2] == identity("A2")
    assert window[1, 1] == identity("#11")
    assert window[4, 4] == identity("z9")
    assert np.count_nonzero(window) == 5


def test_rule_4_everybody_alive_is_asked_in_order_after_the_bites() -> None:
    state = board(CROWD, seed=dice(9, (4, 8), {}), next=20)
    observations = take_turn(state)
    # z11 has bitten B0, A2 and A3 around the corner.
    assert observations.unit.tolist() == [0, 1, 5]
    assert observations.seat.tolist() == [0, 0, 1]


def test_rule_4_a_bot_without_living_players_is_not_asked() -> None:
    state = board(CROWD.replace("B0", ".").replace("B1", "#12"), seed=dice(9, (4, 8), {}), next=20)
    assert set(take_turn(state).seat.tolist()) == {0}


def test_rule_4_the_question_gives_the_whole_17_by_17_window() -> None:
    settings = Settings()
    state = GAME.initial_state(settings, 2, [3])
    where = {
        (int(x), int(y)): int(number) * 256 + 3 + int(seat)
        for x, y, number, seat in zip(
            state.x[0, :100], state.y[0, :100], state.number[0, :100], state.seat[0, :100], strict=True
        )
    }
    state.seed[0] = dice(41, next(free for free in np.ndindex(41, 41) if free not in where), {})
    observations = take_turn(state, settings=settings)
    assert observations.fields["window"].shape[1:] == (17, 17)
    for row, (x, y) in enumerate(
        zip(observations.fields["x"].tolist(), observations.fields["y"].tolist(), strict=True)
    ):
        for dy in range(-8, 9):
            for dx in range(-8, 9):
                there = int(observations.fields["window"][row, dy + 8, dx + 8])
                if there & 255 != 1:  # whoever is not a zombie stands where it stood at the start
                    assert there == where.get(((x + dx) % 41, (y + dy) % 41), 0)


WIDE = Settings(vision=3, shoot_range=3, players=4)


def chase(before: str, zombie: str = "z9") -> str:
    """The move that the arena's zombie makes."""
    rows, after = grid(before), arena(before, settings=WIDE)
    x, y = find(rows, zombie)
    to_x, to_y = find(after, zombie)
    return {
        (-1, -1): "NORTHWEST", (0, -1): "NORTH", (1, -1): "NORTHEAST", (-1, 0): "WEST", (0, 0): "STAY",
        (1, 0): "EAST", (-1, 1): "SOUTHWEST", (0, 1): "SOUTH", (1, 1): "SOUTHEAST",
    }[to_x - x, to_y - y]  # fmt: skip


@pytest.mark.parametrize(
    ("dx", "dy", "move"),
    [
        (2, 0, "EAST"), (3, 1, "SOUTHEAST"), (3, -1, "NORTHEAST"), (1, 3, "SOUTHEAST"), (0, 2, "SOUTH"),
        (-1, 2, "SOUTHWEST"), (-3, -3, "NORTHWEST"), (-2, 0, "WEST"), (0, -3, "NORTH"), (-3, 2, "SOUTHWEST"),
    ],
)  # fmt: skip
def test_rule_4_a_zombie_steps_by_the_signs_of_the_offsets(dx: int, dy: int, move: str) -> None:
    assert chase(empty(7, {(3, 3): "z9", (3 + dx, 3 + dy): "A0"})) == move


@pytest.mark.parametrize(
    ("players", "move"),
    [
        ([(3, 3), (-2, 0)], "WEST"),  # the nearest one, not the westernmost
        ([(2, 0), (-3, -3)], "EAST"),
        ([(2, 2), (3, 0)], "SOUTHEAST"),  # the distance is the larger of the offsets, not their sum
        ([(-2, 2), (2, 0)], "SOUTHWEST"),  # equally near: the smallest x offset
        ([(2, -2), (1, 2)], "SOUTHEAST"),
        ([(0, -2), (-1, 2)], "SOUTHWEST"),
        ([(-2, 2), (-2, -2)], "NORTHWEST"),  # the same x offset: the smallest y offset
        ([(-2, 0), (-2, 1)], "WEST"),
        ([(0, 2), (0, -2)], "NORTH"),
        ([(2, 1), (2, -1)], "NORTHEAST"),
        ([(2, 0), (2, 2)], "EAST"),
        ([(3, 0), (-3, 3)], "SOUTHWEST"),
    ],
)
def test_rule_4_a_zombie_takes_the_nearest_player_then_west_then_north(
    players: list[tuple[int, int]], move: str
) -> None:
    for order in (players, players[::-1]):
        around = {(3 + dx, 3 + dy): name for (dx, dy), name in zip(order, ("A0", "B0"), strict=True)}
        assert chase(empty(7, {(3, 3): "z9", **around})) == move


def test_rule_4_a_zombie_sees_players_only() -> None:
    """The body and the other zombie are nearer, the player is the one it walks to."""
    before = """
        .  .  .  .  .  .
        .  #8 z9 z10 .  .
        .  .  .  .  .  .
        .  .  .  .  .  .
        .  .  .  .  A0 .
    """
    assert chase(before) == "SOUTHEAST"


def test_rule_4_a_zombie_walks_next_to_one_who_was_bitten_just_now() -> None:
    """B0 and z9 both go for A0, who is next to B0 but not next to z9; B0 cannot bite before the next turn."""
    before = """
        .  .  .  .
        z9 B0 A0 .
        .  .  .  .
    """
    assert arena(before, {"A0": "EAST"}) == grid("""
        .  .  .  .
        .  z9 z21 A0
        .  .  .  .
    """)


def test_rule_4_zombies_chase_across_the_edges() -> None:
    state = board(empty(9, {(0, 0): "z9", (7, 7): "A0"}), seed=dice(9, (4, 4), {20: "STAY"}), next=20)
    take_turn(state)
    assert (state.number[0, 8], state.x[0, 8], state.y[0, 8]) == (9, 8, 8)


@pytest.mark.parametrize("move", MOVES)
def test_rule_4_a_zombie_without_a_player_in_sight_strolls(move: str) -> None:
    """The player is three squares off, one more than a zombie sees here."""
    before = """
        .  .  .  .  .
        .  z9 .  .  A0
        .  .  .  .  .
    """
    rows, after = grid(before), arena(before, walks={9: move})
    x, y = find(rows, "z9")
    step = {"N": (0, -1), "S": (0, 1)}.get(move[0], (0, 0))
    dx = 1 if move.endswith("EAST") else -1 if move.endswith("WEST") else 0
    assert find(after, "z9") == (x + dx, y + (step[1] if move != "STAY" else 0))


def test_rule_4_a_stroll_is_uniform_over_all_nine_moves() -> None:
    text = "\n".join(["z9" + " ." * 8, *[". " * 9] * 3, ". . . . A0" + " ." * 4, *[". " * 9] * 4])
    counts = np.zeros((3, 3), int)
    for seed in range(900):
        state = board(text, seed=seed)
        take_turn(state)
        counts[(int(state.y[0, 8]) + 1) % 9, (int(state.x[0, 8]) + 1) % 9] += 1
    assert counts.sum() == 900
    assert abs(counts - 100).max() < 6 * np.sqrt(100)


def test_rule_4_faults_and_nonsense_are_players_who_stay() -> None:
    """An `action` that is none of the ten costs no bullet and moves nobody."""
    for nonsense in (10, 11, 127, 255):
        assert arena("A0 B0", {"A0": (nonsense, identity("B0")), "B0": (nonsense, 0)}) == grid("A0 B0")


def test_rule_4_views_of_finished_matches_are_not_written() -> None:
    settings = Settings(vision=2, shoot_range=2, players=1, density=0.04)
    state = GAME.initial_state(settings, 1, [1, 2, 3])
    state.over[1] = True
    buffers = Buffers(GAME.questions(settings, 1), 3)
    observations = next(GAME.turn(settings, state, buffers))
    assert 1 not in observations.match.tolist()
