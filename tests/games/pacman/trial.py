"""What pacman is tried with by the tests of all games."""

from __future__ import annotations

from dataclasses import replace

from koth.games.pacman import GAME
from tests.trials import Trial

TRIAL = Trial(
    settings=GAME.rulesets["published"],
    rival="random_walk",
    short=replace(GAME.rulesets["published"], turns=8),
)
