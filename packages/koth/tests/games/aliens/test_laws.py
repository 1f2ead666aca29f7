"""The laws that every game keeps, held against aliens, and its own fog."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.engine.batch import Batch
from koth.game import copy_state
from koth.games.aliens import GAME
from koth.games.aliens.state import Settings, State
from koth.testing import LAWS, Case, RandomAnswers


def crowded(meetings: str) -> Settings:
    """A planet so crowded that everybody meets, and so rich in points that random ones are legal."""
    return Settings(instances=10, prey=4, points=60, base_hp=60, rounds=25, space=1, meetings=meetings)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("meetings", ["pairs", "first"])
def test_law(law: Callable[[Case], None], meetings: str) -> None:
    law(Case(GAME, crowded(meetings), seats=3, turns=12))


@given(st.integers(0, 2**32 - 1), st.integers(0, 14))
def test_fog(seed: int, rounds: int) -> None:
    """Change everybody whom an alien does not see: its questions stay the same, whatever it is asked."""
    settings = Settings(instances=5, prey=3, points=60, rounds=20, space=4)
    batch = Batch(GAME, settings, 2, [seed % 5])
    policy = RandomAnswers([seed % 5], 2)
    while batch.observations is not None and (batch.turn < rounds or batch.observations.question.name != "move"):
        batch.answer(policy(batch.observations))
    if batch.observations is None or not len(batch.observations):
        return
    row = seed % len(batch.observations)
    slot = int(batch.observations.unit[row])
    state = copy_state(batch.state)
    scramble(state, slot, int(batch.observations.fields["sight"][row]), np.random.default_rng(seed))
    other = Batch.from_state(GAME, settings, 2, state)
    assert other.observations.question.name == batch.observations.question.name == "move"
    again = other.observations.unit.tolist().index(slot)
    before, after = batch.observations.rows(row, row + 1), other.observations.rows(again, again + 1)
    for name, values in before.fields.items():
        assert values.tobytes() == after.fields[name].tobytes(), name


def scramble(state: State, slot: int, sight: int, dice: np.random.Generator) -> None:
    """Move and alter who is out of sight, without bringing it into sight, and alter the insides of the rest."""
    side = int(np.sqrt(state.count_at.shape[1]))
    x, y, hp, ability = state.x[0], state.y[0], state.hp[0], state.ability[0]

    def hidden(i: int) -> bool:
        dx, dy = abs(x[i] - x[slot]), abs(y[i] - y[slot])
        return bool(max(min(dx, side - dx), min(dy, side - dy)) > sight)

    for i in range(len(x)):
        if i == slot or hp[i] == 0:
            continue
        if hidden(i):
            x[i], y[i] = dice.integers(0, side, 2)
            while not hidden(i):
                x[i], y[i] = dice.integers(0, side, 2)
        hp[i] = dice.integers(1, 500)
        ability[i] = dice.integers(1, 30, 5)
