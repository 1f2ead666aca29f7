"""Matches in which some seats are played by others: policies on arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from koth.encoding import Scripted
from koth.errors import KothError
from koth.game import Array
from koth.games import load, part
from koth.learn.environment import Environment
from koth.learn.policies import Policy, RandomPolicy


def random_policy(environment: Environment | Against, seed: int = 0) -> RandomPolicy:
    """The random policy for this environment's actions."""
    return RandomPolicy(environment.purpose, seed)


def greedy_policy(environment: Environment | Against) -> Scripted:
    """The game's own policy that takes what is best at once. Raises KothError where a game has none."""
    game = load(environment.purpose.game)
    own = part(game, "greedy")
    if own is None:
        raise KothError(f"{game.name} has no greedy policy: it needs a module greedy.py with a class Greedy")
    made: Scripted = own.Greedy(environment.purpose)
    return made


class Against:
    """An environment without the agents of some seats, whose policies are told: `opponents` by seat.

    Arrays are as `Environment`'s, of the agents that are left (`learners`: their places among all). A step plays
    on until one of these is asked, anywhere; rewards and ends on the way are told together.
    """

    def __init__(self, environment: Environment, opponents: Mapping[int, Policy]) -> None:
        unknown = set(opponents) - set(range(environment.seats))
        if unknown or len(opponents) == environment.seats:
            raise KothError(f"opponents take some of the seats 0 to {environment.seats - 1}, not {sorted(opponents)}")
        self.environment, self.opponents, self.purpose = environment, dict(opponents), environment.purpose
        for policy in opponents.values():
            if hasattr(policy, "purpose"):
                policy.purpose.fits(self.purpose)
        self.matches, self.choices = environment.matches, environment.choices
        seats = environment.units.seat
        self.learners = np.flatnonzero(~np.isin(seats, list(opponents)))
        self.agents = len(self.learners)
        self._theirs = {seat: np.flatnonzero(seats == seat) for seat in opponents}
        self._actions = np.zeros(environment.action_shape, np.int64)

    @property
    def action_shape(self) -> tuple[int, ...]:
        """Of the array that `step` takes."""
        return self.matches, self.agents, *self._actions.shape[2:]

    def reset(self, seed: int | Sequence[int] = 0) -> tuple[dict[str, Array], dict[str, Any]]:
        """As `Environment.reset`; policies that have a `reset` are told the seed, too."""
        for policy in self.opponents.values():
            if hasattr(policy, "reset"):
                policy.reset(seed if isinstance(seed, int) else seed[0])
        told = self.environment.reset(seed)
        self._begin(np.ones(self.matches, np.bool_))
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
            if infos["ended"].any():
                self._begin(infos["ended"])
            if infos["asked"][:, self.learners].any():
                return self._own(told), rewards, terminated, truncated, self._infos(infos, ended)

    def _begin(self, matches: Array) -> None:
        """Tell policies with a memory whose matches begin."""
        for seat, policy in self.opponents.items():
            if hasattr(policy, "begin"):
                begun = np.flatnonzero(matches)[:, None] * self.environment.agents + self._theirs[seat]
                policy.begin(begun.reshape(-1))

    def _ask_opponents(self) -> None:
        for seat, policy in self.opponents.items():
            asked = np.zeros(self.environment.arrays["asked"].shape, np.bool_)
            theirs = self._theirs[seat]
            asked[:, theirs] = self.environment.arrays["asked"][:, theirs]
            if asked.any():
                self._actions[asked] = self._ask(policy, asked)

    def _ask(self, policy: Policy, asked: Array) -> Array:
        arrays = self.environment.arrays
        shown = {name: array[asked] for name, array in arrays.observations.items()}
        places = (np.flatnonzero(asked),) if hasattr(policy, "begin") else ()
        return policy(shown, arrays["mask"][asked], *places)

    def _own(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        return {name: array[:, self.learners] for name, array in arrays.items()}

    def _infos(self, infos: Mapping[str, Any], ended: Array) -> dict[str, Any]:
        own = self._own({name: infos[name] for name in ("mask", "asked", "alive")})
        final = self._own(infos["final_observations"])
        return {**infos, **own, "ended": ended, "final_observations": final}
