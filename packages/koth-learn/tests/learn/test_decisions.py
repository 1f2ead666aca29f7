"""Decisions as rows: only asked agents, with what each gained until it was asked again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from koth.games import GAMES
from koth_learn import rollout
from tests.learn.small import small


@pytest.mark.parametrize("name", GAMES)
def test_rows_are_the_decisions_of_asked_agents(name: str) -> None:
    env, same = small(name, limit=9), small(name, limit=9)
    draw, again = np.random.default_rng(1), np.random.default_rng(1)
    edges = env.encoding.places

    def policy(random: np.random.Generator, masks: np.ndarray) -> np.ndarray:
        drawn = random.random(masks.shape) * masks
        return np.stack([drawn[:, a:b].argmax(1) for a, b in pairwise(edges)], 1)

    env.reset(3)
    same.reset(3)
    found = rollout(env, lambda observations, masks: policy(draw, masks), 40, scale=0.5)
    rows: list[list[float]] = []  # agent, reward, ended
    last = np.full(same.matches * same.agents, -1)
    scores = []
    for step in range(40):
        agents = np.flatnonzero(same.arrays["asked"])
        assert found.agents[found.edges[step] : found.edges[step + 1]].tolist() == agents.tolist()
        masks = same.arrays["mask"].reshape(len(last), -1)[agents]
        actions = np.zeros((len(last), len(same.choices)), np.int64)
        for key, array in same.arrays.observations.items():
            own = found.observations[key][found.edges[step] : found.edges[step + 1]]
            assert (own == array.reshape(len(last), *array.shape[2:])[agents]).all()
        if len(agents):
            actions[agents] = policy(again, masks)
        for agent in agents.tolist():
            last[agent] = len(rows)
            rows.append([agent, 0.0, 0.0])
        _, rewards, terminated, truncated, infos = same.step(actions.reshape(same.action_shape))
        scores += infos["final_scores"][infos["ended"]].tolist()
        for agent in np.flatnonzero(last >= 0).tolist():
            match, unit = divmod(agent, same.agents)
            rows[last[agent]][1] += 0.5 * rewards[match, unit]
            if terminated[match, unit] or truncated[match, unit] or infos["ended"][match]:
                rows[last[agent]][2], last[agent] = 1.0, -1
    assert len(rows) == len(found.actions) < 40 * len(last)
    assert np.column_stack([found.agents, found.rewards, found.ended]) == pytest.approx(np.array(rows))
    assert found.final_scores.tolist() == scores != []


def test_advantages_follow_an_agent_from_decision_to_decision() -> None:
    """Without discount and with a trace of 1 they are the episode's rewards to come less the value."""
    env = small("pacman", 2, limit=9)
    env.reset(1)
    found = rollout(env, lambda observations, masks: masks.argmax(1), 12, scale=0.1)
    values = np.arange(len(found.rewards), dtype=np.float32)
    final = np.full(env.matches * env.agents, 7.0)
    advantages = found.advantages(values, final, 1.0, 1.0)
    for row, agent in enumerate(found.agents.tolist()):
        own = [at for at in np.flatnonzero(found.agents == agent).tolist() if at >= row]
        ends = [at for at in own if found.ended[at]]
        to_come = found.rewards[[at for at in own if not ends or at <= ends[0]]].sum() + (0.0 if ends else 7.0)
        assert advantages[row] == pytest.approx(to_come - row, abs=1e-3)


def test_idle_agents_have_no_rows() -> None:
    env = small("pacman", 2)
    env.reset(1)
    first = np.arange(env.matches * env.agents) == 0
    found = rollout(env, lambda observations, masks: masks.argmax(1), 5, idle=lambda observations: first)
    assert 0 not in found.agents
    assert found.last_idle.tolist() == first.tolist()
