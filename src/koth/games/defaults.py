"""What most games answer alike: a base to inherit what fits, for games that want to say no more than they must."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from koth.bots.declared import open_json
from koth.game import Agents, Array, Budgets, Convention, State, Turn, Views


class Defaults:
    """A game with one body per bot, JSON as its questions declare it, and nothing out of the ordinary.

    The state is taken to have `over` (bool[M]) and `score` (a number for each match and seat). A match's bots
    are told all settings. What is different in a game is a method or an attribute of its own.
    """

    version = 1
    convention = Convention(games=10, aggregate="mean")
    budgets = Budgets(bank=2.0)
    reserved_names: frozenset[str] = frozenset()
    wires: Mapping[str, Callable[..., Any]] = {"json": open_json}

    def facts(self, settings: Any, state: State, match: int, seat: int) -> dict[str, Any]:
        """Every setting."""
        return asdict(settings)

    def opening(self, settings: Any, state: State, views: Views) -> Turn:
        """Nothing is asked before the first turn."""
        yield from ()

    def over(self, state: State) -> Array:
        over: Array = state.over
        return over

    def agents(self, settings: Any, seats: int) -> Agents:
        """One body for each seat, number 0."""
        return Agents.of_seats(seats)

    def alive(self, settings: Any, state: State) -> Array:
        """Everybody, until the match is over."""
        playing: Array = ~self.over(state)
        return np.repeat(playing[:, None], state.score.shape[1], axis=1)

    def scores(self, settings: Any, state: State) -> Array:
        scores: Array = state.score.astype(np.float64)
        return scores

    def extra_scores(self, settings: Any, state: State, match: int) -> dict[str, float]:
        """Nobody but bots scores."""
        return {}

    def scratch(self) -> frozenset[str]:
        """All of the state counts."""
        return frozenset()
