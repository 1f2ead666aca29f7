"""Snakes: eat, grow, and be the last one that lives (RULES.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from koth.game import Array, Convention, Question, Turn, Views
from koth.games.defaults import Defaults
from koth_snakes import notation, rules, view
from koth_snakes.state import Settings, State, empty_state
from koth_snakes.turn import turn


class Snakes(Defaults):
    """The game as the arena knows it."""

    name = "snakes"
    title = "Snakes"
    seats = range(1, 9)
    rulesets: Mapping[str, Settings] = {
        "standard": Settings(),
        "wrapped": replace(Settings(), wraps=True),
        "fog": replace(Settings(), sight=2),
    }
    convention = Convention(games=24, aggregate="mean", table=4)
    field = ("careful", "hungry", "wanderer")

    def questions(self, settings: Settings, seats: int) -> Mapping[str, Question]:
        return view.questions(settings, seats)

    def start(self, settings: Settings, seats: int, seeds: Sequence[int]) -> State:
        state = empty_state(settings, seats, len(seeds))
        state.seed[:] = seeds
        rules.set_up(state, settings.numbers)
        return state

    def turn(self, settings: Settings, state: State, views: Views) -> Turn:
        return turn(settings, state, views)

    def alive(self, settings: Settings, state: State) -> Array:
        living: Array = state.alive & ~state.over[:, None]
        return living

    def frame(self, settings: Settings, state: State, match: int) -> dict[str, Any]:
        return view.frame(settings, state, match)

    def parse(self, text: str, settings: Settings) -> State:
        return notation.parse(text, settings)

    def show(self, settings: Settings, state: State, match: int) -> str:
        return notation.show(settings, state, match)


GAME = Snakes()
