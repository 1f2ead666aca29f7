"""Bots and answers of aliens for the tests of all games."""

from __future__ import annotations

from koth.games.aliens.state import Settings
from tests.trials import Trial

BAD = """
from koth.games.aliens.bot import Alien, Move

class Bad(Alien):
    def __init__(self):
        MADE

    def set_ability_points(self, points):
        points[:] = 2, 2, 2, 2, 2

    def move(self, fields):
        step()
        TURN
        return Move.STAY

    def want_to_fight(self, enemy):
        return False
"""


TRIAL = Trial(
    settings=Settings(instances=4, prey=2, rounds=8),
    rival="wanderer",
    bad_class=BAD,
)
