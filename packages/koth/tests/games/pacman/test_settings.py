"""Every setting does something, and what makes no sense is refused."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.errors import SettingsError
from koth.games.pacman import GAME, Settings
from koth.testing import RandomAnswers
from tests.games.pacman.boards import field, play

BASE = Settings(side=24)

CHANGES: dict[str, Any] = {
    "side": 25,
    "ghosts": 3,
    "power_pellets": 5,
    "fruit": 1,
    "turns": 12,
    "pellet_points": 11,
    "power_points": 51,
    "fruit_points": 101,
    "ghost_points": 201,
    "invincible": 3,
    "phase_least": 4,
    "phase_most": 12,
    "reach": 9,
    "clyde_reach": 2,
    "pinky_ahead": 1,
    "inky_ahead": 5,
}
"""Settings that change how matches go."""
ELSEWHERE = {
    "spread": "test_layout.py",
    "ghost_sight": "test_sight.py",
    "side_queries": "test_protocol.py",
    "coordinates": "test_protocol.py",
}
"""Settings that are tested by themselves."""


def matches(settings: Settings) -> list[bytes]:
    """What some random matches come to."""
    batch = Batch(GAME, settings, 8, range(12))
    policy = RandomAnswers(range(12), 8)
    while batch.observations is not None and batch.turn < 60:
        batch.answer(policy(batch.observations))
    s = batch.state
    return [array.tobytes() for array in (s.turn, s.score, s.ghost_row, s.item, s.row, s.invincible)]


def test_every_setting_is_tested() -> None:
    assert {f.name for f in fields(Settings)} == {*CHANGES, *ELSEWHERE}


@pytest.mark.slow
@pytest.mark.parametrize("key", CHANGES)
def test_a_setting_makes_a_difference(key: str) -> None:
    assert matches(replace(BASE, **{key: CHANGES[key]})) != matches(BASE)


def test_spread() -> None:
    assert GAME.initial_state(Settings(spread=7), 4, [1]).walls.shape == (1, 14, 14)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("side", 2, "side must be 0, or a whole number in 3..1000"),
        ("side", 5000, "side must be 0, or a whole number in 3..1000"),
        ("turns", 0, "turns=0: turns must be a whole number in 1..1000000"),
        ("phase_most", 4, "phase_most=4: phase_most must be a whole number in 5..1000"),
        ("invincible", 0, "invincible must be"),
        ("coordinates", "x,y", "coordinates must be one of"),
        ("side_queries", -1, "side_queries must be"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(key: str, value: Any, text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        Settings(**{key: value})


def test_points_and_turns_of_invincibility_are_those_of_the_settings() -> None:
    settings = Settings(power_points=7, invincible=3, ghost_points=9)
    t = play(field("A o _ _ _\n_ _ _ _ _\n_ _ . _ _\n_ _ _ _ _\n_ _ _ _ _"), settings, A="E")
    assert (t.score("A"), t.invincible("A")) == (7, 3)
    t = play(
        field("A b _ _ _\n_ _ _ _ _\n_ _ . _ _\n_ _ _ _ _\n_ _ _ _ _", "A invincible 2", "b waits"), settings, A="E"
    )
    assert t.score("A") == 9


def test_without_npc_ghosts_the_game_goes_on() -> None:
    batch = Batch(GAME, Settings(ghosts=0, turns=30), 3, [1])
    policy = RandomAnswers([1], 3)
    while batch.observations is not None:
        batch.answer(policy(batch.observations))
    assert batch.turn == 30
    assert (np.asarray(batch.state.status) == 2).all()
