"""One turn, in the order of the rules: read this first."""

from koth.game import Turn, Views
from koth_skeleton.rules import play
from koth_skeleton.state import Settings, State
from koth_skeleton.view import write


def turn(settings: Settings, state: State, views: Views) -> Turn:
    """Everybody sees and is asked (rules 6 and 2), then rules 2 to 5 are played."""
    asks = views.asks("move", write(state, *views.room("move")))
    answers = yield asks
    play(state, settings.numbers, asks.match, asks.seat, answers["move"])
