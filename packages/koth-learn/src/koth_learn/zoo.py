"""One match for PettingZoo: all agents act at the same time (parallel), or one after another (AEC)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv, register

from koth.errors import KothError, choices
from koth.game import Array
from koth.games import names
from koth_learn.environment import Environment
from koth_learn.inputs import settings_in, whole_numbers
from koth_learn.picture import MODES, check_mode, render_match
from koth_learn.spaces import masks_for, observation_space
from koth_learn.spec import flatten


class SeatTable:
    """One match, with its agents and their observations by name.

    Agents are `seat_0`, or `seat_0_unit_3` if a seat has several.
    """

    def __init__(self, native: Environment, flat: bool) -> None:
        if native.autoreset:
            raise KothError("PettingZoo needs an environment with autoreset=False, which stays at the end of a match")
        self.native, self.flat = native, flat
        units = list(zip(native.units.seat.tolist(), native.units.unit.tolist(), strict=True))
        one = native.units_of_a_seat == 1
        self.names = [f"seat_{seat}" if one else f"seat_{seat}_unit_{unit}" for seat, unit in units]
        self.place = {name: k for k, name in enumerate(self.names)}
        self.observation_spaces: dict[str, spaces.Space[Any]] = dict.fromkeys(
            self.names, observation_space(native, flat=flat)
        )
        self.action_spaces: dict[str, spaces.Space[Any]] = dict.fromkeys(self.names, native.action_space)
        self._actions = np.zeros(native.action_shape, np.int64)

    def step(self, actions: Mapping[str, Any], agents: Sequence[str], places: Array) -> None:
        """Take the actions of these agents, which have these indices.

        Raises KothError for an asked agent without an action, for a name that no agent has, and for an action that is
        out of range or not an integer.
        """
        self._actions[:] = 0
        if not self._take(actions, agents, places):
            for name, action in actions.items():
                self._actions[0, self.places([name])] = self.number(name, action)
            asked = self.native.arrays["asked"][0]
            if missing := [name for name in agents if asked[self.place[name]] and name not in actions]:
                raise KothError(
                    f"{missing[0]} is asked and has no action ({len(missing)} of {len(agents)} have none)"
                )
        self.native.step(self._actions)

    def _take(self, actions: Mapping[str, Any], agents: Sequence[str], places: Array) -> bool:
        """Take all actions at once; return False if one is missing or invalid."""
        with suppress(KeyError, ValueError):  # ValueError: lists of several lengths
            found = np.array([actions[name] for name in agents])
            if found.dtype.kind in "iu" and found.shape == (len(actions), *self.native.action_shape[2:]):
                self._actions[0, places] = found
                return True
        return False

    def number(self, name: str, action: Any) -> Array:
        """Return an agent's action. Raises KothError for anything else."""
        return whole_numbers(action, self.native.action_shape[2:], f"{name}: its action", exactly=True)

    def places(self, named: Iterable[str]) -> Array:
        """Return int64[named]: these agents' indices in the arrays. Raises KothError for a name that no agent has."""
        try:
            return np.array([self.place[name] for name in named], np.int64)
        except KeyError as error:
            word = str(error.args[0])
            raise KothError(f"there is no agent {word!r}{choices(word, self.names)}") from None

    def observations(self, places: Array) -> list[Any]:
        """Return copies of these agents' observations."""
        arrays = {name: array[0].take(places, 0) for name, array in self.native.arrays.observations.items()}
        if self.flat:
            return list(flatten(arrays))
        found: list[dict[str, Array]] = [{} for _ in places]
        for name, array in arrays.items():  # a third faster than a dict of each agent's rows
            for own, row in zip(found, array, strict=True):
                own[name] = row
        return found

    def infos(self, places: Array) -> list[dict[str, Any]]:
        """Return the infos of these agents; `scores` has the scores of all seats so far.

        The keys never change, because TorchRL declares them from the reset's.
        """
        native, arrays = self.native, self.native.arrays
        turn, scores = int(arrays["turn"][0]), native.game.scores(native.settings, native.state)[0]
        masks = masks_for(native, native.masks_of(places))
        told = (arrays[name][0].take(places).tolist() for name in ("asked", "impossible"))
        return [
            {"asked": asked, "action_mask": mask, "impossible": impossible, "turn": turn, "scores": scores}
            for mask, asked, impossible in zip(masks, *told, strict=True)
        ]

    def results(self, places: Array) -> tuple[Array, Array, Array]:
        """Return the rewards, terminations and truncations of these agents, none of which was out before.

        An agent that was dead at its first question is terminated by the first step.
        """
        arrays = self.native.arrays
        rewards, alive, truncated = (arrays[name][0].take(places) for name in ("rewards", "alive", "truncated"))
        return rewards, ~alive, truncated


class _Seats:
    """Base class of both APIs."""

    def _take(self, native: Environment, render_mode: str | None, flat: bool, parallelizable: bool) -> None:
        self.metadata = {
            "name": f"{native.game.name}_v0",
            "render_modes": list(MODES),
            "render_fps": 10,
            "is_parallelizable": parallelizable,
        }
        self.native, self.render_mode, self.table = native, check_mode(render_mode), SeatTable(native, flat)
        self.possible_agents = list(self.table.names)
        self.observation_spaces, self.action_spaces = self.table.observation_spaces, self.table.action_spaces
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def render(self) -> Any:
        """Return the current state of the match in the render mode."""
        return render_match(self.native, self.render_mode)

    def close(self) -> None:
        """End the processes of bots."""
        self.native.close()


class Parallel(_Seats, ParallelEnv):  # type: ignore[misc]
    """A match in which all living agents act in every step; actions of agents that are not asked are ignored."""

    def __init__(self, native: Environment, render_mode: str | None = None, flat: bool = False) -> None:
        self._take(native, render_mode, flat, parallelizable=True)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Begin the next match with all agents; seeds are as in `Environment.reset`."""
        self.native.reset(seed, settings_in(options))
        self._live(self.table.places(self.possible_agents))
        return self._by_name(self.table.observations(self._places)), self._by_name(self.table.infos(self._places))

    def _live(self, places: Array) -> None:
        self._places = places
        self.agents = [self.table.names[place] for place in places.tolist()]

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Take the actions of all asked agents. Raises KothError for one that is missing or invalid.

        Without agents all results are empty, as in PettingZoo's own environments: wrappers rely on it.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        table, places = self.table, self._places
        table.step(actions, self.agents, places)
        results = table.results(places)
        columns = table.observations(places), *(column.tolist() for column in results), table.infos(places)
        result = tuple(self._by_name(column) for column in columns)
        ended = results[1] | results[2]
        if ended.any():
            self._live(places[~ended])
        return result  # type: ignore[return-value]

    def _by_name(self, values: Iterable[Any]) -> dict[str, Any]:
        return dict(zip(self.agents, values, strict=True))


class TurnEnv(_Seats, AECEnv):  # type: ignore[misc]
    """A match in which agents act in turn; agents that are asked together do not see each other's actions."""

    def __init__(self, native: Environment, render_mode: str | None = None, flat: bool = False) -> None:
        super().__init__()
        self._take(native, render_mode, flat, parallelizable=False)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the next match with all agents; seeds are as in `Environment.reset`."""
        self.native.reset(seed, settings_in(options))
        self.agents = list(self.possible_agents)
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self.truncations = dict.fromkeys(self.agents, False)
        self._shown: dict[str, Any] = {}
        self._skip_agent_selection = None
        self._look()
        self._deads_step_first()

    def _look(self) -> None:
        """Read all observations, and the agents that are asked."""
        table, arrays = self.table, self.native.arrays
        places = table.places(self.agents)
        self._shown.update(zip(self.agents, table.observations(places), strict=True))
        self.infos = dict(zip(self.agents, table.infos(places), strict=True))
        self.terminations = dict(zip(self.agents, table.results(places)[1].tolist(), strict=True))
        self._said: dict[str, Any] = {}
        asked = arrays["asked"][0].tolist()
        self._waiting = [name for name, is_asked in zip(table.names, asked, strict=True) if is_asked]
        self.agent_selection = self._waiting[0] if self._waiting else self.agents[0]

    def observe(self, agent: str) -> Any:
        """Return a copy of an agent's observation of the open question, or its last one if it is out."""
        shown = self._shown[agent]
        return shown.copy() if self.table.flat else {key: array.copy() for key, array in shown.items()}

    def step(self, action: Any) -> None:
        """Take the action of the selected agent, None if it is out. Raises KothError for an invalid action."""
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
        places = self.table.places(self.agents)
        self.table.step(self._said, self.agents, places)
        rewards, _, truncated = self.table.results(places)
        self.rewards.update(zip(self.agents, rewards.tolist(), strict=True))
        self.truncations.update(zip(self.agents, truncated.tolist(), strict=True))
        self._look()
        self._accumulate_rewards()
        self._deads_step_first()


for name in names():
    register("parallel", f"koth/{name}-v0", "koth_learn:parallel_env", kwargs={"name": name})
    register("aec", f"koth/{name}-v0", "koth_learn:aec_env", kwargs={"name": name})
