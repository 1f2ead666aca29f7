"""One turn, in the order of the rules: read this first."""

from __future__ import annotations

from koth.game import Buffers, Turn
from koth_snakes.observation import see
from koth_snakes.rules import play
from koth_snakes.state import Settings, State


def turn(settings: Settings, state: State, buffers: Buffers) -> Turn:
    """Rule 11, everybody is asked; then rules 4 to 10: move, hunger, food, new food, death, end, score."""
    observations = see(settings, state, buffers)
    answers = yield observations
    play(state, settings.numbers, observations.match, observations.seat, answers["move"])
