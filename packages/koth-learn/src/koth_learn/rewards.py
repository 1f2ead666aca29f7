"""Rewards by name, the same in every API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from koth.errors import KothError, choices
from koth.game import Agents, Array, Game, State
from koth.games import find_module

REWARDS = ("score", "zero_sum", "unit")
"""Names of rewards; docs/learning.md has their meanings."""


@dataclass(frozen=True)
class Rewards:
    """Values whose increases are the agents' rewards: each agent's column, and the columns of a state."""

    name: str
    columns: int
    column: Array
    """int32[agents]: each agent's column, in the order of the game's agents."""
    values: Callable[[Any, State, Array], Array]
    """From settings, state and the last values to the values now, float64[matches, columns]."""

    @classmethod
    def of(cls, game: Game, settings: Any, seats: int, name: str) -> Rewards:
        """Return the reward of this name in a game. Raises KothError if the game has none."""
        if name not in REWARDS:
            raise KothError(f"there is no reward {name!r}{choices(name, REWARDS)}")
        if name == "zero_sum" and seats == 1:
            raise KothError("reward='zero_sum' is for two seats or more: a single seat has no opponent")
        agents: Agents = game.agents(settings, seats)

        def scores(settings: Any, state: State, last: Array) -> Array:
            return game.scores(settings, state)

        def margins(settings: Any, state: State, last: Array) -> Array:
            own = game.scores(settings, state)
            margins: Array = (seats * own - own.sum(axis=1, keepdims=True)) / max(seats - 1, 1)
            return margins

        if name == "unit" and len(agents) > seats:
            unit_scores = getattr(find_module(game, "learn"), "unit_scores", None)
            if unit_scores is None:
                raise KothError(f"reward='unit': {game.name} does not define what a single unit adds to the score")
            return cls(name, len(agents), np.arange(len(agents), dtype=np.int32), unit_scores)
        return cls(name, seats, agents.seat, margins if name == "zero_sum" else scores)
