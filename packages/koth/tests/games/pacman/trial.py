"""Bots and answers of Pac-Man for the tests of all games."""

from __future__ import annotations

from dataclasses import replace

from koth.games.pacman import GAME
from tests.trials import Trial

BAD = """
class Bot:
    def __init__(self, info):
        MADE

    def act(self, obs):
        step()
        TURN
        return "X"
"""

TRIAL = Trial(
    settings=GAME.rulesets["published"],
    rival="random_walk",
    bad_class=BAD,
    short=replace(GAME.rulesets["published"], turns=8),
)
