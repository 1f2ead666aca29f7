"""Copies of a batch between two turns, where newcomers wait for their opening."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.engine.settings import choose
from koth.games import load
from koth.testing import RandomAnswers
from tests.learn.small import SMALL

WAYS: dict[str, Callable[[Batch], Batch]] = {
    "copy": Batch.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda batch: pickle.loads(pickle.dumps(batch)),
}


def course(batch: Batch, steps: int) -> list[bytes]:
    """What is asked from here on."""
    policy, told = RandomAnswers(range(batch.matches), batch.seats), []
    for _ in range(steps):
        observations = batch.observations
        if observations is None:
            break
        told.append(b"".join(array.tobytes() for array in (observations.match, *observations.fields.values())))
        batch.answer(policy(observations))
    return told


def opened(name: str) -> Batch:
    game = load(name)
    _, settings = choose(game, None, SMALL[name].get("settings", {}))
    return Batch(game, settings, SMALL[name]["seats"], [1, 2], copies=True)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["zombies", "pacman"])
def test_a_copy_in_on_turn_goes_on_alike(name: str, way: str) -> None:
    batch = opened(name)
    copies: list[Batch] = []

    def look() -> None:
        if batch.turn == 2:
            batch.reset(np.array([1]), [9])  # its opening is still to be played
        if batch.turn in (1, 2):
            copies.append(WAYS[way](batch))

    batch.on_turn = look
    while len(copies) < 2:
        course(batch, 1)
    batch.on_turn = None
    assert (copies[1].turn, course(copies[1], 8)) == (2, course(batch, 8))
    assert len(course(copies[0], 3)) == 3


def test_a_copy_of_a_batch_that_is_over_is_over() -> None:
    batch = opened("pacman")
    batch.max_turns = 1
    course(batch, 99)
    assert batch.copy().observations is None
