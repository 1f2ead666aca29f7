"""Matches for Gymnasium: many at a time (`VectorEnv`), or one agent's (`Env`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from koth.errors import KothError
from koth.game import Array
from koth.games import names
from koth.learn.environment import Environment, make, shaped
from koth.learn.picture import MODES, checked, rendered
from koth.learn.spaces import action_space, masks_for, observation_space
from koth.rng import derive


class Vector(VectorEnv):
    """Each agent of each match as an environment of its own, match after match.

    Arrays are written anew by every step: copy what you want to keep. Autoreset is of the same step. Where an agent
    dies before its match is over it is not `asked` any more until the next one.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": ["rgb_array", "ansi"], "render_fps": 10}  # noqa: RUF012

    def __init__(self, native: Environment, render_mode: str | None = None) -> None:
        self.native = native
        self.render_mode = checked(render_mode)
        self.num_envs = native.matches * native.agents
        self.single_observation_space = native.observation_space
        self.single_action_space = native.action_space
        self.observation_space = observation_space(native, self.num_envs)
        self.action_space = action_space(native, self.num_envs)
        self._seed = 0
        self._ended = np.zeros((native.matches, native.agents), np.bool_)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._seed = derive(self._seed, "next") if seed is None else seed
        observations, infos = self.native.reset(self._seed)
        return self._flat(observations), self._infos(infos)

    def step(self, actions: Array) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        given = shaped(actions, self.native.action_shape)
        observations, rewards, terminated, truncated, infos = self.native.step(given)
        self._ended[...] = infos["ended"][:, None]
        final = {"final_obs": self._flat(infos["final_observations"]), "_final_obs": self._one(self._ended)}
        own = {**self._infos(infos), **final}
        return self._flat(observations), self._one(rewards), self._one(terminated), self._one(truncated), own

    def action_masks(self) -> Array:
        """Return bool[num_envs, choices]: what each may do, as sb3-contrib asks for it."""
        return self._one(self.native.action_masks())

    def render(self) -> tuple[Any, ...]:
        """Return a picture for each environment: of its agent's match."""
        pictures = [rendered(self.native, self.render_mode, match) for match in range(self.native.matches)]
        return tuple(picture for picture in pictures for _ in range(self.native.agents))

    def close_extras(self, **_: Any) -> None:
        self.native.close()

    def _flat(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        return {name: self._one(array) for name, array in arrays.items()}

    def _one(self, array: Array) -> Array:
        """Return an array with one axis for all environments."""
        return array.reshape(self.num_envs, *array.shape[2:])

    def _infos(self, infos: Mapping[str, Any]) -> dict[str, Any]:
        each = self.native.agents
        turn, scores = np.repeat(infos["turn"], each), infos["final_scores"][:, self.native.units.seat]
        own = {"action_mask": self._one(infos["mask"]), "asked": self._one(infos["asked"])}
        return {**own, "turn": turn, "final_score": scores.reshape(-1)}


class Single(gymnasium.Env):
    """Return an environment of one agent's match against opponents on the other seats.

    Raises KothError where there are more agents.
    """

    metadata = {"render_modes": list(MODES), "render_fps": 10}  # noqa: RUF012

    def __init__(self, native: Environment, render_mode: str | None = None) -> None:
        if (native.matches, native.agents) != (1, 1):
            many = f"{native.agents} in {native.matches} match{'es' * (native.matches > 1)} of {native.game.name}"
            units = int(np.bincount(native.units.seat).max())
            cure = (
                "opponents={1: '@NAME', ...} take the other seats"
                if units == 1
                else f"a seat of it has {units} agents here (docs/learning.md has what helps)"
            )
            raise KothError(
                f"an Env is one agent's, and there are {many}: {cure}; "
                "for all of them: gymnasium.make_vec, koth.learn.parallel_env or koth.learn.vec_env"
            )
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
        observations, rewards, terminated, truncated, infos = self.native.step(
            shaped(action, self.native.action_shape, "the action")
        )
        ended = bool(terminated[0, 0]), bool(truncated[0, 0])
        shown = infos["final_observations"] if any(ended) else observations
        self._show()
        info = self._info(infos)
        if any(ended):
            info["scores"] = infos["final_scores"][0].tolist()
        return self._own(shown), float(rewards[0, 0]), *ended, info

    def action_masks(self) -> Array:
        """Return bool[choices]: what the agent may do now, as sb3-contrib's MaskablePPO asks for it."""
        masks: Array = self.native.action_masks()[0, 0]
        return masks

    def render(self) -> Any:
        return rendered(self.native, self.render_mode)

    def close(self) -> None:
        self.native.close()

    def _show(self) -> None:
        """Gymnasium wants who renders for people to do so unasked."""
        if self.render_mode == "human":
            self.render()

    def _own(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        return {name: array[0, 0].copy() for name, array in arrays.items()}

    def _info(self, infos: Mapping[str, Any]) -> dict[str, Any]:
        mask = masks_for(self.native, infos["mask"][0])[0]
        return {"action_mask": mask, "turn": int(infos["turn"][0])}


def env(game: str, render_mode: str | None = None, **options: Any) -> Single:
    """Return one agent's match, with `make`'s options."""
    return Single(make(game, 1, **options), render_mode)


def vector_env(game: str, num_envs: int = 1, render_mode: str | None = None, **options: Any) -> Vector:
    """Return so many matches, with `make`'s options; an environment for each agent of each."""
    return Vector(make(game, num_envs, **options), render_mode)


for name in names():
    gymnasium.register(
        f"koth/{name}-v0",
        f"{__name__}:env",
        vector_entry_point=f"{__name__}:vector_env",
        kwargs={"game": name},
        disable_env_checker=True,
    )
