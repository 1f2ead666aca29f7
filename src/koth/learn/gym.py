"""Matches for Gymnasium: many at a time (`VectorEnv`), or one agent's against a field (`Env`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from koth.errors import KothError
from koth.game import Array
from koth.games import names
from koth.learn.against import Against, random_policy
from koth.learn.environment import Environment, make
from koth.learn.picture import MODES, checked, rendered
from koth.learn.policies import Policy
from koth.learn.spaces import Native, action_space, masks_for, observation_space, of
from koth.rng import derive


class Vector(VectorEnv):
    """Each agent of each match as an environment of its own, match after match.

    Arrays are written anew by every step: copy what you want to keep. Autoreset is of the same step. Where an agent
    dies before its match is over it is not `asked` any more until the next one.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": ["rgb_array", "ansi"], "render_fps": 10}  # noqa: RUF012

    def __init__(self, native: Native, render_mode: str | None = None) -> None:
        self.native = native
        self.render_mode = checked(render_mode)
        self.num_envs = native.matches * native.agents
        self.single_observation_space = observation_space(native)
        self.single_action_space = action_space(native)
        self.observation_space = observation_space(native, self.num_envs)
        self.action_space = action_space(native, self.num_envs)
        self._seed = 0
        self._ended = np.zeros((native.matches, native.agents), np.bool_)
        self._flats: dict[int, Array] = {}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._seed = derive(self._seed, "next") if seed is None else seed
        observations, infos = self.native.reset(self._seed)
        return self._flat(observations), self._infos(infos)

    def step(self, actions: Array) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        several = (-1,) if len(self.native.choices) > 1 else ()
        shaped = np.asarray(actions).reshape(self.native.matches, self.native.agents, *several)
        observations, rewards, terminated, truncated, infos = self.native.step(shaped)
        told = self._infos(infos)
        self._ended[...] = infos["ended"][:, None]
        told["final_obs"], told["_final_obs"] = self._flat(infos["final_observations"]), self._one(self._ended)
        return self._flat(observations), self._one(rewards), self._one(terminated), self._one(truncated), told

    def render(self) -> tuple[Any, ...]:
        """A picture for each environment: of its agent's match."""
        pictures = [rendered(of(self.native), self.render_mode, match) for match in range(self.native.matches)]
        return tuple(picture for picture in pictures for _ in range(self.native.agents))

    def _flat(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        return {name: self._one(array) for name, array in arrays.items()}

    def _one(self, array: Array) -> Array:
        """With one axis for all environments; kept for who writes the same arrays in every step."""
        flat = self._flats.get(id(array))
        if flat is None:
            flat = array.reshape(self.num_envs, *array.shape[2:])
            if isinstance(self.native, Environment):
                self._flats[id(array)] = flat
        return flat

    def _infos(self, infos: Mapping[str, Any]) -> dict[str, Any]:
        return {"action_mask": self._one(infos["mask"]), "asked": self._one(infos["asked"])}


class Single(gymnasium.Env):
    """One agent's match against a field: policies on all other seats. Raises KothError where it has several."""

    metadata = {"render_modes": list(MODES), "render_fps": 10}  # noqa: RUF012

    def __init__(self, native: Against, render_mode: str | None = None) -> None:
        if (native.matches, native.agents) != (1, 1):
            raise KothError(f"an Env is one agent's, not {native.agents} agents' in {native.matches} matches")
        self.native = native
        self.render_mode = checked(render_mode)
        self.observation_space = observation_space(native)
        self.action_space = action_space(native)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        given = seed if seed is not None else int(self.np_random.integers(1 << 62))
        observations, infos = self.native.reset(given)
        self._show()
        return self._own(observations), self._info(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        shaped = np.asarray(action).reshape(1, 1, -1) if len(self.native.choices) > 1 else np.array([[action]])
        observations, rewards, terminated, truncated, infos = self.native.step(shaped)
        ended = bool(terminated[0, 0]), bool(truncated[0, 0])
        shown = infos["final_observations"] if any(ended) else observations
        self._show()
        return self._own(shown), float(rewards[0, 0]), *ended, self._info(infos)

    def render(self) -> Any:
        return rendered(of(self.native), self.render_mode)

    def _show(self) -> None:
        """Gymnasium wants who renders for people to do so unasked."""
        if self.render_mode == "human":
            self.render()

    def _own(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        return {name: array[0, 0].copy() for name, array in arrays.items()}

    def _info(self, infos: Mapping[str, Any]) -> dict[str, Any]:
        return {"action_mask": masks_for(self.native, infos["mask"][0])[0]}


def against(native: Environment, opponents: Mapping[int, Policy] | None) -> Against:
    """Seat 0 against these opponents; against the random policy everywhere if nobody is named."""
    field = {seat: random_policy(native, seat) for seat in range(1, native.seats)}
    return Against(native, field if opponents is None else opponents)


def env(
    game: str, opponents: Mapping[int, Policy] | None = None, render_mode: str | None = None, **options: Any
) -> Single:
    """`make`'s options for one match against a field."""
    return Single(against(make(game, 1, **options), opponents), render_mode)


def vector_env(
    game: str,
    num_envs: int = 1,
    opponents: Mapping[int, Policy] | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> Vector:
    """`make`'s options for so many matches; with `opponents={}` every agent is learnt, else those of seat 0."""
    native = make(game, num_envs, **options)
    return Vector(native if opponents == {} else against(native, opponents), render_mode)


for name in names():
    gymnasium.register(
        f"koth/{name}-v0",
        f"{__name__}:env",
        vector_entry_point=f"{__name__}:vector_env",
        kwargs={"game": name},
        disable_env_checker=True,
    )
