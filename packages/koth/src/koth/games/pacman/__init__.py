"""Pac-Man: one Pac-Man per bot in a shared maze, four ghosts, and dead Pac-Men that return as ghosts (RULES.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from koth.errors import SettingsError
from koth.game import Array, Buffers, ContestDefaults, Event, Question, TimeControl, Turn
from koth.games.defaults import Defaults
from koth.games.pacman import events, maze, observation
from koth.games.pacman.protocol import Json, TextProtocol
from koth.games.pacman.state import CARRIED, GONE, MOVES, SCRATCH, Settings, State, empty_state
from koth.games.pacman.turn import turn
from koth.protocol.bot_protocol import BotProtocol, JsonProtocol


class Pacman(Defaults):
    """The game of Pac-Man (`koth.game.Game`)."""

    name = "pacman"
    title = "Programmin' Pac-Man"
    seats = range(1, 257)
    rulesets: Mapping[str, Settings] = {"published": Settings()}
    contest_defaults = ContestDefaults(matches=10, aggregate="sum", blocks=8)
    time_control = TimeControl(question=1.0, first=4.0, late_in_a_row=1)
    protocols: Mapping[str, Callable[..., BotProtocol]] = {
        "text": TextProtocol,
        "json": lambda settings, seats: JsonProtocol(Json()),
    }
    default_entrants = ("random_walk", "greedy", "cautious", "forager", "hunter", "camper", "explorer", "mastermind")
    event_kinds = events.KINDS
    frame_spec = observation.FRAMES
    match_info_meanings: Mapping[str, str] = {
        "side": "squares along one edge of the maze",
        "walls": "a hexadecimal digit per square, row by row: 1 wall in the north, 2 east, 4 south, 8 west, added up",
    }

    def questions(self, settings: Settings, seats: int) -> Mapping[str, Question]:
        return observation.questions(settings, seats)

    def initial_state(self, settings: Settings, seats: int, seeds: Sequence[int]) -> State:
        state = empty_state(seats, settings.ghosts * seats, len(seeds), settings.side_for(seats))
        state.seed[:] = seeds
        maze.make_mazes(state)
        power, fruit = settings.power_pellets * seats, settings.fruit * seats
        failed = maze.place_everything(state, power, fruit, settings.phase_least, settings.phase_most)
        if failed >= 0:
            side = state.walls.shape[1]
            raise SettingsError(
                f"{settings.ghosts * seats} ghosts, {power} power pellets, {fruit} fruit and {seats} Pac-Men "
                f"find no place in a maze of {side} x {side} squares (seed {seeds[failed]})"
            )
        return state

    def match_info(self, settings: Settings, state: State, match: int, seat: int) -> dict[str, Any]:
        return {
            "side": int(state.walls.shape[1]),
            "walls": observation.walls_line(state, match),
            "turns": settings.turns,
            "side_queries": settings.side_queries,
            "pellet_points": settings.pellet_points,
            "power_points": settings.power_points,
            "fruit_points": settings.fruit_points,
            "ghost_points": settings.ghost_points,
            "invincible": settings.invincible,
            "ghost_sight": settings.ghost_sight,
        }

    def turn(self, settings: Settings, state: State, buffers: Buffers) -> Turn:
        return turn(settings, state, buffers)

    def alive(self, settings: Settings, state: State) -> Array:
        """Return all Pac-Men and ghosts, except the pieces of dead bots."""
        there: Array = (state.status != GONE) & ~state.over[:, None]
        return there

    def frame(self, settings: Settings, state: State, match: int) -> dict[str, Any]:
        return observation.frame(settings, state, match)

    def events(
        self, settings: Settings, state: State, match: int, before: Mapping[str, Any], now: Mapping[str, Any]
    ) -> list[Event]:
        return events.events(settings, state, match, before)

    def scratch(self) -> frozenset[str]:
        return SCRATCH

    def carried(self) -> frozenset[str]:
        return CARRIED


GAME = Pacman()

__all__ = ["GAME", "MOVES", "Settings", "State"]
