"""PPO for masked choices, in PyTorch: one policy for all agents of an environment (`baselines.py` trains with it).

    pip install 'packages/koth-learn[onnx]' torch onnx

Proximal policy optimisation of Schulman et al. 2017: clipped ratios, generalised advantages, normalised in each
minibatch, gradients clipped by their norm, a learning rate that falls to 0. Choices that are not possible have a
logit of minus infinity; several actions of one agent are drawn independently. One agent's decisions are those steps
in which it is asked; what it gains until it is asked again is added up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

import koth_learn

torch.set_num_threads(1)


@dataclass(frozen=True)
class Plan:
    """The sizes of a training; `steps` are those of a rollout, `scale` is what a reward is multiplied with."""

    decisions: int
    steps: int
    scale: float = 1.0
    centred: bool = True  # planes show the squares around the agent
    hidden: int = 64
    gamma: float = 0.99
    trace: float = 0.95  # lambda of the advantages
    rate: float = 1e-3
    epochs: int = 3
    minibatch: int = 1024
    clip: float = 0.2
    bonus: float = 0.01  # of entropy
    idle: Callable[[Mapping[str, np.ndarray]], np.ndarray] | None = None  # agents that can gain nothing more


class Policy(nn.Module):
    """Logits of all choices and a value.

    Planes that show the squares around the agent are taken as they are on the 5 x 5 squares in the middle, and in
    sums of 3 x 3 squares elsewhere; everything else is taken as it is.
    """

    def __init__(self, env: koth_learn.Environment, plan: Plan) -> None:
        super().__init__()
        hidden = plan.hidden
        self.names = list(env.encoding.observations)
        self.shapes = [field.shape for field in env.encoding.observations.values()]
        self.choices = list(env.choices)
        self.centred = plan.centred
        shown = [torch.zeros(1, *field.shape) for field in env.encoding.observations.values()]
        size = self.eye(shown).shape[1]
        self.body = nn.Sequential(nn.Linear(size, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.logits = nn.Linear(hidden, sum(env.choices))
        self.value = nn.Linear(hidden, 1)
        nn.init.orthogonal_(self.logits.weight, 0.01)

    def eye(self, observations: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return float32[rows, size], of the arrays of an observation with a row for each agent."""
        found = []
        for part, shape in zip(observations, self.shapes, strict=True):
            if self.centred and len(shape) == 3:
                top, left = (size // 2 - 2 for size in shape[-2:])
                found.append(part[:, :, top : top + 5, left : left + 5].flatten(1))
                found.append(9 * nn.functional.avg_pool2d(part, 3, ceil_mode=True).flatten(1))
            else:
                found.append(part.flatten(1) if shape else part[:, None])
        return torch.cat(found, 1)

    def inputs(self, observations: dict[str, np.ndarray], rows: np.ndarray) -> torch.Tensor:
        """Return float32[rows, size]: the inputs of these agents."""
        flat = (observations[name].reshape(-1, *observations[name].shape[2:])[rows] for name in self.names)
        return self.eye([torch.from_numpy(part).float() for part in flat])

    def forward(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen = self.body(inputs)
        return self.logits(seen), self.value(seen)[:, 0]

    def draws(self, logits: torch.Tensor, mask: torch.Tensor) -> list[torch.distributions.Categorical]:
        """Return the distribution of each action; choices that the mask excludes have a chance of 0."""
        parts = logits.masked_fill(~mask, -1e9).split(self.choices, 1)
        return [torch.distributions.Categorical(logits=part, validate_args=False) for part in parts]

    def best(self, observations: Mapping[str, np.ndarray], masks: np.ndarray) -> np.ndarray:
        """Return the likeliest choices, int64[rows, actions]: a `koth_learn.Policy`."""
        with torch.no_grad():
            logits = self(self.eye([torch.from_numpy(observations[name]).float() for name in self.names]))[0]
        draws = self.draws(logits, torch.from_numpy(masks))
        return torch.stack([one.logits.argmax(1) for one in draws], 1).numpy()


class AsBot(nn.Module):
    """The policy as a bot runs it: named observations in, logits out."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, *observations: torch.Tensor) -> torch.Tensor:
        return self.policy(self.policy.eye([part.float() for part in observations]))[0]


def log_chance(draws: Sequence[torch.distributions.Categorical], actions: torch.Tensor) -> torch.Tensor:
    """Return the logarithm of the chance of each row's actions, float32[rows]."""
    return torch.stack([one.log_prob(actions[:, k]) for k, one in enumerate(draws)]).sum(0)


class Decisions(NamedTuple):
    """The decisions of a step: of these agents (`rows`), by these inputs, with these chances."""

    step: int
    rows: np.ndarray
    inputs: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    chances: torch.Tensor
    values: torch.Tensor


class Trainer:
    """One policy for all agents of an environment."""

    def __init__(self, env: koth_learn.Environment, plan: Plan, seed: int) -> None:
        torch.manual_seed(seed)
        self.env, self.plan = env, plan
        self.policy = Policy(env, plan)
        self.adam = torch.optim.Adam(self.policy.parameters(), plan.rate, eps=1e-5)
        self.observations, self.infos = env.reset(seed)
        self.decisions = 0
        self.scores: list[float] = []  # the seats' mean, of matches that have ended

    def idle(self) -> np.ndarray:
        """Return bool[matches, agents]: agents that are neither asked nor learnt from."""
        shape = self.env.matches, self.env.agents
        return self.plan.idle(self.observations) if self.plan.idle else np.zeros(shape, np.bool_)

    def rollout(self) -> tuple[torch.Tensor, ...]:
        """Play `steps` steps; return the columns of `Decisions` from inputs on, then advantages and targets."""
        kept: list[Decisions] = []
        agents = self.env.matches * self.env.agents
        last = np.zeros((self.plan.steps, agents), np.bool_)
        rewards = np.zeros((self.plan.steps, agents), np.float32)
        for t in range(self.plan.steps):
            actions = np.zeros((agents, len(self.env.choices)), np.int64)
            rows = np.flatnonzero(self.infos["asked"] & ~self.idle())
            if len(rows):
                kept.append(self.decide(t, rows))
                actions[rows] = kept[-1].actions.numpy()
            self.observations, gained, terminated, truncated, self.infos = self.env.step(
                actions.reshape(self.env.action_shape)
            )
            rewards[t] = self.plan.scale * gained.reshape(-1)
            last[t] = (terminated | truncated | self.infos["ended"][:, None]).reshape(-1)
            self.scores += self.infos["final_scores"][self.infos["ended"]].mean(axis=1).tolist()
        advantages = torch.from_numpy(self.advantages(kept, rewards, last))
        self.decisions += len(advantages)
        columns = [torch.cat([getattr(one, name) for one in kept]) for name in Decisions._fields[2:]]
        return *columns, advantages, advantages + columns[-1]

    def decide(self, t: int, rows: np.ndarray) -> Decisions:
        """Draw the actions of each of these agents."""
        inputs = self.policy.inputs(self.observations, rows)
        mask = torch.from_numpy(self.infos["mask"].reshape(-1, sum(self.env.choices))[rows])
        with torch.no_grad():
            logits, values = self.policy(inputs)
        draws = self.policy.draws(logits, mask)
        actions = torch.stack([one.sample() for one in draws], 1)
        return Decisions(t, rows, inputs, mask, actions, log_chance(draws, actions), values)

    def advantages(self, kept: list[Decisions], rewards: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Return float32[decisions]: generalised advantages, each agent's from the rollout's end backwards."""
        agents = rewards.shape[1]
        with torch.no_grad():
            value = self.policy(self.policy.inputs(self.observations, np.arange(agents)))[1].numpy().copy()
        value[self.idle().reshape(-1)] = 0
        advantage, pending = np.zeros(agents, np.float32), np.zeros(agents, np.float32)
        found, step = [], len(rewards)
        for one in reversed(kept):
            while step > one.step:  # back to this one: what was gained, and where matches ended
                step -= 1
                for array in (value, advantage, pending):
                    array[last[step]] = 0
                pending += rewards[step]
            rows, values = one.rows, one.values.numpy()
            delta = pending[rows] + self.plan.gamma * value[rows] - values
            advantage[rows] = delta + self.plan.gamma * self.plan.trace * advantage[rows]
            found.append(advantage[rows].copy())
            value[rows], pending[rows] = values, 0
        return np.concatenate(found[::-1])

    def learn(self, batch: tuple[torch.Tensor, ...], rate: float) -> None:
        """Take gradient steps on a rollout's decisions."""
        plan, count = self.plan, len(batch[0])
        for group in self.adam.param_groups:
            group["lr"] = rate
        for _ in range(plan.epochs):
            for rows in torch.randperm(count).split(plan.minibatch):
                inputs, mask, actions, before, _, gained, targets = (column[rows] for column in batch)
                logits, values = self.policy(inputs)
                draws = self.policy.draws(logits, mask)
                gained = (gained - gained.mean()) / (gained.std(correction=0) + 1e-8)
                ratio = (log_chance(draws, actions) - before).exp()
                clipped = ratio.clamp(1 - plan.clip, 1 + plan.clip)
                surrogate = torch.minimum(ratio * gained, clipped * gained).mean()
                entropy = torch.stack([one.entropy() for one in draws]).sum(0).mean()
                loss = 0.5 * (values - targets).pow(2).mean() - surrogate - plan.bonus * entropy
                self.adam.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
                self.adam.step()

    def train(self) -> Iterator[tuple[int, float, float]]:
        """Learn; yields decisions, minutes of this process, and the mean score of a seat in the last 50 matches."""
        start = time.process_time()
        while (done := self.decisions / self.plan.decisions) < 1:
            self.learn(self.rollout(), self.plan.rate * (1 - done))
            minutes = (time.process_time() - start) / 60
            yield self.decisions, minutes, float(np.mean(self.scores[-50:] or [np.nan]))


def export(policy: Policy, folder: Path, env: koth_learn.Environment) -> Path:
    """Write a policy as a bot's folder, and `folder`.onnx beside it; returns the folder."""
    model = folder.with_suffix(".onnx")
    shown = [torch.zeros(2, *field.shape) for field in env.encoding.observations.values()]
    torch.onnx.export(
        AsBot(policy).eval(), tuple(shown), str(model), input_names=policy.names, output_names=["logits"],
        dynamic_axes={name: {0: "rows"} for name in (*policy.names, "logits")}, dynamo=False,
    )  # fmt: skip
    return koth_learn.export(model, folder, env)
