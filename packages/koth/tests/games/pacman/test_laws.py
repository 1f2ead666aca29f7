"""The laws of all games, held against Pac-Man."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from koth.games.pacman import GAME
from koth.games.pacman.state import Settings
from koth.testing import LAWS, Case

CASES = {
    "one": Case(GAME, Settings(turns=30), 1, seed=2, cap=30),
    "four": Case(GAME, Settings(side=14, turns=40), 4, seed=8, turns=20, cap=40),
    "crowd": Case(GAME, Settings(side=12, turns=30), 7, seed=5, cap=30),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Case], None], case: Case) -> None:
    law(case)
