"""The text notation, both ways."""

from __future__ import annotations

import pytest

from koth.games.metalman import GAME
from koth.games.metalman.state import Settings
from tests.games.metalman.boards import settings_for

WHOLE = """\
round 12
timer 3
seed 7
seats 3
dead A1< 2 3
dead S2> 0 4
x    x    x    x    x    x
x    F    S0v  F    O    x
x    W    F    A0>O F    x
x    S1^O O    F    A2<  x
x    x    x    x    x    x
"""

ENDED = """\
round 20
timer 5
seed 7
seats 2
winners 0 1
dead S0^ 0 0
dead A0^ 1 1
dead S1v 2 1
dead A1v 1 2
x x x
x x x
x x x
"""


@pytest.mark.parametrize("text", [WHOLE, ENDED])
def test_notation_round_trip(text: str) -> None:
    settings = settings_for(text)
    assert GAME.show(settings, GAME.parse(text, settings), 0) == text


def test_notation_reads_everything() -> None:
    state = GAME.parse(WHOLE, settings_for(WHOLE))
    assert state.round[0] == 12
    assert state.timer[0] == 3
    assert state.seed[0] == 7
    assert state.circles[0] == 1
    assert state.alive[0].tolist() == [[True, True], [True, False], [False, True]]
    assert state.row[0].tolist() == [[1, 2], [3, 2], [0, 3]]
    assert state.column[0].tolist() == [[2, 3], [1, 3], [4, 4]]
    assert state.facing[0].tolist() == [[2, 1], [0, 3], [1, 3]]
    assert state.terrain[0, 1:4].tolist() == [[0, 1, 1, 1, 2, 0], [0, 0, 1, 2, 1, 0], [0, 2, 2, 1, 1, 0]]
    assert not state.over[0]


def test_notation_of_a_shared_win() -> None:
    state = GAME.parse(ENDED, settings_for(ENDED))
    assert state.over[0]
    assert state.circles[0] == 2
    assert GAME.scores(Settings(), state).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("S0^ F F\nF Q F\nF F F", "line 2: 'Q' is no square"),
        ("S0^ F F\nF F\nF F F", "line 2: 2 squares, the first row has 3"),
        ("S0^ F F\nF S0v F\nF F F", "line 2: S0 is there twice"),
        ("dead S0^ 1\nF F F\nF F F\nF F F", "line 1: 'dead' takes"),
        ("dead S0^ 9 9\nF F F\nF F F\nF F F", "S0 died off the board"),
        ("timer x\nF F F\nF F F\nF F F", "line 1: 'timer' takes whole numbers"),
        ("winners 4\nF F F\nF F F\nF F F", "line 1: 'winners' takes players"),
        ("seats 5\nF F F\nF F F\nF F F", "at most 4 players"),
        ("x x x\nx F F\nx x x", "whole rings"),
        ("F F F\nF x F\nF F F", "whole rings"),
        ("timer 3", "no rows"),
    ],
)
def test_notation_errors(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        GAME.parse(text, Settings(map="FFF\nFFF\nFFF"))


def test_notation_needs_settings_of_its_size() -> None:
    with pytest.raises(ValueError, match="3 x 3 squares"):
        GAME.parse("S0^ F F\nF F F\nF F F", Settings())
