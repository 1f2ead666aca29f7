"""The agents of an environment as arrays and spaces: their observations, and their choices."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from koth.encoding import Encoding
from koth.engine.batch import Batch
from koth.errors import KothError
from koth.game import Array, Game, State
from koth_learn.arrays import Arrays
from koth_learn.rows import free_masks

if TYPE_CHECKING:
    from gymnasium import spaces


class AgentArrays:
    """The observations and possible actions of agents, in arrays with axes for matches and for agents of a match.

    All APIs of `Environment` share this.
    """

    game: Game
    settings: Any
    seats: int
    encoding: Encoding
    matches: int
    agents: int
    choices: tuple[int, ...]
    arrays: Arrays
    """The arrays that a step returns, of the agents that no opponent controls."""
    _batch: Batch | None

    def _set_arrays(self, everybody: int) -> None:
        """Make the arrays of all agents: `arrays` has only the first `agents` of each match."""
        self._whole = Arrays(
            self.encoding.observations, self.encoding.places[-1], self.matches, everybody, self.seats
        )
        self.arrays = self._whole if everybody == self.agents else self._whole.of_first(self.agents)
        self._alive = self._whole["alive"]
        self._asked, self._mask = self._whole.flat("asked"), self._whole.flat("mask")
        self._most, self._edges = np.array(self.choices), np.array(self.encoding.places)
        whole = np.arange(self.matches * everybody).reshape(self.matches, everybody)
        self._places_of_agents = np.ascontiguousarray(whole[:, : self.agents]).reshape(-1)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {field.dtype}{field.shape}" for name, field in self.encoding.observations.items())
        several = (
            f"{self.matches} match{'es' * (self.matches != 1)} of {self.seats} seats, {self.agents} agents in each"
        )
        return f"<{self.game.name}: {several}; observations {shapes}; choices {self.choices}>"

    @cached_property
    def observation_space(self) -> spaces.Dict:
        """The space of one agent's observations."""
        from koth_learn.spaces import dict_space

        return dict_space(self)

    @cached_property
    def action_space(self) -> spaces.Discrete | spaces.MultiDiscrete:
        """The space of one agent's actions."""
        from koth_learn.spaces import action_space

        return action_space(self)

    @property
    def action_shape(self) -> tuple[int, ...]:
        """The shape of the array that `step` takes: it has an axis for actions only if an agent has several."""
        several = (len(self.choices),) if len(self.choices) > 1 else ()
        return self.matches, self.agents, *several

    @property
    def batch(self) -> Batch:
        """The batch of matches. Raises KothError before the first reset."""
        if self._batch is None:
            raise KothError("call reset before everything else")
        return self._batch

    @property
    def state(self) -> State:
        """The game's own arrays: do not change them."""
        return self.batch.state

    def action_masks(self) -> Array:
        """Return bool[matches, agents, choices]: the possible choices of each agent, for all its actions in a row.

        An agent that is not asked has the first choice of each action, so that every row has a choice.
        """
        return self.masks_of(self._places_of_agents).reshape(self.matches, self.agents, -1)

    def masks_of(self, places: Array) -> Array:
        """Return the masks of the agents at some flat indices, bool[places, choices]."""
        masks = np.empty((places.size, self.encoding.places[-1]), np.bool_)
        free_masks(self._mask, self._asked, self._edges, places, masks)
        return masks

    def random_actions(self, random: np.random.Generator) -> Array:
        """Return random possible actions of all asked agents, each equally likely; 0 for the other agents."""
        drawn = random.random(self.arrays["mask"].shape, np.float32) * self.arrays["mask"]
        best = [drawn[..., first:last].argmax(-1) for first, last in pairwise(self.encoding.places)]
        return best[0] if len(best) == 1 else np.stack(best, -1)
