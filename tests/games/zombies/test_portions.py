"""A batch whose views would not fit into the processor's cache is asked in portions: nothing else changes."""

from __future__ import annotations

import numpy as np

from koth.game import Answers, Array, Batch, default_answers
from koth.games.zombies import GAME
from koth.games.zombies.state import Settings
from koth.rng import draw
from koth.views import PORTION

SETTINGS = Settings(players=6, vision=3, shoot_range=2, density=0.03)
TURNS = 12


def played(seeds: list[int], portion: int = PORTION) -> tuple[Batch, list[list[int]]]:
    """A batch after some turns, and which matches were asked at a time."""
    batch = Batch(GAME, SETTINGS, 2, seeds, portion=portion)
    asked: list[list[int]] = []
    while batch.asks is not None and batch.turn < TURNS:
        asks = batch.asks
        asked.append(np.unique(asks.match).tolist())
        fields = default_answers(asks.question, len(asks))
        fields["action"][:] = [
            draw(seeds[match], batch.turn, 9, body, 10)
            for match, body in zip(asks.match.tolist(), asks.body.tolist(), strict=True)
        ]
        batch.answer(Answers(fields, np.zeros(len(asks), np.uint8), batch.nobody_gone()))
    return batch, asked


def test_portions_change_nothing() -> None:
    seeds = [11, 12, 13, 14, 15]
    whole, asked = played(seeds)
    assert asked[0] == [0, 1, 2, 3, 4]
    row = 4 * (7 * 7 + 5)
    parts, asked = played(seeds, portion=2 * row * 12)
    assert asked[:4] == [[0, 1], [2, 3], [4], [0, 1]]
    assert parts.turn == whole.turn == TURNS
    for name, one, other in zip(whole.state._fields, whole.state, parts.state, strict=True):
        same: Array = one == other
        assert same.all(), name


def test_a_match_that_is_too_large_for_the_cache_is_a_portion_of_its_own() -> None:
    _, asked = played([21, 22], portion=1)
    assert asked[:4] == [[0], [1], [0], [1]]
