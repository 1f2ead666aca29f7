"""Games from elsewhere are learnt as their questions declare them."""

from __future__ import annotations

import numpy as np
from koth_snakes import GAME

from koth.encoding import Encoding
from koth.learn import Environment, random_policy
from koth.learn.purpose import Purpose


def test_a_game_without_an_encoding_of_its_own() -> None:
    settings = next(iter(GAME.rulesets.values()))
    facts = GAME.facts(settings, GAME.start(settings, 2, [0]), 0, 0)
    encoding = Encoding(facts, GAME.questions(settings, 2), 3, longest=20)
    env = Environment(GAME, settings, 2, encoding, 3, Purpose.of("snakes", 2, encoding), limit=12)
    policy = random_policy(env)
    shown, infos = env.reset(1)
    question = env.encoding.questions["move"]
    assert shown.keys() == question.view.keys()
    assert env.choices == (len(question.answer["move"].names),)
    ends = 0
    for _ in range(30):
        asks = env.batch.asks
        assert asks is not None
        start = 0
        for row, place in enumerate(np.argwhere(infos["asked"]).tolist()):
            m, agent = place
            assert shown["turn"][m, agent] == asks.view["turn"][row]
            parts = int(asks.view["parts"][row])
            told = np.zeros(20, np.uint8)
            told[: min(20, parts)] = asks.view["x"][start : start + min(20, parts)]
            assert (shown["x"][m, agent] == told).all()
            start += parts
        shown, _, _, _, infos = env.step(policy(shown, infos["mask"]))
        ends += infos["ended"].sum()
    assert ends
