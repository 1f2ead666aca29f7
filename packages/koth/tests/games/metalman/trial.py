"""Bots and answers of Metal Man for the tests of all games."""

from __future__ import annotations

from koth.games.metalman import GAME
from tests.trials import Trial

BAD = """
class Bad:
    def __init__(self, spotter_point, assasin_point, spotter_direction, assasin_direction):
        MADE

    def step(self, state):
        step()
        TURN
        return {"Spotter": {"moves": [], "direction": [0, 1]}, "Assasin": {"moves": [], "direction": [1, 0]}}
"""

TRIAL = Trial(
    settings=GAME.rulesets["published"],
    rival="random_steps",
    bad_class=BAD,
)
