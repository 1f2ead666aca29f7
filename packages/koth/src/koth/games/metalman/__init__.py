"""The Monkey and the Metal Man: two pieces per player in the fog, on a map that shrinks (RULES.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from koth.game import Array, Buffers, ContestDefaults, Event, Question, TimeControl, Turn
from koth.games.defaults import Defaults
from koth.games.metalman import events, observation, rules
from koth.games.metalman.protocol import Json
from koth.games.metalman.state import ORIGINAL, PUBLISHED, SCRATCH, Settings, State, empty_state
from koth.games.metalman.turn import turn
from koth.protocol.bot_protocol import JsonProtocol


class MetalMan(Defaults):
    """The game of Metal Man (`koth.game.Game`)."""

    name = "metalman"
    title = "The Monkey and the Metal Man"
    seats = range(2, 5)
    rulesets: Mapping[str, Settings] = {
        PUBLISHED: Settings(),
        ORIGINAL: replace(Settings(), phases=ORIGINAL),
    }
    contest_defaults = ContestDefaults(matches=24, aggregate="mean", seats=4, blocks=6, score_range=(0, 1))
    time_control = TimeControl(bank=2.0, paid_thinking=True)
    protocols: Mapping[str, Callable[..., JsonProtocol]] = {"json": lambda settings, seats: JsonProtocol(Json())}
    default_entrants = ("hunter", "ambusher", "storm_runner", "hill_sitter", "explorer", "tactician", "random_steps")
    event_kinds = events.KINDS
    frame_spec = observation.FRAMES
    match_info_meanings: Mapping[str, str] = {
        "player": "your number, which playerId of pieces is: players move in the order of their numbers",
        "players": "players of the match",
        "rows": "rows of the map",
        "columns": "columns of the map",
        "spotter": "row and column where your spotter starts",
        "assassin": "row and column where your assassin starts",
        "facing": "where your spotter and your assassin face at the start: 0 up, 1 right, 2 down, 3 left",
    }

    def questions(self, settings: Settings, seats: int) -> Mapping[str, Question]:
        return observation.questions(settings, seats)

    def initial_state(self, settings: Settings, seats: int, seeds: Sequence[int]) -> State:
        state = empty_state(settings, seats, len(seeds))
        state.seed[:] = seeds
        if settings.fixed_map is None:
            rules.draw_maps(state)
        else:
            state.terrain[:] = settings.fixed_map
        rules.set_up_pieces(state, seats)
        return state

    def match_info(self, settings: Settings, state: State, match: int, seat: int) -> dict[str, Any]:
        places = zip(state.row[match, seat].tolist(), state.column[match, seat].tolist(), strict=True)
        spotter, assassin = (list(place) for place in places)
        return {
            "player": seat,
            "players": int(state.alive.shape[1]),
            "rows": int(state.terrain.shape[1]),
            "columns": int(state.terrain.shape[2]),
            "spotter": spotter,
            "assassin": assassin,
            "facing": state.facing[match, seat].tolist(),
            "timer": settings.timer,
            "spotter_steps": settings.spotter_steps,
            "assassin_steps": settings.assassin_steps,
        }

    def turn(self, settings: Settings, state: State, buffers: Buffers) -> Turn:
        return turn(settings, state, buffers)

    def alive(self, settings: Settings, state: State) -> Array:
        living: Array = state.alive.any(axis=2) & ~state.over[:, None]
        return living

    def scores(self, settings: Settings, state: State) -> Array:
        return observation.shares(state)

    def frame(self, settings: Settings, state: State, match: int) -> dict[str, Any]:
        return observation.frame(settings, state, match)

    def events(
        self, settings: Settings, state: State, match: int, before: Mapping[str, Any], now: Mapping[str, Any]
    ) -> list[Event]:
        return events.events(state, match, before, now)

    def scratch(self) -> frozenset[str]:
        return SCRATCH


GAME = MetalMan()

__all__ = ["GAME", "Settings", "State"]
