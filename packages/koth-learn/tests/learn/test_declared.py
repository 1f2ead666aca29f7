"""Games from elsewhere are learnt as their questions declare them."""

from __future__ import annotations

import numpy as np
from koth_snakes import GAME

from koth.encoding import Encoding
from koth_learn import Environment
from koth_learn.spec import PolicySpec


def test_a_game_without_an_encoding_of_its_own() -> None:
    settings = next(iter(GAME.rulesets.values()))
    match_info = GAME.match_info(settings, GAME.initial_state(settings, 2, [0]), 0, 0)
    encoding = Encoding(match_info, GAME.questions(settings, 2), 3, longest=20)
    env = Environment(GAME, settings, 2, encoding, 3, PolicySpec.of("snakes", encoding), limit=12)
    random = np.random.default_rng(1)
    shown, infos = env.reset(1)
    question = env.encoding.questions["move"]
    assert shown.keys() == question.observation.keys()
    assert env.choices == (len(question.answer["move"].names),)
    ends = 0
    for _ in range(30):
        observations = env.batch.observations
        assert observations is not None
        start = 0
        for row, place in enumerate(np.argwhere(infos["asked"]).tolist()):
            m, agent = place
            assert shown["turn"][m, agent] == observations.fields["turn"][row]
            parts = int(observations.fields["parts"][row])
            told = np.zeros(20, np.uint8)
            told[: min(20, parts)] = observations.fields["x"][start : start + min(20, parts)]
            assert (shown["x"][m, agent] == told).all()
            start += parts
        shown, _, _, _, infos = env.step(env.random_actions(random))
        ends += infos["ended"].sum()
    assert ends
