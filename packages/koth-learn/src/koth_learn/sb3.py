"""Matches as a VecEnv of Stable-Baselines3, which must be installed (no extra includes it: it brings PyTorch)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from koth.errors import KothError
from koth.game import Array
from koth_learn.environment import Environment
from koth_learn.inputs import settings_in, whole_numbers
from koth_learn.spaces import as_observation, observation_of, observation_space

try:
    from stable_baselines3.common.vec_env import VecEnv  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    raise KothError(
        "a VecEnv needs Stable-Baselines3: pip install stable-baselines3 (and sb3-contrib, for masks)"
    ) from None


class KothVecEnv(VecEnv):  # type: ignore[misc,unused-ignore]
    """Each agent of each match as an environment, match after match; returned arrays are copies.

    `info` of an environment that is done has `terminal_observation`, `TimeLimit.truncated`, `score` (its seat's) and
    `scores`. If an agent is not asked, only one action is possible, and it is ignored.
    """

    def __init__(self, native: Environment, flat: bool = False) -> None:
        self.native, self.flat = native, flat
        self._actions: Array = np.zeros(native.action_shape, np.int64)
        space = observation_space(native, flat=flat)
        super().__init__(native.matches * native.agents, space, native.action_space)

    def __repr__(self) -> str:
        return f"<VecEnv of {self.num_envs} agents: {self.native!r}>"

    def reset(self) -> Any:
        """Begin all matches with `seed` and `set_options`, or else as `Environment.reset` without a seed."""
        observations, _ = self.native.reset(self._seeds[0], settings_in(self._options[0]))
        self._reset_seeds()
        self._reset_options()
        return self._own(observations)

    def step_async(self, actions: Array) -> None:
        shape = self.native.action_shape
        self._actions = whole_numbers(actions, (self.num_envs, *shape[2:])).reshape(shape)

    def step_wait(self) -> tuple[Any, Array, Array, list[dict[str, Any]]]:
        native = self.native
        observations, rewards, terminated, truncated, of_step = native.step(self._actions)
        done = (terminated | truncated).reshape(-1)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for k in np.flatnonzero(done).tolist():
            match, agent = divmod(k, native.agents)
            source = of_step["final_observations"] if of_step["ended"][match] else observations
            infos[k]["terminal_observation"] = observation_of(source, match, agent, self.flat)
            infos[k]["TimeLimit.truncated"] = bool(truncated[match, agent])
            if of_step["ended"][match]:
                scores = of_step["final_scores"][match]
                infos[k].update(score=float(scores[native.units.seat[agent]]), scores=scores.tolist())
        return self._own(observations), rewards.reshape(-1).copy(), done, infos

    def action_masks(self) -> Array:
        """Return bool[num_envs, choices]: each agent's possible choices."""
        return self.native.action_masks().reshape(self.num_envs, -1)

    def close(self) -> None:
        self.native.close()

    def get_images(self) -> Sequence[Array | None]:
        return [None] * self.num_envs  # as VecEnv requires without a render mode

    # What is asked of single environments is answered for all of them: they are rows of the same arrays.

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        if attr_name == "render_mode":
            return [None for _ in self._rows(indices)]
        return [getattr(self, attr_name) for _ in self._rows(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise KothError(
            f"{attr_name} can't be set: matches of one VecEnv are made alike, by koth_learn.make's options"
        )

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **options: Any) -> list[Any]:
        if method_name != "action_masks":
            raise KothError(f"agents of a VecEnv have no method {method_name!r} (there are: action_masks)")
        return list(self.action_masks()[list(self._rows(indices))])

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._rows(indices)]

    def _rows(self, indices: Any) -> Iterable[int]:
        rows: Iterable[int] = self._get_indices(indices)
        return rows

    def _own(self, arrays: dict[str, Array]) -> Any:
        """Return copies with one axis for all environments."""
        return as_observation(
            {name: array.reshape(self.num_envs, *array.shape[2:]).copy() for name, array in arrays.items()}, self.flat
        )
