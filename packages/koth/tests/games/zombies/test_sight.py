"""Zombies see who is in their window, however wide it is and wherever the board's edge runs."""

from __future__ import annotations

import numpy as np
import pytest

from koth.games.zombies import GAME
from koth.games.zombies.prey import chase, note_prey
from koth.games.zombies.state import BODY, DX, DY, Settings


@pytest.mark.slow
@pytest.mark.parametrize("vision", [1, 8, 31, 32, 33, pytest.param(60, marks=pytest.mark.compiled)])
def test_rule_4_a_zombie_sees_as_far_as_its_window_reaches(vision: int) -> None:
    settings = Settings(players=9, vision=vision, shoot_range=1, density=9 / (5 * vision) ** 2)
    state = GAME.initial_state(settings, 1, [vision])
    state.kind[0, :5] = BODY  # only the living count
    side = state.slot_at.shape[1]
    note_prey(state, 0)
    xs, ys = state.x[0, 5:9], state.y[0, 5:9]
    seen = np.zeros((side, side), bool)
    near = np.zeros((side, side), bool)
    for y in range(side):
        for x in range(side):
            seen[y, x] = chase(state.first_prey[0], state.prey[0], state.x[0], x, y, vision) >= 0
            across = np.maximum(_apart(xs, x, side), _apart(ys, y, side))
            near[y, x] = (across <= vision).any()
    assert (seen == near).all()
    assert 0 < near.mean() < 1


@pytest.mark.parametrize("vision", [1, 8, 31, 32, 33, 60])
def test_rule_4_a_zombie_goes_where_the_nearest_stands(vision: int) -> None:
    """Of those as near: the smallest x offset, then the smallest y offset."""
    settings = Settings(players=7, vision=vision, shoot_range=1, density=7 / (3 * vision) ** 2)
    tied = 0
    for seed in range(4):
        state = GAME.initial_state(settings, 1, [seed])
        side = state.slot_at.shape[1]
        note_prey(state, 0)
        for y, x in np.random.default_rng(seed).integers(0, side, (50, 2)).tolist():
            dx, dy = ((at - k + vision) % side - vision for at, k in ((state.x[0, :7], x), (state.y[0, :7], y)))
            steps = [(max(abs(a), abs(b)), a, b) for a, b in zip(dx.tolist(), dy.tolist(), strict=True)]
            if (nearest := min(steps))[0] <= vision and nearest[0] > 0:
                move = chase(state.first_prey[0], state.prey[0], state.x[0], x, y, vision)
                assert (DX[move], DY[move]) == tuple(np.sign(nearest[1:]))
                tied += sorted(steps)[1][0] == nearest[0]
    assert tied


def _apart(places: np.ndarray, place: int, side: int) -> np.ndarray:  # type: ignore[type-arg]
    """How far squares are from each other along one side of a torus."""
    there = np.abs(places - place)
    return np.minimum(there, side - there)
