"""Snakes: eat, grow, and be the last one that lives (RULES.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from koth.game import ContestDefaults
from koth.games.defaults import Defaults
from koth_snakes import events, observation, rules, turn
from koth_snakes.state import SCRATCH, Settings, State, empty_state


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
    contest_defaults = ContestDefaults(matches=24, aggregate="mean", seats=4)
    default_entrants = ("careful", "hungry", "wanderer")
    event_kinds = events.KINDS
    frame_spec = observation.FRAMES
    questions = staticmethod(observation.questions)
    turn = staticmethod(turn.turn)
    frame = staticmethod(observation.frame)
    events = staticmethod(events.events)

    def scratch(self) -> frozenset[str]:
        return SCRATCH

    def initial_state(self, settings: Settings, seats: int, seeds: Sequence[int]) -> State:
        state = empty_state(settings, seats, len(seeds))
        state.seed[:] = seeds
        rules.set_up(state, settings.numbers)
        return state


GAME = Snakes()
