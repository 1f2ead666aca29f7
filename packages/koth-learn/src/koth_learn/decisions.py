"""Decisions as rows: what a training loop learns from, without the rows of agents that are not asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from koth.game import Array
from koth_learn.environment import Environment
from koth_learn.policies import Policy, check_actions


@dataclass(frozen=True)
class Decisions:
    """The decisions of a rollout, a row each, in the order of the steps."""

    observations: Mapping[str, Array]
    masks: Array
    actions: Array
    """int64[rows, actions]."""
    rewards: Array
    """float32[rows]: what the agent gained until it was asked again, its episode ended, or the rollout did."""
    ended: Array
    """bool[rows]: the agent's episode ended before another decision."""
    agents: Array
    """int64[rows]: match * agents + agent."""
    edges: Array
    """int64[steps + 1]: the first row of each step, then the number of rows."""
    last_observations: Mapping[str, Array]
    """The observations of all agents after the last step, with one axis for all agents."""
    last_idle: Array
    """bool[all agents]: agents that can gain nothing more then."""
    final_scores: Array
    """float64[ended matches, seats]."""

    def advantages(self, values: Array, last_values: Array, gamma: float = 0.99, trace: float = 0.95) -> Array:
        """Return float32[rows]: each agent's generalised advantages (Schulman et al. 2016) by decisions.

        `values` are of the rows, `last_values` of all agents in `last_observations`.
        """
        following = np.where(self.last_idle, 0, last_values).astype(np.float32)
        found, advantage = np.zeros(len(self.rewards), np.float32), np.zeros(len(following), np.float32)
        for first, last in reversed(list(pairwise(self.edges.tolist()))):
            agents, goes_on = self.agents[first:last], ~self.ended[first:last]
            delta = self.rewards[first:last] + gamma * goes_on * following[agents] - values[first:last]
            found[first:last] = delta + gamma * trace * goes_on * advantage[agents]
            advantage[agents], following[agents] = found[first:last], values[first:last]
        return found


def rollout(
    env: Environment,
    policy: Policy,
    steps: int,
    *,
    scale: float = 1.0,
    idle: Callable[[Mapping[str, Array]], Array] | None = None,
) -> Decisions:
    """Play `steps` steps from where the environment is, and return the decisions of asked agents only.

    Rewards are multiplied by `scale`. `idle` returns from observations (by name, [all agents, ...]) which agents can
    gain nothing more: these get action 0 and no rows.
    """
    count = env.matches * env.agents
    kept: list[tuple[dict[str, Array], Array, Array, Array]] = []
    edges, scores = [0], [np.zeros((0, env.seats))]
    rewards, ended = np.zeros(steps * count, np.float32), np.zeros(steps * count, np.bool_)
    open_row = np.full(count, -1)  # of each agent's last decision, while its episode goes on
    for _ in range(steps):
        shown = {name: array.reshape(count, *array.shape[2:]) for name, array in env.arrays.observations.items()}
        asked, masks = env.arrays["asked"].reshape(count), env.arrays["mask"].reshape(count, -1)
        agents = np.flatnonzero(asked if idle is None else asked & ~idle(shown))
        actions = np.zeros((count, len(env.choices)), np.int64)
        own = {name: array[agents] for name, array in shown.items()}
        if len(agents):
            actions[agents] = check_actions(policy(own, masks[agents]), len(agents), np.array(env.choices))
        kept.append((own, masks[agents], actions[agents], agents))
        open_row[agents] = edges[-1] + np.arange(len(agents))
        edges.append(edges[-1] + len(agents))
        _, gained, terminated, truncated, infos = env.step(actions.reshape(env.action_shape))
        is_over = (terminated | truncated | infos["ended"][:, None]).reshape(count)
        is_open = open_row >= 0
        rewards[open_row[is_open]] += scale * gained.reshape(count)[is_open]
        ended[open_row[is_open & is_over]] = True
        open_row[is_over] = -1
        scores.append(infos["final_scores"][infos["ended"]])
    last = {name: array.reshape(count, *array.shape[2:]).copy() for name, array in env.arrays.observations.items()}
    observed, *others = zip(*kept, strict=True)
    all_masks, all_actions, rows = map(np.concatenate, others)
    return Decisions(
        {name: np.concatenate([one[name] for one in observed]) for name in last}, all_masks, all_actions,
        rewards[: edges[-1]], ended[: edges[-1]], rows, np.array(edges), last,
        np.zeros(count, np.bool_) if idle is None else idle(last), np.concatenate(scores),
    )  # fmt: skip
