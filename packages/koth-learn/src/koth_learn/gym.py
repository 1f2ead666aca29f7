"""Matches for Gymnasium: many at a time (`VectorEnv`), or one agent's (`Env`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from koth.errors import KothError
from koth.game import Array
from koth.games import names
from koth.rng import derive
from koth_learn.construction import make
from koth_learn.environment import Environment
from koth_learn.inputs import check_seed, settings_in, whole_numbers
from koth_learn.picture import MODES, check_mode, render_match
from koth_learn.spaces import action_space, as_observation, masks_for, observation_of, observation_space


class Vector(VectorEnv):
    """Each agent of each match as an environment of its own, match after match.

    Returned arrays are copies. Autoreset happens in the same step. An agent that dies before its match is over is not
    `asked` until the next match.
    """

    autoreset_mode = AutoresetMode.SAME_STEP

    metadata = {  # noqa: RUF012
        "autoreset_mode": autoreset_mode,
    }

    def __init__(self, native: Environment, flat: bool = False) -> None:
        self.native, self.flat = native, flat
        self.num_envs = native.matches * native.agents
        self.single_observation_space = observation_space(native, flat=flat)
        self.single_action_space = native.action_space
        self.observation_space = observation_space(native, self.num_envs, flat=flat)
        self.action_space = action_space(native, self.num_envs)
        self._ended = np.zeros((native.matches, native.agents), np.bool_)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin all matches: match m as `gymnasium.make` with `seed` + m, or with `seed[m]`."""
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            seed = range(int(seed), int(seed) + self.native.matches)
        seeds = None if seed is None else [derive(check_seed(one), 0) for one in seed]
        observations, infos = self.native.reset(seeds, settings_in(options))
        return self._flat(observations), self._infos(infos)

    def step(self, actions: Array) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        shape = self.native.action_shape
        given = whole_numbers(actions, (self.num_envs, *shape[2:]))
        observations, rewards, terminated, truncated, infos = self.native.step(given.reshape(shape))
        self._ended[...] = infos["ended"][:, None]
        own = self._infos(infos)
        if self._ended.any():
            own |= {"final_obs": self._flat(infos["final_observations"]), "_final_obs": self._one(self._ended)}
        return self._flat(observations), self._one(rewards), self._one(terminated), self._one(truncated), own

    def action_masks(self) -> Array:
        """Return bool[num_envs, choices]: each agent's possible choices, as sb3-contrib expects them."""
        return self._one(self.native.action_masks())

    def close_extras(self, **_: Any) -> None:
        self.native.close()

    def _flat(self, arrays: Mapping[str, Array]) -> Any:
        return as_observation({name: self._one(array) for name, array in arrays.items()}, self.flat)

    def _one(self, array: Array) -> Array:
        """Return a copy with one axis for all environments."""
        return array.reshape(self.num_envs, *array.shape[2:]).copy()

    def _infos(self, infos: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "action_mask": self.action_masks(),
            "asked": self._one(infos["asked"]),
            "impossible": self._one(infos["impossible"]),
            "turn": np.repeat(infos["turn"], self.native.agents),
            "final_score": infos["final_scores"][:, self.native.units.seat].reshape(-1),
        }


class Single(gymnasium.Env):
    """A match of one agent against opponents on the other seats. Raises KothError if there are more agents."""

    metadata = {"render_modes": list(MODES), "render_fps": 10}  # noqa: RUF012

    def __init__(self, native: Environment, render_mode: str | None = None, flat: bool = False) -> None:
        if (native.matches, native.agents) != (1, 1):
            many = f"{native.agents} in {native.matches} match{'es' * (native.matches > 1)} of {native.game.name}"
            units = native.units_of_a_seat
            cure = (
                "opponents={1: '@NAME', ...} take the other seats"
                if units == 1
                else f"a seat has {units} agents here (docs/learning.md names remedies)"
            )
            raise KothError(
                f"an Env has one agent, and there are {many}: {cure}; "
                "for all of them: gymnasium.make_vec, koth_learn.parallel_env or koth_learn.vec_env"
            )
        self.native, self.flat = native, flat
        self.render_mode = check_mode(render_mode)
        self.observation_space = observation_space(native, flat=flat)
        self.action_space = action_space(native)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        observations, infos = self.native.reset(seed, settings_in(options))
        self._show()
        return self._own(observations), self._info(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observations, rewards, terminated, truncated, infos = self.native.step(
            whole_numbers(action, self.native.action_shape, "the action")
        )
        ended = bool(terminated[0, 0]), bool(truncated[0, 0])
        self._show()
        info = self._info(infos)
        if any(ended):
            info["scores"] = infos["final_scores"][0].tolist()
        return self._own(observations), float(rewards[0, 0]), *ended, info

    def action_masks(self) -> Array:
        """Return bool[choices]: the agent's possible choices, as sb3-contrib's MaskablePPO expects them."""
        masks: Array = self.native.action_masks()[0, 0]
        return masks

    def render(self) -> Any:
        return render_match(self.native, self.render_mode)

    def close(self) -> None:
        self.native.close()

    def _show(self) -> None:
        """Show the match in render mode `human`, which Gymnasium requires of `step` and `reset`."""
        if self.render_mode == "human":
            self.render()

    def _own(self, arrays: Mapping[str, Array]) -> Any:
        return observation_of(arrays, 0, 0, self.flat)

    def _info(self, infos: Mapping[str, Any]) -> dict[str, Any]:
        mask = masks_for(self.native, self.native.action_masks()[0])[0]
        return {"action_mask": mask, "turn": int(infos["turn"][0]), "impossible": bool(infos["impossible"][0, 0])}


def env(game: str, render_mode: str | None = None, flat: bool = False, **options: Any) -> Single:
    """Return one agent's match, with `make`'s options."""
    return Single(make(game, 1, autoreset=False, **options), render_mode, flat)


def vector_env(game: str, num_envs: int = 1, flat: bool = False, **options: Any) -> Vector:
    """Return `num_envs` matches, with `make`'s options; each agent of each match is an environment."""
    return Vector(make(game, num_envs, **options), flat)


for name in names():
    gymnasium.register(
        f"koth/{name}-v0",
        f"{__name__}:env",
        vector_entry_point=f"{__name__}:vector_env",
        kwargs={"game": name},
        disable_env_checker=True,
    )
