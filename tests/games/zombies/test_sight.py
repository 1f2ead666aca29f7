"""Zombies see who is in their window, however wide it is and wherever the board's edge runs."""

from __future__ import annotations

import numpy as np
import pytest

from koth.games.zombies import GAME
from koth.games.zombies.rules import note_prey, sees_prey
from koth.games.zombies.state import BODY, Settings


@pytest.mark.parametrize("vision", [1, 8, 31, 32, 33, 60])
def test_rule_4_a_zombie_sees_as_far_as_its_window_reaches(vision: int) -> None:
    settings = Settings(players=9, vision=vision, shoot_range=1, density=9 / (5 * vision) ** 2)
    state = GAME.start(settings, 1, [vision])
    state.kind[0, :5] = BODY  # only the living count
    side = state.slot_at.shape[1]
    note_prey(state, 0)
    xs, ys = state.x[0, 5:9], state.y[0, 5:9]
    seen = np.zeros((side, side), bool)
    near = np.zeros((side, side), bool)
    for y in range(side):
        for x in range(side):
            seen[y, x] = sees_prey(state.prey[0], x, y, vision)
            across = np.maximum(_apart(xs, x, side), _apart(ys, y, side))
            near[y, x] = (across <= vision).any()
    assert (seen == near).all()
    assert 0 < near.mean() < 1


def _apart(places: np.ndarray, place: int, side: int) -> np.ndarray:  # type: ignore[type-arg]
    """How far squares are from each other along one side of a torus."""
    there = np.abs(places - place)
    return np.minimum(there, side - there)
