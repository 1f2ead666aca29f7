"""One turn, in the order of the rules: read this first."""

from __future__ import annotations

from koth.game import Turn, Views
from koth_snakes.rules import play
from koth_snakes.state import Settings, State
from koth_snakes.view import see


def turn(settings: Settings, state: State, views: Views) -> Turn:
    """Rule 11, everybody is asked; then rules 4 to 10: move, hunger, food, new food, death, end, score."""
    asks = see(settings, state, views)
    answers = yield asks
    play(state, settings.numbers, asks.match, asks.seat, answers["move"])
