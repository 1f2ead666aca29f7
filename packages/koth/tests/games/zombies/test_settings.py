"""Every setting does something, and the rulesets are what they say."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from koth.game import SettingsError
from koth.games.zombies.state import MOVES, Settings
from tests.games.zombies.boards import GAME, TINY, arena, grid, shown

KNOBS: dict[str, tuple[Any, Any]] = {
    "vision": (2, 4),
    "shoot_range": (1, 2),
    "bullets": (3, 7),
    "players": (4, 5),
    "density": (0.06, 0.03),
    "moves": (MOVES, MOVES[::-1]),
}


def test_every_knob_is_listed_here() -> None:
    assert list(KNOBS) == [knob.name for knob in fields(Settings)]


def test_vision_is_how_far_players_and_zombies_see() -> None:
    near, far = (replace(TINY, vision=vision) for vision in KNOBS["vision"])
    before = "z9 . . A0"
    assert arena(before, settings=near, walks={9: "STAY"}) == grid(before)
    assert arena(before, settings=far) == grid(". z9 . A0")
    assert GAME.questions(near, 1)["act"].observation["window"].shape == (5, 5)
    assert GAME.questions(far, 1)["act"].observation["window"].shape == (9, 9)
    assert Settings(players=1, vision=11).side(1) == 23


def test_shoot_range_is_how_far_a_shot_goes() -> None:
    short, long = (replace(TINY, shoot_range=reach) for reach in KNOBS["shoot_range"])
    assert arena("A0 . B0", {"A0": "shoot B0"}, short) == grid("A0:2 . B0")
    assert arena("A0 . B0", {"A0": "shoot B0"}, long) == grid("A0:2 . #21:3")


def test_shoot_range_0_leaves_only_oneself() -> None:
    settings = replace(TINY, shoot_range=0)
    assert arena("A0 B0", {"A0": "shoot B0", "B0": "shoot B0"}, settings) == grid("A0:4 #21")


@pytest.mark.parametrize("bullets", KNOBS["bullets"])
def test_bullets_are_what_a_player_starts_with(bullets: int) -> None:
    state = GAME.initial_state(replace(TINY, bullets=bullets), 2, [1])
    assert state.bullets[0, :8].tolist() == [bullets] * 8


@pytest.mark.parametrize("players", KNOBS["players"])
def test_players_are_counted_per_bot(players: int) -> None:
    settings = replace(TINY, players=players)
    state = GAME.initial_state(settings, 3, [1])
    assert sum(word != "." for row in shown(state, settings) for word in row) == 3 * players
    assert GAME.questions(settings, 3)["act"].max_rows == 3 * players


def test_density_makes_the_board() -> None:
    dense, sparse = (Settings(density=density) for density in KNOBS["density"])
    assert (dense.side(20), sparse.side(20)) == (130, 183)


@pytest.mark.parametrize("knob", KNOBS)
def test_bots_are_told(knob: str) -> None:
    told = []
    for value in KNOBS[knob]:
        settings = replace(TINY, **{knob: value})
        match_info = GAME.match_info(settings, GAME.initial_state(settings, 2, [1]), 0, 0)
        assert match_info[knob] == (list(value) if isinstance(value, tuple) else value)
        told.append(match_info)
    assert told[0] != told[1]


def test_the_original_ruleset_has_another_order_of_moves_and_nothing_else() -> None:
    published, original = GAME.rulesets["published"], GAME.rulesets["original"]
    assert list(GAME.rulesets) == ["published", "original"]
    assert published == Settings()
    assert replace(original, moves=published.moves) == published
    assert published.moves == (
        "NORTHWEST", "NORTH", "NORTHEAST", "EAST", "STAY", "WEST", "SOUTHEAST", "SOUTH", "SOUTHWEST",
    )  # fmt: skip
    assert original.moves == (
        "NORTHEAST", "NORTH", "NORTHWEST", "EAST", "STAY", "WEST", "SOUTHEAST", "SOUTH", "SOUTHWEST",
    )  # fmt: skip


def test_the_order_of_moves_changes_no_rule() -> None:
    """An answer's code stands for the same move under either ruleset."""
    turned = replace(TINY, moves=GAME.rulesets["original"].moves)
    for code, move in enumerate(MOVES):
        before = ". . .\n. A0 .\n. . ."
        assert arena(before, {"A0": (code, 0)}, turned) == arena(before, {"A0": move})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vision": 0}, "vision=0: vision must be a whole number in 1..60"),
        ({"vision": 61}, "vision must be a whole number in"),
        ({"players": 0}, "players must be a whole number in"),
        ({"bullets": -1}, "bullets must be a whole number in"),
        ({"shoot_range": 9}, r"shoot_range=9: shoot_range must be a whole number in 0..vision \(8\)"),
        ({"shoot_range": -1}, "shoot_range must be a whole number in"),
        ({"density": 0}, "density must be above 0"),
        ({"density": 0.95}, "density must be above 0"),
        ({"density": float("nan")}, "density must be above 0"),
        ({"moves": MOVES[:8]}, "moves must be NORTHWEST, NORTH.*, in any order"),
        ({"moves": (*MOVES[:8], "JUMP")}, "moves must be NORTHWEST, NORTH.*, in any order"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Settings(**change)


def test_the_contest_is_the_statements() -> None:
    assert (GAME.contest_defaults.matches, GAME.contest_defaults.aggregate, GAME.contest_defaults.seats) == (
        9,
        "median",
        None,
    )
    assert (GAME.time_control.start, GAME.time_control.question) == (10.0, 1.0)
    assert GAME.reserved_names == {"Zombie", "DeadBody"}


def test_the_most_bots_that_can_play() -> None:
    """Every bot's low byte of an identity is its own."""
    settings = Settings(players=1, vision=2, shoot_range=2, density=0.5)
    state = GAME.initial_state(settings, GAME.seats[-1], [1])
    on_board = state.board[0][state.board[0] != 0]
    assert len(np.unique(on_board & 255)) == len(GAME.seats) == 252
