"""The start, and rules 1 to 3: zombies rise and bite, the living score."""

from __future__ import annotations

import numpy as np
import pytest

from koth.game import SettingsError
from koth.games.zombies.state import PLAYER, Settings
from tests.games.zombies.boards import GAME, TINY, board, dice, empty, grid, shown, take_turn

AFAR = empty(7, {(0, 0): "A0"})
"""A lone player, and room around it."""


@pytest.mark.parametrize(("bots", "side"), [(1, 29), (2, 41), (20, 130), (7, 77)], ids=lambda value: str(value))
def test_start_board_is_as_large_as_the_bots_need(bots: int, side: int) -> None:
    state = GAME.initial_state(Settings(), bots, [1])
    assert GAME.match_info(Settings(), state, 0, 0)["side"] == side
    assert state.slot_at.shape == (1, side, side)


def test_start_board_is_never_smaller_than_the_sight() -> None:
    assert Settings(players=1).side(1) == 17
    assert Settings(players=1, vision=3, shoot_range=3).side(1) == 7


def test_start_players_stand_on_squares_of_their_own_and_are_numbered() -> None:
    settings = Settings(players=5, vision=2, shoot_range=2, density=0.9)
    state = GAME.initial_state(settings, 3, [4])
    players = [word for row in shown(state, settings) for word in row if word != "."]
    assert sorted(players) == [f"{bot}{number}" for bot in "ABC" for number in range(5)]
    assert state.number[0, :15].tolist() == list(range(15))
    assert state.seat[0, :15].tolist() == [0] * 5 + [1] * 5 + [2] * 5
    assert state.next_number[0] == 15
    assert state.clock[0] == 0


def test_start_places_are_uniform_and_other_for_every_seed() -> None:
    settings = Settings(players=1, vision=2, shoot_range=2, density=0.9)
    state = GAME.initial_state(settings, 1, range(5_000))
    squares = state.y[:, 0] * 5 + state.x[:, 0]
    counts = np.bincount(squares, minlength=25)
    assert len(counts) == 25
    assert abs(counts - 200).max() < 5 * np.sqrt(200)


def test_start_refuses_more_players_than_squares() -> None:
    with pytest.raises(SettingsError, match="26 players do not fit on 5 x 5 squares"):
        board("\n".join([". . . . ."] * 5), Settings(players=13, vision=2, shoot_range=2))


@pytest.mark.parametrize(
    ("there", "rises"),
    [(".", "z20"), ("B1", "z20"), ("#15:7", "z20"), ("z15", "z20")],
    ids=["nobody", "a player", "a body", "a zombie"],
)
def test_rule_1_a_zombie_rises_out_of_whatever_stands_there(there: str, rises: str) -> None:
    state = board(empty(7, {(0, 0): "A0", (3, 3): there}), seed=dice(7, (3, 3), {20: "STAY"}), next=20)
    take_turn(state)
    assert shown(state) == grid(empty(7, {(0, 0): "A0", (3, 3): rises}))
    assert state.next_number[0] == 21


def test_rule_1_every_square_is_as_likely() -> None:
    """Nobody can move on this board, so z20 still stands where it rose."""
    settings = Settings(players=1, vision=1, shoot_range=1)
    counts = np.zeros(9, int)
    for seed in range(900):
        state = board("# # #\n# A0 #\n# # #", settings, seed=seed, next=20)
        take_turn(state, settings=settings)
        words = [word for row in shown(state, settings) for word in row]
        counts[words.index("z20")] += 1
    assert abs(counts - 100).max() < 5 * np.sqrt(100)


def test_rule_1_who_has_just_become_a_zombie_bites() -> None:
    text = empty(7, {(3, 3): "A1", (4, 3): "B2", (0, 6): "A0"})
    state = board(text, seed=dice(7, (3, 3), {20: "STAY", 21: "STAY"}), next=20)
    take_turn(state)
    assert shown(state)[3] == [".", ".", ".", "z20", "z21", ".", "."]


def test_rule_2_all_neighbours_are_bitten_and_numbered_by_their_old_numbers() -> None:
    state = board(
        """
        .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .
        .  .  .  B3 A3 B0 .  .  .
        .  .  .  A1 z9 B1 .  .  .
        .  .  .  B2 A2 A0:9 .  .  .
        .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .
        """,
        seed=dice(9, (0, 0), {}),
        next=20,
    )
    take_turn(state)
    places = {word: (x, y) for y, row in enumerate(shown(state)) for x, word in enumerate(row)}
    assert set(places) == {".", "z9", *(f"z{number}" for number in range(20, 29))}
    assert state.number[0, :8].tolist() == list(range(21, 29))  # A0 ... A3, B0 ... B3
    assert not state.bullets.any()


@pytest.mark.parametrize("turns", [1, 2])
def test_rule_2_a_bite_does_not_go_on_in_the_same_turn(turns: int) -> None:
    """A0 is bitten at once, B0 behind it in the next turn (the bodies keep everybody in place)."""
    state = board(
        """
        .   .   .   .   .   .   .   .   .
        .   .   .   .   .   .   .   .   .
        .   .   .   .   .   .   .   .   .
        .   #9  #10 #11 #12 #13 #14 .   .
        .   #15 z16 A0  B0  A1  #17 .   .
        .   #8  #18 #19 #20 #21 #22 .   .
        .   .   .   .   .   .   .   .   .
        .   .   .   .   .   .   .   .   .
        .   .   .   .   .   .   .   .   .
        """,
        seed=dice(9, (0, 0), {}),
        next=30,
    )
    take_turn(state)
    assert shown(state)[4] == [".", "#15", "z16", "z31", "B0", "A1", "#17", ".", "."]
    if turns == 2:
        state.seed[0] = dice(9, (0, 8), {}, clock=1)
        take_turn(state)
        assert shown(state)[4] == [".", "#15", "z16", "z31", "z33", "A1", "#17", ".", "."]


def test_rule_2_reaches_across_the_edge_of_the_board() -> None:
    text = empty(7, {(0, 0): "A0", (3, 3): "B0", (6, 6): "z9"})
    state = board(text, seed=dice(7, (4, 6), {9: "STAY", 20: "STAY", 21: "STAY"}), next=20)
    observations = take_turn(state)
    assert observations.unit.tolist() == [4]
    assert shown(state)[0][0] == "z21"


def test_rule_2_nobody_but_players_is_bitten() -> None:
    """A body next to a zombie stays a body, a zombie keeps its number."""
    text = empty(7, {(0, 0): "A0", (3, 3): "z9", (4, 3): "#10:2", (5, 3): "z11"})
    state = board(text, seed=dice(7, (3, 6), {9: "STAY", 11: "STAY", 20: "STAY"}), next=20)
    take_turn(state)
    assert shown(state)[3] == [".", ".", ".", "z9", "#10:2", "z11", "."]


def test_rule_3_the_living_score_the_clock() -> None:
    """C's last player is bitten before the scores are taken, so it keeps what it had."""
    text, seed = empty(7, {(0, 0): "A0", (3, 3): "C0"}), dice(7, (4, 4), {20: "STAY"}, clock=12)
    state = board(text, seed=seed, clock=12, seats=3, next=20)
    state.score[0] = [11, 5, 11]
    take_turn(state)
    assert GAME.scores(TINY, state).tolist() == [[12, 5, 11]]


def test_rule_3_who_is_shot_later_in_the_turn_has_scored() -> None:
    state = board(AFAR, clock=3, seed=dice(7, (3, 3), {}, clock=3))
    take_turn(state, {"A0": "shoot A0"})
    assert GAME.scores(TINY, state).tolist() == [[3, 0]]
    assert state.over[0]


def test_rule_3_a_bot_without_players_at_clock_0_has_0() -> None:
    state = board(AFAR)
    take_turn(state)
    assert GAME.scores(TINY, state).tolist() == [[0, 0]]
    assert (state.kind[0, :8] == PLAYER).sum() <= 1
