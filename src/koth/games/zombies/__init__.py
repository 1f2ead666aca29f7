"""Zombies: 50 players per bot on a torus, and every turn one more zombie (RULES.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from koth.bots.wires import JsonWire
from koth.game import Array, Budgets, Convention, Question, Turn, Views
from koth.games.zombies import notation, view
from koth.games.zombies.state import MOVES, SCRATCH, Settings, State, empty_state
from koth.games.zombies.turn import set_up, turn
from koth.games.zombies.wire import Json

ORIGINAL_MOVES = (
    "NORTHEAST", "NORTH", "NORTHWEST", "EAST", "STAY", "WEST", "SOUTHEAST", "SOUTH", "SOUTHWEST",
)  # fmt: skip


def open_json(settings: Settings, seats: int) -> JsonWire:
    """The wire of JSON lines."""
    return JsonWire(Json())


class Zombies:
    """The game as the arena knows it."""

    name = "zombies"
    version = 1
    title = "Save The Last Bullet For Yourself"
    seats = range(1, 253)
    rulesets: Mapping[str, Settings] = {
        "published": Settings(),
        "original": replace(Settings(), moves=ORIGINAL_MOVES),
    }
    convention = Convention(games=9, aggregate="median")
    budgets = Budgets(bank=2.0)
    wires: Mapping[str, Callable[..., JsonWire]] = {"json": open_json}
    field = ("runner", "coward", "hunter", "herd", "wall_builder", "last_bullet", "gunner", "stand_still")
    reserved_names = frozenset({"Zombie", "DeadBody"})

    def questions(self, settings: Settings, seats: int) -> Mapping[str, Question]:
        return view.questions(settings, seats)

    def start(self, settings: Settings, seats: int, seeds: Sequence[int]) -> State:
        state = empty_state(settings, seats, len(seeds), settings.side(seats))
        state.seed[:] = seeds
        set_up(state, settings.bullets)
        return state

    def facts(self, settings: Settings, state: State, match: int, seat: int) -> dict[str, Any]:
        return {
            "side": int(state.slot_at.shape[1]),
            "vision": settings.vision,
            "shoot_range": settings.shoot_range,
            "bullets": settings.bullets,
            "players": settings.players,
            "density": settings.density,
            "moves": list(settings.moves),
        }

    def opening(self, settings: Settings, state: State, views: Views) -> Turn:
        """Nothing is asked before the first turn."""
        yield from ()

    def turn(self, settings: Settings, state: State, views: Views) -> Turn:
        return turn(settings, state, views)

    def over(self, state: State) -> Array:
        return state.over

    def scores(self, settings: Settings, state: State) -> Array:
        return state.score.astype(np.float64)

    def extra_scores(self, settings: Settings, state: State, match: int) -> dict[str, float]:
        return {}

    def frame(self, settings: Settings, state: State, match: int) -> dict[str, Any]:
        return view.frame(state, match)

    def parse(self, text: str, settings: Settings) -> State:
        return notation.parse(text, settings)

    def show(self, settings: Settings, state: State, match: int) -> str:
        return notation.show(state, match, settings)

    def scratch(self) -> frozenset[str]:
        return SCRATCH


GAME = Zombies()

__all__ = ["GAME", "MOVES", "Settings", "State"]
