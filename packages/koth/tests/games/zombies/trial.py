"""Bots and answers of zombies for the tests of all games."""

from __future__ import annotations

from koth.games.zombies.state import Settings
from tests.session.arena import SETTINGS
from tests.trials import Trial

BAD = """
class Bad:
    def __init__(self):
        MADE

    def do_turn(self, context):
        step()
        TURN
        return context.__class__.__name__ and NORTH

from koth.games.zombies.bot import Move
NORTH = Move.NORTH
"""


TRIAL = Trial(
    settings=SETTINGS,
    rival="wanderer",
    short=Settings(players=5, density=0.02),
    bad_class=BAD,
)
