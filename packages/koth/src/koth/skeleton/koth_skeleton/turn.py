"""One turn, in the order of the rules: read this first."""

from koth.game import Buffers, Turn
from koth_skeleton.observation import write
from koth_skeleton.rules import play
from koth_skeleton.state import Settings, State


def turn(settings: Settings, state: State, buffers: Buffers) -> Turn:
    """Ask all bots (rules 6 and 2), then play rules 2 to 5."""
    observations = buffers.observations("move", write(state, *buffers.arrays("move")))
    answers = yield observations
    play(state, settings.numbers, observations.match, observations.seat, answers["move"])
