"""Skeleton: its numbered rules, and the laws that every game keeps."""

import pytest
from koth_skeleton import GAME
from koth_skeleton.state import MOVES, Settings

from koth.engine.batch import Batch
from koth.game import no_answers
from koth.testing import LAWS, Case

SMALL = Settings(side=5, turns=20, gold=1)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law):
    law(Case(GAME, SMALL, seats=3))


def test_rules_2_and_3_a_step_over_the_edge_onto_gold():
    state = GAME.initial_state(SMALL, 2, [1])
    state.x[:], state.y[:], state.gold[:], state.gold[0, 0, 0] = [[4, 2]], [[0, 2]], False, True
    batch = Batch.from_state(GAME, SMALL, 2, state)
    answers = no_answers(batch.observations, batch.nobody_gone())
    answers["move"][:] = MOVES.index("east"), MOVES.index("stay")
    batch.answer(answers)
    assert (state.x[0].tolist(), state.score[0].tolist()) == ([0, 2], [1, 0])
