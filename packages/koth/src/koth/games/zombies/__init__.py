"""Zombies: 50 players per bot on a torus, and one more zombie every turn (RULES.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from koth.game import Agents, Array, Buffers, ContestDefaults, Event, Question, Turn
from koth.games.defaults import Defaults
from koth.games.zombies import events, observation
from koth.games.zombies.protocol import Json
from koth.games.zombies.state import CARRIED, MOVES, PLAYER, SCRATCH, Settings, State, empty_state
from koth.games.zombies.turn import set_up, turn
from koth.protocol.bot_protocol import JsonProtocol

ORIGINAL_MOVES = (
    "NORTHEAST", "NORTH", "NORTHWEST", "EAST", "STAY", "WEST", "SOUTHEAST", "SOUTH", "SOUTHWEST",
)  # fmt: skip


class Zombies(Defaults):
    """The game of zombies (`koth.game.Game`)."""

    name = "zombies"
    title = "Save The Last Bullet For Yourself"
    seats = range(1, 253)
    rulesets: Mapping[str, Settings] = {
        "published": Settings(),
        "original": replace(Settings(), moves=ORIGINAL_MOVES),
    }
    contest_defaults = ContestDefaults(matches=9, aggregate="median")
    protocols: Mapping[str, Callable[..., JsonProtocol]] = {"json": lambda settings, seats: JsonProtocol(Json())}
    default_entrants = ("runner", "coward", "hunter", "herd", "wall_builder", "last_bullet", "gunner", "stand_still")
    reserved_names = frozenset({"Zombie", "DeadBody"})
    event_kinds = events.KINDS
    frame_spec = observation.FRAMES
    match_info_meanings: Mapping[str, str] = {
        "side": "squares along one edge of the board",
        "moves": "the moves in the order of `Move.values()`",
    }

    def questions(self, settings: Settings, seats: int) -> Mapping[str, Question]:
        return observation.questions(settings, seats)

    def initial_state(self, settings: Settings, seats: int, seeds: Sequence[int]) -> State:
        state = empty_state(settings, seats, len(seeds), settings.side(seats))
        state.seed[:] = seeds
        set_up(state, settings.bullets)
        return state

    def match_info(self, settings: Settings, state: State, match: int, seat: int) -> dict[str, Any]:
        info = super().match_info(settings, state, match, seat)
        return {"side": int(state.slot_at.shape[1]), **info, "moves": list(settings.moves)}

    def turn(self, settings: Settings, state: State, buffers: Buffers) -> Turn:
        return turn(settings, state, buffers)

    def agents(self, settings: Settings, seats: int) -> Agents:
        return Agents.of_seats(seats, settings.players, numbered=True)

    def alive(self, settings: Settings, state: State) -> Array:
        players = state.score.shape[1] * settings.players
        living: Array = state.kind[:, :players] == PLAYER  # nobody, where a match is over: rule 8
        return living

    def frame(self, settings: Settings, state: State, match: int) -> dict[str, Any]:
        return observation.frame(settings, state, match)

    def events(
        self, settings: Settings, state: State, match: int, before: Mapping[str, Any], now: Mapping[str, Any]
    ) -> list[Event]:
        return events.events(settings, state, match, before, now)

    def scratch(self) -> frozenset[str]:
        return SCRATCH

    def carried(self) -> frozenset[str]:
        return CARRIED


GAME = Zombies()

__all__ = ["GAME", "MOVES", "Settings", "State"]
