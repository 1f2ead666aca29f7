"""One match for PettingZoo: all agents act at the same time (parallel), or one after another (AEC)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv, register

from koth.errors import KothError, choices
from koth.game import Array
from koth.games import names
from koth.learn.environment import Environment, checked_seed, shaped
from koth.learn.picture import MODES, checked, rendered
from koth.learn.spaces import masks_for
from koth.rng import derive


class SeatTable:
    """One match, with its agents and their observations by name.

    Agents are `seat_0`, or `seat_0_unit_3` where a seat has several.
    """

    def __init__(self, native: Environment) -> None:
        self.native = native
        units = list(zip(native.units.seat.tolist(), native.units.unit.tolist(), strict=True))
        one = len(units) == native.seats
        self.names = [f"seat_{seat}" if one else f"seat_{seat}_unit_{unit}" for seat, unit in units]
        self.place = {name: k for k, name in enumerate(self.names)}
        self.observation_spaces = dict.fromkeys(self.names, native.observation_space)
        self.action_spaces: dict[str, spaces.Space[Any]] = dict.fromkeys(self.names, native.action_space)
        self._seed: int | None = None
        self._actions = np.zeros(native.action_shape, np.int64)

    def reset(self, seed: int | None) -> None:
        """Begin a new match; without a seed it follows from the last match's seed."""
        if seed is not None:
            self._seed = checked_seed(seed)
        else:
            self._seed = secrets.randbits(62) if self._seed is None else derive(self._seed, "next")
        self.native.reset([derive(self._seed, 0)])

    def step(self, actions: dict[str, Any]) -> None:
        """Take these actions; asked agents without one take action 0. Raises KothError for what is no action."""
        self._actions[:] = 0
        if actions:
            self._actions[0, self.places(actions)] = self._numbers(actions)
        self.native.step(self._actions)

    def _numbers(self, actions: dict[str, Any]) -> Array:
        """Return the actions as an array: at once, or one by one, to name the agent whose action is wrong."""
        shape = self.native.action_shape[2:]
        with suppress(ValueError):  # lists of several lengths
            found = np.array(list(actions.values()))
            if found.dtype.kind in "iu" and found.shape == (len(actions), *shape):
                return found
        return np.array([self.number(name, action) for name, action in actions.items()])

    def number(self, name: str, action: Any) -> Array:
        """Return an agent's action. Raises KothError for what is none."""
        return shaped(action, self.native.action_shape[2:], f"{name}: its action", exactly=True)

    def places(self, named: Iterable[str]) -> Array:
        """int64[named]: where these agents stand in the arrays."""
        try:
            return np.array([self.place[name] for name in named], np.int64)
        except KeyError as error:
            word = str(error.args[0])
            raise KothError(f"there is no agent {word!r}{choices(word, self.names)}") from None

    def alive(self) -> list[str]:
        """Return the names of the agents that can be asked in this match, now or later."""
        return [self.names[k] for k in np.flatnonzero(self.native.arrays["alive"][0])]

    @property
    def ended(self) -> bool:
        """True if the match came to its end in the last step."""
        return bool(self.native.arrays["ended"][0])

    def asked(self) -> list[str]:
        """Return the names of the agents that are asked now."""
        return [self.names[k] for k in np.flatnonzero(self.native.arrays["asked"][0])]

    def values(self, key: str, places: Array) -> list[Any]:
        """`rewards`, `terminated`, `truncated` or `asked` of the agents in these places, as Python's own values."""
        values: list[Any] = self.native.arrays[key][0, places].tolist()
        return values

    def shown(self, places: Array) -> dict[str, Array]:
        """Return a copy of these agents' observations; after the end, of their final ones."""
        arrays = self.native.arrays
        source = arrays.final_observations if self.ended else arrays.observations
        return {name: array[0].take(places, 0) for name, array in source.items()}

    def masks(self, places: Array) -> list[Any]:
        """Return the action masks of these agents as `sample` takes them; after the end everything is allowed."""
        arrays = self.native.arrays
        mask = arrays["mask"][0].take(places, 0)
        if self.ended:
            mask[:] = True
        elif not arrays["asked"][0, places].all():  # who has not been asked yet has none
            mask |= ~mask.any(axis=1, keepdims=True)
        return masks_for(self.native, mask)


def metadata(native: Environment) -> dict[str, Any]:
    """The metadata of an environment, by PettingZoo's conventions."""
    return {"name": f"{native.game.name}_v0", "render_modes": list(MODES), "render_fps": 10}


class Parallel(ParallelEnv):  # type: ignore[misc]
    """All agents that live act in every step; of those whose info says `asked` False nothing is looked at."""

    def __init__(self, native: Environment, render_mode: str | None = None) -> None:
        self.metadata = {**metadata(native), "is_parallelizable": True}
        self.render_mode = checked(render_mode)
        self.table = SeatTable(native)
        self.possible_agents = list(self.table.names)
        self.observation_spaces, self.action_spaces = self.table.observation_spaces, self.table.action_spaces
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def render(self) -> Any:
        return rendered(self.table.native, self.render_mode)

    def close(self) -> None:
        """Nothing is held open."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        self.table.reset(seed)
        self._live(self.table.alive())
        return self._observations(), self._infos()

    def _live(self, agents: list[str]) -> None:
        self.agents, self._places = agents, self.table.places(agents)

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        self.table.step(actions)
        rewards, terminated, truncated = (self._told(key) for key in ("rewards", "terminated", "truncated"))
        result = self._observations(), rewards, terminated, truncated, self._infos()
        if self.table.ended or self.table.native.arrays["terminated"].any():
            self._live([name for name in self.agents if not terminated[name] and not truncated[name]])
        return result

    def _told(self, key: str) -> dict[str, Any]:
        return dict(zip(self.agents, self.table.values(key, self._places), strict=True))

    def _observations(self) -> dict[str, dict[str, Array]]:
        rows: list[dict[str, Array]] = [{} for _ in self.agents]
        for key, array in self.table.shown(self._places).items():
            for own, row in zip(rows, array, strict=True):
                own[key] = row
        return dict(zip(self.agents, rows, strict=True))

    def _infos(self) -> dict[str, dict[str, Any]]:
        asked, masks = self.table.values("asked", self._places), self.table.masks(self._places)
        ended = self.table.ended
        return {
            name: {"asked": own and not ended, "action_mask": mask}
            for name, own, mask in zip(self.agents, asked, masks, strict=True)
        }


class TurnEnv(AECEnv):  # type: ignore[misc]
    """Match in which agents act in turn; agents that are asked together do not see each other's actions."""

    def __init__(self, native: Environment, render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {**metadata(native), "is_parallelizable": False}
        self.render_mode = checked(render_mode)
        self.table = SeatTable(native)
        self.possible_agents = list(self.table.names)
        self.observation_spaces, self.action_spaces = self.table.observation_spaces, self.table.action_spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def render(self) -> Any:
        return rendered(self.table.native, self.render_mode)

    def close(self) -> None:
        """Nothing is held open."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.table.reset(seed)
        self.agents = self.table.alive()
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._look()

    def _look(self) -> None:
        """Take up all observations, and the agents whose turn it is."""
        self._shown = self.table.shown(np.arange(len(self.table.names)))
        masks = self.table.masks(self.table.places(self.agents))
        self.infos = {name: {"action_mask": mask} for name, mask in zip(self.agents, masks, strict=True)}
        self._said: dict[str, Any] = {}
        self._waiting = [] if self.table.ended else self.table.asked()
        self.agent_selection = self._waiting[0] if self._waiting else self.agents[0]

    def observe(self, agent: str) -> dict[str, Array]:
        return {key: array[self.table.place[agent]].copy() for key, array in self._shown.items()}

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._said[agent] = self.table.number(agent, action)
        self._waiting.pop(0)
        if self._waiting:
            self.agent_selection = self._waiting[0]
            return
        self.table.step(self._said)
        for key, named in (
            ("rewards", self.rewards),
            ("terminated", self.terminations),
            ("truncated", self.truncations),
        ):
            named.update(zip(self.agents, self.table.values(key, self.table.places(self.agents)), strict=True))
        self._look()
        self._accumulate_rewards()
        self._deads_step_first()


for name in names():
    register("parallel", f"koth/{name}-v0", "koth.learn:parallel_env", kwargs={"name": name})
    register("aec", f"koth/{name}-v0", "koth.learn:aec_env", kwargs={"name": name})
