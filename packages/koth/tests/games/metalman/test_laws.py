"""The laws of all games, held against Metal Man."""

from __future__ import annotations

import pytest

from koth.games.metalman import GAME
from koth.games.metalman.state import ORIGINAL, Settings
from koth.testing import LAWS, Case

CASES = {
    "two": Case(GAME, Settings(map="random", size=7), 2, seed=5),
    "four": Case(GAME, Settings(map="random", size=9), 4, seed=8),
    "original": Case(GAME, Settings(map="arena", phases=ORIGINAL, timer=9), 3, seed=2),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: object, case: Case) -> None:
    law(case)  # type: ignore[operator]
