"""PPO for masked choices, in PyTorch: one policy for all agents of an environment (`baselines.py` trains with it).

    pip install 'packages/koth-learn[onnx]' torch onnx

Proximal policy optimisation of Schulman et al. 2017: clipped ratios, generalised advantages, normalised in each
minibatch, gradients clipped by their norm, a learning rate that falls to 0. Choices that are not possible have a
logit of minus infinity; several actions of one agent are drawn independently. `koth_learn.rollout` returns decisions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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

    def inputs(self, observations: Mapping[str, np.ndarray]) -> torch.Tensor:
        """Return float32[rows, size]: the inputs of agents."""
        return self.eye([torch.from_numpy(observations[name]).float() for name in self.names])

    def forward(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen = self.body(inputs)
        return self.logits(seen), self.value(seen)[:, 0]

    def draws(self, logits: torch.Tensor, mask: torch.Tensor) -> list[torch.distributions.Categorical]:
        """Return the distribution of each action; choices that the mask excludes have a chance of 0."""
        parts = logits.masked_fill(~mask, -1e9).split(self.choices, 1)
        return [torch.distributions.Categorical(logits=part, validate_args=False) for part in parts]

    def draw(self, observations: Mapping[str, np.ndarray], masks: np.ndarray) -> np.ndarray:
        """Draw choices by their chances, int64[rows, actions]: a `koth_learn.Policy`."""
        return self._chosen(observations, masks, lambda one: one.sample())

    def best(self, observations: Mapping[str, np.ndarray], masks: np.ndarray) -> np.ndarray:
        """Return the likeliest choices, int64[rows, actions]: a `koth_learn.Policy`."""
        return self._chosen(observations, masks, lambda one: one.logits.argmax(1))

    def _chosen(self, observations: Mapping[str, np.ndarray], masks: np.ndarray, choose: Callable) -> np.ndarray:
        with torch.no_grad():
            draws = self.draws(self(self.inputs(observations))[0], torch.from_numpy(masks))
        return torch.stack([choose(one) for one in draws], 1).numpy()


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


class Trainer:
    """One policy for all agents of an environment."""

    def __init__(self, env: koth_learn.Environment, plan: Plan, seed: int) -> None:
        torch.manual_seed(seed)
        self.env, self.plan = env, plan
        self.policy = Policy(env, plan)
        self.adam = torch.optim.Adam(self.policy.parameters(), plan.rate, eps=1e-5)
        env.reset(seed)
        self.decisions = 0
        self.scores: list[float] = []  # the seats' mean, of matches that have ended

    def rollout(self) -> tuple[torch.Tensor, ...]:
        """Play `steps` steps; return inputs, masks, actions, chances, advantages and targets of all decisions."""
        plan, policy = self.plan, self.policy
        found = koth_learn.rollout(self.env, policy.draw, plan.steps, scale=plan.scale, idle=plan.idle)
        inputs, masks = policy.inputs(found.observations), torch.from_numpy(found.masks)
        actions = torch.from_numpy(found.actions)
        with torch.no_grad():
            logits, values = policy(inputs)
            last_values = policy(policy.inputs(found.last_observations))[1]
        chances = log_chance(policy.draws(logits, masks), actions)
        advantages = torch.from_numpy(found.advantages(values.numpy(), last_values.numpy(), plan.gamma, plan.trace))
        self.decisions += len(advantages)
        self.scores += found.final_scores.mean(axis=1).tolist()
        return inputs, masks, actions, chances, advantages, advantages + values

    def learn(self, batch: tuple[torch.Tensor, ...], rate: float) -> None:
        """Take gradient steps on a rollout's decisions."""
        plan, count = self.plan, len(batch[0])
        for group in self.adam.param_groups:
            group["lr"] = rate
        for _ in range(plan.epochs):
            for rows in torch.randperm(count).split(plan.minibatch):
                inputs, mask, actions, before, gained, targets = (column[rows] for column in batch)
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
