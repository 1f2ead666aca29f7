"""Learners choose what the game declares as legal; a plain game is learnt from as any other."""

from __future__ import annotations

import numpy as np
import pytest

import koth_learn
from koth.encoding import Encoding
from koth.game import default_answers
from koth.games import GAMES
from koth.question import are_legal
from koth_learn import Environment
from koth_learn.spec import PolicySpec
from tests.test_plain import GAME, Settings


@pytest.mark.parametrize("name", GAMES)
def test_what_learners_may_choose_is_legal_by_the_games_own_declaration(name: str) -> None:
    env = koth_learn.make(name, 2, 4)
    env.reset(1)
    random = np.random.default_rng(1)
    for _ in range(12):
        observations, asked = env.batch.observations, env.arrays["asked"].ravel()
        assert observations is not None
        actions = env.random_actions(random)
        chosen = actions.reshape(len(asked), -1)[asked].astype(np.int64)
        fields = default_answers(observations.question, len(observations))
        env.encoding.answer(observations, chosen, fields)
        assert are_legal(observations, fields).all()
        env.step(actions)


def test_it_is_learnt_from_as_any_game() -> None:
    settings = Settings()
    info = GAME.match_info(settings, GAME.initial_state(settings, 2, [0]), 0, 0)
    encoding = Encoding(info, GAME.questions(settings, 2), 1, longest=4)
    env = Environment(GAME, settings, 2, encoding, 1, PolicySpec.of("auction", encoding), limit=12)
    env.reset(1)
    ends = sum(int(env.step(env.random_actions(np.random.default_rng(1)))[-1]["ended"].sum()) for _ in range(30))
    assert ends
