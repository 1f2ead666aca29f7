"""Masked PPO with self-play, in one file: `python examples/learn/ppo.py pacman --minutes 10`.

    pip install 'koth[learn]'

All seats of all matches are played by one network that learns from all of them; in every second match the other seats
are played by an earlier self of it or by the game's greedy policy. What comes out, after Ctrl-C too, is a checkpoint
(`pacman.npz`), a curve (`pacman.csv`), and a bot (`pacman_bot/`) for `koth run pacman pacman_bot @greedy`.

Proximal policy optimisation is that of Schulman et al. 2017, with the details of Huang et al. 2022 that matter here:
advantages normalised in each minibatch, losses clipped, gradients clipped by their norm, a learning rate that falls
to 0, logits of what is not possible put to minus infinity. Where a network has a memory (metalman-by-memory), it is
learnt through time over each rollout, from the memory with which that began.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd import grad

import koth.learn
from koth.games.pacman.prospects import DEAD
from koth.games.zombies.state import PLAYER
from koth.learn import Chooser, Network


@dataclass(frozen=True)
class Plan:
    """What is learnt, and how."""

    game: str
    seats: int
    settings: dict[str, Any]
    matches: int
    steps: int  # of each rollout
    options: dict[str, Any] = field(default_factory=dict)  # of the encoding
    hidden: tuple[int, ...] = (32,)
    memory: int = 0
    scales: tuple[float, ...] = (1.0,)  # of the scalars
    idle: Callable[[Any], np.ndarray] | None = None  # who acts to no purpose, by what they observe
    reward: float = 1.0  # what a reward is multiplied with
    limit: int | None = None
    shaping: Callable[[Any, np.ndarray], None] | None = None
    gamma: float = 0.99
    trace: float = 0.95  # lambda of the advantages
    rate: float = 1e-3
    epochs: int = 3
    minibatch: int = 2048
    clip: float = 0.2
    bonus: float = 0.01  # of entropy
    seed: int = 1


def is_ghost(shown: dict[str, np.ndarray]) -> np.ndarray:
    """A Pac-Man that has died scores no more."""
    return shown["prospects"][:, 0, DEAD] > 0


def survival(state: Any, rewards: np.ndarray) -> None:
    """What a player of zombies gets for a turn: a half if it lives, and as much as the part of its own that lives."""
    matches, agents = rewards.shape
    alive = (state.kind[:, :agents] == PLAYER).reshape(matches, -1, agents // state.score.shape[1])
    rewards[:] = (0.5 * alive + 0.5 * alive.mean(axis=2, keepdims=True)).reshape(matches, agents)


def pieces(state: Any, rewards: np.ndarray) -> None:
    """What a player of Metal Man gets beside a win's one point: a fifth for a piece it takes, less for its own."""
    count = np.arange(state.captures.shape[1])
    match, entry = np.nonzero(count < state.captured[:, None])
    captor, _, victim, _ = state.captures[match, entry].T
    np.add.at(rewards, (match, captor), 0.2)
    np.add.at(rewards, (match, victim), -0.2)
    rewards -= 0.2 * state.crushed.sum(axis=2)


PLANS = {
    "pacman": Plan(
        "pacman", 4, {}, 48, 32, {"prospects": True}, reward=0.02, gamma=0.985, minibatch=1024, idle=is_ghost
    ),
    "zombies": Plan(
        "zombies", 4, {}, 4, 16, {"prospects": True}, reward=0.1, limit=400, shaping=survival, gamma=0.97
    ),
    "metalman": Plan(
        "metalman", 4, {}, 64, 64, {"prospects": True}, shaping=pieces, gamma=0.96, minibatch=1024, bonus=0.002
    ),
    "metalman-by-memory": Plan(
        "metalman", 2, {}, 64, 32, hidden=(128, 64), memory=64, scales=(0.2, 0.1, 1, 0.05, 0.05, 1, 0.05, 0.05),
        gamma=0.98, bonus=0.02,
    ),
}  # fmt: skip


class Adam:
    """Kingma and Ba 2015, with gradients clipped by their norm."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self.first = {name: np.zeros_like(w) for name, w in weights.items()}
        self.second = {name: np.zeros_like(w) for name, w in weights.items()}
        self.count = 0

    def step(self, weights: dict[str, np.ndarray], gradients: dict[str, np.ndarray], rate: float) -> None:
        self.count += 1
        norm = np.sqrt(sum(float((g**2).sum()) for g in gradients.values()))
        for name, gradient in gradients.items():
            g = gradient * min(1.0, 0.5 / (norm + 1e-6))
            self.first[name] += 0.1 * (g - self.first[name])
            self.second[name] += 0.001 * (g**2 - self.second[name])
            unbiased = self.first[name] / (1 - 0.9**self.count)
            spread = np.sqrt(self.second[name] / (1 - 0.999**self.count))
            weights[name] = (weights[name] - rate * unbiased / (spread + 1e-5)).astype(np.float32)


def log_chances(logits: Any, mask: np.ndarray, places: list[int], xp: Any = np) -> Iterator[Any]:
    """The logarithm of each choice's chance, action by action; what is not possible has none."""
    for first, last in pairwise(places):
        part = xp.where(mask[:, first:last], logits[:, first:last], -1e9)
        part = part - xp.max(part, axis=1, keepdims=True)
        yield part - xp.log(xp.sum(xp.exp(part), axis=1, keepdims=True))


class Rollout:
    """What so many agents saw, did and got in so many steps; [steps, agents] and more axes."""

    def __init__(self, plan: Plan, env: koth.learn.Environment, network: Network) -> None:
        count = env.matches * env.agents
        shape = (plan.steps, count)
        shown = {name: np.zeros((1, *a.shape[2:]), a.dtype) for name, a in env.arrays.observations.items()}
        self.inputs = np.zeros((*shape, *network.inputs(shown).shape[1:]), np.float32)
        self.mask = np.zeros((*shape, env.encoding.places[-1]), np.bool_)
        self.actions = np.zeros((*shape, len(env.choices)), np.int64)
        self.chance = np.zeros(shape, np.float32)  # its logarithm
        self.values = np.zeros((plan.steps + 1, count), np.float32)
        self.rewards = np.zeros(shape, np.float32)
        self.last = np.zeros(shape, np.bool_)  # the agent's match ended with this step, or the agent did
        self.asked = np.zeros(shape, np.bool_)
        self.memory = np.zeros((count, network.remembers), np.float32)  # at the beginning

    def advantages(self, gamma: float, trace: float) -> np.ndarray:
        """Generalised advantage estimates. Who is not asked waits: time stands still for it, rewards add up."""
        steps, count = self.rewards.shape
        found = np.zeros((steps, count), np.float32)
        after, value = np.zeros(count, np.float32), self.values[-1].copy()
        waiting = np.zeros(count, np.float32)
        for t in reversed(range(steps)):
            after[self.last[t]] = value[self.last[t]] = waiting[self.last[t]] = 0
            waiting += self.rewards[t]
            asked = self.asked[t]
            delta = waiting + gamma * value - self.values[t]
            after = np.where(asked, delta + gamma * trace * after, after)
            found[t] = np.where(asked, after, 0)
            value = np.where(asked, self.values[t], value)
            waiting[asked] = 0
        return found


class Learner:
    """One run: an environment, the network that learns, and those it meets."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        told = {"settings": plan.settings, "limit": plan.limit, "shaping": plan.shaping, **plan.options}
        self.env = koth.learn.make(plan.game, plan.matches, plan.seats, **told)
        self.network = self.begun()
        self.network.draws = True
        self.adam = Adam(self.network.weights)
        self.random = np.random.default_rng(plan.seed)
        self.greedy = koth.learn.greedy_policy(self.env)
        self.earlier: Network | None = None
        seats = np.broadcast_to(self.env.units.seat, (plan.matches, self.env.agents))
        match = np.arange(plan.matches)[:, None]
        others = seats != match // 4 % plan.seats
        self.of_greedy = (others & (match % 4 == 1)).reshape(-1)
        self.of_earlier = (others & (match % 4 == 3)).reshape(-1)
        self.own = ~self.of_greedy & ~self.of_earlier
        self.observations, self.infos = self.env.reset(plan.seed)
        self.memory = np.zeros((self.own.size, self.network.remembers), np.float32)
        self.returns = np.zeros(self.own.size)
        self.ended: list[float] = []  # what the agents that have ended have got in all
        self.scores: list[float] = []  # what the network's seat has scored in matches against the greedy policy
        self.steps = 0

    def begun(self) -> Network:
        """A network that knows nothing yet."""
        plan = self.plan
        if plan.options.get("prospects"):
            return Chooser.new(self.env.purpose, *plan.hidden, seed=plan.seed)
        scales = {"scalars": plan.scales}
        return Network.new(self.env.purpose, plan.hidden, memory=plan.memory, scales=scales, seed=plan.seed)

    def flat(self, array: np.ndarray) -> np.ndarray:
        return array.reshape(self.own.size, *array.shape[2:])

    def act(self, rollout: Rollout, t: int) -> np.ndarray:
        """Actions of all agents; what the network's own see and do is kept."""
        plan, network, places = self.plan, self.network, self.env.encoding.places
        shown = {name: self.flat(array) for name, array in self.observations.items()}
        asked = self.flat(self.infos["asked"]) & ~self.idle(shown)
        mask = self.flat(self.infos["mask"])
        actions = np.zeros((self.own.size, len(self.env.choices)), np.int64)
        own = np.flatnonzero(asked & self.own)
        inputs = network.inputs({name: array[own] for name, array in shown.items()})
        memory = self.memory[own] if plan.memory else None
        logits, values, memory = network.outputs(network.weights, inputs, mask[own], memory)
        if memory is not None:
            self.memory[own] = memory
        for k, chances in enumerate(log_chances(logits, mask[own], places)):
            picked = (chances + self.random.gumbel(size=chances.shape)).argmax(1)
            actions[own, k] = picked
            rollout.chance[t, own] += chances[np.arange(len(own)), picked]
        rollout.inputs[t, own], rollout.mask[t, own], rollout.values[t, own] = inputs, mask[own], values
        rollout.actions[t], rollout.asked[t, own] = actions, True
        for theirs, policy in ((self.of_greedy, self.greedy), (self.of_earlier, self.earlier or self.greedy)):
            rows = np.flatnonzero(asked & theirs)
            if len(rows):
                told = (rows,) if hasattr(policy, "begin") else ()
                said = policy({name: array[rows] for name, array in shown.items()}, mask[rows], *told)
                actions[rows] = said.reshape(len(rows), -1)
        return actions.reshape(self.env.action_shape)

    def collect(self) -> Rollout:
        rollout = Rollout(self.plan, self.env, self.network)
        rollout.memory[:] = self.memory
        for t in range(self.plan.steps):
            actions = self.act(rollout, t)
            self.observations, rewards, terminated, truncated, self.infos = self.env.step(actions)
            rollout.rewards[t] = self.flat(rewards) * self.plan.reward
            rollout.last[t] = self.flat(terminated | truncated | self.infos["ended"][:, None])
            self.note(self.flat(rewards), np.repeat(self.infos["ended"], self.env.agents))
            for match in np.flatnonzero(self.infos["ended"] & (np.arange(self.plan.matches) % 4 == 1)):
                self.scores.append(float(self.infos["final_scores"][match, match // 4 % self.plan.seats]))
        self.steps += int(rollout.asked.sum())
        shown = {name: self.flat(array) for name, array in self.observations.items()}
        memory = self.memory if self.plan.memory else None
        inputs, mask = self.network.inputs(shown), self.flat(self.infos["mask"]) | self.idle(shown)[:, None]
        values = self.network.outputs(self.network.weights, inputs, mask, memory)[1]
        rollout.values[-1] = np.where(self.idle(shown), 0, values)
        return rollout

    def idle(self, shown: dict[str, np.ndarray]) -> np.ndarray:
        """Who is neither asked nor learnt from."""
        return self.plan.idle(shown) if self.plan.idle else np.zeros(self.own.size, np.bool_)

    def note(self, rewards: np.ndarray, ended: np.ndarray) -> None:
        """Add up what agents get; where a match has ended all of its agents begin anew."""
        self.returns += rewards
        self.ended += self.returns[ended & self.own].tolist()
        self.returns[ended] = 0
        self.memory[ended] = 0
        if self.earlier is not None:
            self.earlier.begin(np.flatnonzero(ended))

    def learn(self, rollout: Rollout, rate: float) -> None:
        advantages = rollout.advantages(self.plan.gamma, self.plan.trace)
        targets = advantages + rollout.values[:-1]
        for _ in range(self.plan.epochs):
            for batch in self.batches(rollout):
                told = advantages, targets, batch
                gradients = grad(self.loss)(self.network.weights, rollout, *told)
                self.adam.step(self.network.weights, gradients, rate)

    def batches(self, rollout: Rollout) -> Iterator[Any]:
        """Minibatches: (steps, agents) of single decisions; with a memory, agents with all their steps."""
        if self.plan.memory:
            agents = self.random.permutation(np.flatnonzero(self.own))
            parts = max(1, len(agents) * self.plan.steps // self.plan.minibatch)
            yield from np.array_split(agents, parts)
        else:
            places = self.random.permutation(np.flatnonzero(rollout.asked))
            for part in np.array_split(places, max(1, len(places) // self.plan.minibatch)):
                yield np.unravel_index(part, rollout.asked.shape)

    def forward(self, weights: Any, rollout: Rollout, batch: Any) -> tuple[Any, Any, Any]:
        """Logits and values of a minibatch, and the places in the rollout that they are of."""
        if not self.plan.memory:
            told = rollout.inputs[batch], rollout.mask[batch]
            logits, values, _ = self.network.outputs(weights, *told, None, anp)
            return logits, values, batch
        memory: Any = rollout.memory[batch]
        found = []
        for t in range(self.plan.steps):
            told = rollout.inputs[t, batch], rollout.mask[t, batch]
            logits, values, after = self.network.outputs(weights, *told, memory, anp)
            found.append((logits, values))
            asked = rollout.asked[t, batch][:, None]
            memory = anp.where(asked, after, memory) * ~rollout.last[t, batch][:, None]
        steps, agents = np.nonzero(rollout.asked[:, batch])
        line = steps * len(batch) + agents
        logits = anp.concatenate([logits for logits, _ in found])[line]
        values = anp.concatenate([values for _, values in found])[line]
        return logits, values, (steps, batch[agents])

    def loss(self, weights: Any, rollout: Rollout, advantages: np.ndarray, targets: np.ndarray, batch: Any) -> Any:
        logits, values, at = self.forward(weights, rollout, batch)
        mask, actions = rollout.mask[at], rollout.actions[at]
        rows = np.arange(len(actions))
        chance, entropy = 0.0, 0.0
        for k, chances in enumerate(log_chances(logits, mask, self.env.encoding.places, anp)):
            chance = chance + chances[rows, actions[:, k]]
            entropy = entropy - anp.mean(anp.sum(anp.exp(chances) * chances, axis=1))
        gained = advantages[at]
        gained = (gained - gained.mean()) / (gained.std() + 1e-8)
        ratio = anp.exp(chance - rollout.chance[at])
        clipped = anp.clip(ratio, 1 - self.plan.clip, 1 + self.plan.clip)
        policy = -anp.mean(anp.minimum(ratio * gained, clipped * gained))
        return policy + 0.5 * anp.mean((values - targets[at]) ** 2) - self.plan.bonus * entropy

    def remember(self) -> None:
        """Keep a copy of the network to play against."""
        arrays = {name: array.copy() for name, array in self.network.arrays().items()}
        self.earlier = type(self.network).of(arrays, self.env.purpose)
        self.earlier.begin(np.arange(self.own.size))

    def updates(self, minutes: float, most: int) -> Iterator[tuple[int, float]]:
        """Learn; yields how many updates and minutes it has taken so far."""
        update, passed, done, start = 0, 0.0, 0.0, time.process_time()
        while done < 1:
            self.learn(self.collect(), self.plan.rate * (1 - done))
            update, passed = update + 1, (time.process_time() - start) / 60
            done = max(passed / minutes, update / most)
            if update % 20 == 10:
                self.remember()
            yield update, passed

    def means(self) -> tuple[float, float]:
        """What agents have got of late in a match, and what the network has scored against the greedy policy."""
        self.ended, self.scores = self.ended[-max(200, 4 * self.env.agents) :], self.scores[-100:]
        return tuple(round(float(np.mean(told or [0])), 3) for told in (self.ended, self.scores))


def train(plan: Plan, minutes: float = 1e9, updates: int = 1_000_000, say: Any = print) -> tuple[Network, list[Any]]:
    """Learn for so many minutes or updates, whatever is less, or until Ctrl-C; the network, and its curve.

    Minutes are the processor's. How fast the learning rate falls hangs on them: by updates a run can be repeated.
    A line of the curve: decisions learnt from, minutes, what the last hundred agents got on average in a match, and
    what the network scored in the last hundred matches against the greedy policy.
    """
    learner, curve = Learner(plan), []
    with suppress(KeyboardInterrupt):
        for update, passed in learner.updates(minutes, updates):
            if learner.ended:
                curve.append((learner.steps, round(passed, 2), *learner.means()))
                if update % 10 == 0:
                    said = f"{update:5} updates, {learner.steps:9,} decisions, {passed:5.1f} min"
                    say(f"{said}: return {curve[-1][2]:8.2f}, score against greedy {curve[-1][3]:8.2f}")
    return learner.network, curve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=PLANS)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, default=30, help="of the processor's time (30)")
    length.add_argument("--updates", type=int, help="in their place: such a run can be repeated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path())
    told = parser.parse_args()
    bot = told.out / f"{told.game}_bot"
    if bot.exists():
        parser.error(f"{bot} exists already")
    told.out.mkdir(parents=True, exist_ok=True)
    until = {"updates": told.updates} if told.updates else {"minutes": told.minutes}
    network, curve = train(replace(PLANS[told.game], seed=told.seed), **until)
    network.draws = False  # as a bot it does what it finds best: far better than drawing
    network.save(told.out / f"{told.game}.npz")
    with open(told.out / f"{told.game}.csv", "w", newline="") as file:
        csv.writer(file).writerows([("decisions", "minutes", "return", "score"), *curve])
    print("exported", koth.learn.export(network, bot))


if __name__ == "__main__":
    main()
