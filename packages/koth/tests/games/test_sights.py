"""The squares that a frame says a bot sees are those of its observations."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.frame import visible_squares
from koth.game import Observations
from koth.games import load
from koth.testing import RandomAnswers

Places = set[tuple[int, int]]


def around(x: int, y: int, reach: int, side: int) -> Places:
    return {((x + dx) % side, (y + dy) % side) for dx in range(-reach, reach + 1) for dy in range(-reach, reach + 1)}


def shown_to_zombies_bot(observations: Observations, rows: np.ndarray, frame: dict[str, Any]) -> Places:
    observation, reach = observations.fields, observations.fields["window"].shape[1] // 2
    return set().union(
        *(around(int(observation["x"][r]), int(observation["y"][r]), reach, frame["side"]) for r in rows)
    )


def shown_to_aliens_bot(observations: Observations, rows: np.ndarray, frame: dict[str, Any]) -> Places:
    """A body is its slot, and its window has so many squares."""
    found: Places = set()
    for r in rows:
        reach = (int(np.sqrt(observations.fields["cells"][r])) - 1) // 2
        slot = int(observations.unit[r])
        found |= around(int(frame["x"][slot]), int(frame["y"][slot]), reach, frame["side"])
    return found


ASKED: dict[str, tuple[str, Callable[..., Places]]] = {
    "zombies": ("act", shown_to_zombies_bot),
    "aliens": ("move", shown_to_aliens_bot),
}
"""Games whose bodies see a window: the question that shows it, and what it shows. (Pac-Man's and Metal Man's sight is
told square by square in their own tests.)"""


def cases_of(name: str) -> list[tuple[dict[str, Any], int, Places]]:
    """Frame, seat, and what the seat is shown, at some turns of a match."""
    game = load(name)
    settings = next(iter(game.rulesets.values()))
    seats, (question, shown) = 3, ASKED[name]
    batch, policy, found = Batch(game, settings, seats, [5]), RandomAnswers([5], 3), []
    while batch.observations is not None and batch.turn < 12:
        observations = batch.observations
        if observations.question.name == question and batch.turn % 2 == 0:
            frame = copy.deepcopy(dict(game.frame(settings, batch.state, 0)))  # its arrays are the state's
            for seat in range(seats):
                rows = np.flatnonzero(observations.seat == seat)
                places = shown(observations, rows, frame)
                found.append((frame, seat, places))
        batch.answer(policy(observations))
    return found


@pytest.mark.parametrize("name", ASKED)
def test_frames_show_what_units_are_shown(name: str) -> None:
    cases = cases_of(name)
    assert any(places for *_, places in cases)
    for frame, seat, places in cases:
        rows, columns = visible_squares(load(name).frame_spec, frame, seat).nonzero()
        assert set(zip(columns.tolist(), rows.tolist(), strict=True)) == places
