"""Matches in which some seats are played by others: policies on arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from koth.errors import KothError
from koth.game import Array
from koth.learn.environment import Environment

Policy = Callable[[dict[str, Array], Array], Array]
"""Actions (int[rows], or int[rows, actions]) for what so many agents observe and the mask of what they may do."""


class RandomPolicy:
    """A policy that draws each action uniformly from the possible ones; the same every time from the same seed."""

    def __init__(self, choices: tuple[int, ...], seed: int = 0) -> None:
        self._seed = seed
        self._places = np.cumsum((0, *choices))
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Draw as if it were new; otherwise for another seed of the environment's."""
        self._random = np.random.default_rng((self._seed, seed))

    def __call__(self, observations: Mapping[str, Array], mask: Array) -> Array:
        picks = self._random.random(mask.shape, np.float32) * mask
        pairs = zip(self._places[:-1], self._places[1:], strict=True)
        actions = [picks[..., first:last].argmax(-1) for first, last in pairs]
        return actions[0] if len(actions) == 1 else np.stack(actions, -1)


def random_policy(environment: Environment | Against, seed: int = 0) -> RandomPolicy:
    """The random policy for this environment's actions."""
    return RandomPolicy(environment.choices, seed)


class Against:
    """An environment without the agents of some seats, whose policies are told: `opponents` by seat.

    Arrays are as `Environment`'s, of the agents that are left (`learners`: their places among all). A step plays
    on until one of these is asked, anywhere; rewards and ends on the way are told together.
    """

    def __init__(self, environment: Environment, opponents: Mapping[int, Policy]) -> None:
        unknown = set(opponents) - set(range(environment.seats))
        if unknown or len(opponents) == environment.seats:
            raise KothError(f"opponents take some of the seats 0 to {environment.seats - 1}, not {sorted(opponents)}")
        self.environment, self.opponents = environment, dict(opponents)
        self.matches, self.choices = environment.matches, environment.choices
        seats = environment.bodies.seat
        self.learners = np.flatnonzero(~np.isin(seats, list(opponents)))
        self.agents = len(self.learners)
        self._theirs = {seat: np.flatnonzero(seats == seat) for seat in opponents}
        self._actions = np.zeros(environment.action_shape, np.int64)

    def reset(self, seed: int = 0) -> tuple[dict[str, Array], dict[str, Any]]:
        """As `Environment.reset`; policies that have a `reset` are told the seed, too."""
        for policy in self.opponents.values():
            if hasattr(policy, "reset"):
                policy.reset(seed)
        told = self.environment.reset(seed)
        if not told[1]["asked"][:, self.learners].any():
            result = self._step()
            return result[0], result[4]
        return self._own(told[0]), self._infos(told[1], told[1]["ended"])

    def step(self, actions: Array) -> tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]:
        """As `Environment.step`, of the agents that are left."""
        self._actions[:, self.learners] = actions
        return self._step()

    def _step(self) -> tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]:
        rewards = np.zeros((self.matches, self.agents), np.float32)
        terminated, truncated = np.zeros_like(rewards, np.bool_), np.zeros_like(rewards, np.bool_)
        ended = np.zeros(self.matches, np.bool_)
        while True:
            self._ask_opponents()
            told, gained, died, cut, infos = self.environment.step(self._actions)
            rewards += gained[:, self.learners]
            terminated |= died[:, self.learners]
            truncated |= cut[:, self.learners]
            ended |= infos["ended"]
            if infos["asked"][:, self.learners].any():
                return self._own(told), rewards, terminated, truncated, self._infos(infos, ended)

    def _ask_opponents(self) -> None:
        arrays = self.environment.arrays
        for seat, policy in self.opponents.items():
            asked = np.zeros(arrays["asked"].shape, np.bool_)
            theirs = self._theirs[seat]
            asked[:, theirs] = arrays["asked"][:, theirs]
            if asked.any():
                shown = {name: array[asked] for name, array in arrays.observations.items()}
                self._actions[asked] = policy(shown, arrays["mask"][asked])

    def _own(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        return {name: array[:, self.learners] for name, array in arrays.items()}

    def _infos(self, infos: Mapping[str, Any], ended: Array) -> dict[str, Any]:
        own = self._own({name: infos[name] for name in ("mask", "asked", "alive")})
        final = self._own(infos["final_observations"])
        return {**infos, **own, "ended": ended, "final_observations": final}
