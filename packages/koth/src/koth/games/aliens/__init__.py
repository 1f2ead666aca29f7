"""Aliens: 100 instances per species on a crowded planet, which meet, fight and inherit (RULES.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from koth.game import Agents, Array, Buffers, ContestDefaults, Event, Question, Turn
from koth.games.aliens import events, frames, observation, rules, turn
from koth.games.aliens.protocol import Json
from koth.games.aliens.state import MOVES, PREY, SCRATCH, Settings, State, empty_state, side_of
from koth.games.defaults import Defaults
from koth.protocol.bot_protocol import JsonProtocol


class Aliens(Defaults):
    """The game of aliens (`koth.game.Game`)."""

    name = "aliens"
    title = "AlienWar"
    seats = range(1, 251)
    rulesets: Mapping[str, Settings] = {
        "published": Settings(),
        "original": replace(Settings(), meetings="first"),
    }
    contest_defaults = ContestDefaults(matches=10, aggregate="mean", blocks=8)
    protocols: Mapping[str, Callable[..., JsonProtocol]] = {"json": lambda settings, seats: JsonProtocol(Json())}
    default_entrants = ("bully", "coward", "duelist", "grazer", "hive", "rock", "gatherer", "wanderer")
    reserved_names = frozenset(PREY)
    event_kinds = events.KINDS
    frame_spec = frames.FRAMES
    match_info_meanings: Mapping[str, str] = {
        "side": "squares along one edge of the planet",
        "prey_instances": "animals of each prey species",
        "prey": "the prey species",
        "moves": "the moves by their numbers",
    }
    redrawn = frozenset({rules.PAIR, rules.ARRIVAL})  # ranks of pairs are not kept

    def questions(self, settings: Settings, seats: int) -> Mapping[str, Question]:
        return observation.questions(settings, seats)

    def initial_state(self, settings: Settings, seats: int, seeds: Sequence[int]) -> State:
        state = empty_state(settings, seats, len(seeds), settings.side(seats))
        state.seed[:] = seeds
        rules.place_instances(state)
        rules.raise_prey(state, settings.points, settings.base_hp, settings.hp_per_life)
        return state

    def match_info(self, settings: Settings, state: State, match: int, seat: int) -> dict[str, Any]:
        return {
            "instances": settings.instances,
            "prey_instances": settings.prey,
            "points": settings.points,
            "rounds": settings.rounds,
            "side": side_of(state),
            "base_hp": settings.base_hp,
            "hp_per_life": settings.hp_per_life,
            "moves": list(MOVES),
            "prey": list(PREY),
        }

    def opening(self, settings: Settings, state: State, buffers: Buffers) -> Turn:
        return turn.opening(settings, state, buffers)

    def turn(self, settings: Settings, state: State, buffers: Buffers) -> Turn:
        return turn.turn(settings, state, buffers)

    def agents(self, settings: Settings, seats: int) -> Agents:
        return Agents.of_seats(seats, settings.instances, numbered=True)

    def alive(self, settings: Settings, state: State) -> Array:
        bots = state.gone.shape[1] * settings.instances
        living: Array = (state.hp[:, :bots] > 0) & ~state.over[:, None]
        return living

    def scores(self, settings: Settings, state: State) -> Array:
        score: Array = frames.standings(state)[1][:, : state.gone.shape[1]].astype(np.float64)
        return score

    def extra_scores(self, settings: Settings, state: State, match: int) -> dict[str, float]:
        score = frames.standings(state)[1][match, state.gone.shape[1] :].tolist()
        return {name: float(points) for name, points in zip(PREY, score, strict=True)}

    def frame(self, settings: Settings, state: State, match: int) -> dict[str, Any]:
        return frames.frame(state, match)

    def events(
        self, settings: Settings, state: State, match: int, before: Mapping[str, Any], now: Mapping[str, Any]
    ) -> list[Event]:
        return events.events(settings, state, match, before, now)

    def scratch(self) -> frozenset[str]:
        return SCRATCH


GAME = Aliens()

__all__ = ["GAME", "MOVES", "Settings", "State"]
