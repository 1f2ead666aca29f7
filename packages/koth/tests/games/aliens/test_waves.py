"""Asking in waves gives what asking one meeting at a time gives, and what the plain reference gives."""

from __future__ import annotations

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.game import no_answers
from koth.games.aliens import GAME
from koth.games.aliens.state import Settings
from koth.rng import word
from tests.games.aliens.reference import Reference

BUILDS = [[2, 2, 2, 2, 2], [0, 10, 0, 0, 0], [3.3, 3.3, 3.3, 0, 0], [0, 4.5, 0, 0, 5.5], [1, 1, 0, 8, 0]]


def wish(slot: int, levels: list[int], enemy: list[int]) -> bool:
    """A temper that depends on everything that it may depend on."""
    return (sum(levels) * 7 + sum(enemy) * 3 + slot) % 5 < 2


def move_of(slot: int, clock: int) -> int:
    return int(word(99, clock, 0, slot)) % 9


@pytest.mark.parametrize("meetings", ["pairs", "first"])
@pytest.mark.parametrize(("seats", "space"), [(3, 1.0), (2, 2.5)])
def test_waves_equal_one_meeting_at_a_time(meetings: str, seats: int, space: float) -> None:
    """A crowded planet, with a bot that dies on the way: equal states after each of 12 rounds."""
    settings = Settings(instances=25, prey=8, rounds=12, space=space, meetings=meetings)
    batch = Batch(GAME, settings, seats, [21])
    answers = no_answers(batch.observations, batch.nobody_gone())
    answers.fields["points"][:] = np.resize(BUILDS, (len(batch.observations), 5))
    batch.answer(answers)
    reference = Reference(settings, batch.state, wish)
    waves, longest = 0, 0
    while batch.observations is not None:
        turn = batch.turn
        gone = batch.nobody_gone()
        gone[0, 0] = turn >= 5
        observations = batch.observations
        mine = ~gone[0, observations.seat]
        answers = no_answers(observations, gone)
        if observations.question.name == "move":
            answers.fields["move"][mine] = [move_of(slot, turn) for slot in observations.unit[mine].tolist()]
            asked = dict(zip(observations.unit[mine].tolist(), answers.fields["move"][mine].tolist(), strict=True))
            longest = max(longest, waves)
            waves = 0
        else:
            waves += 1
            enemies, levels = observations.fields["enemy"].tolist(), observations.fields["levels"].tolist()
            answers.fields["fight"][:] = [
                wish(slot, own, enemy)
                for slot, own, enemy in zip(observations.unit.tolist(), levels, enemies, strict=True)
            ]
            answers.fields["fight"][~mine] = 1
        batch.answer(answers)
        if batch.turn > turn:
            reference.gone = gone[0].tolist()
            reference.round(asked)
            check(reference, batch)
    assert longest >= (4 if space == 1 else 3)


def check(reference: Reference, batch: Batch) -> None:
    state = batch.state
    for alien in reference.aliens:
        slot = alien.slot
        assert alien.hp == state.hp[0, slot]
        if alien.hp:
            assert (alien.x, alien.y) == (state.x[0, slot], state.y[0, slot])
        assert [float(value) for value in alien.ability] == state.ability[0, slot].tolist()
