"""The text notation, both ways."""

from __future__ import annotations

import numpy as np
import pytest

from koth.game import state_hash
from koth.games.aliens import GAME
from tests.games.aliens.boards import SMALL, Planet

FULL = """\
clock 7
seats 3
seed 12345678901
gone B C
.        A0+A3+w1 .
C1       .        e0
.        t0       A2
A0 12hp 1.2 3.4000003 1 1 11
A2 -5hp 1 1 1 1 1
w1 3hp 11 1 1 1 1
"""


def test_a_board_is_read_and_shown_again() -> None:
    text = FULL.replace("A2 -5hp 1 1 1 1 1\n", "")
    state = GAME.parse(text, SMALL)
    assert GAME.show(SMALL, state, 0) == text
    assert (state.clock[0], state.seed[0], state.gone[0].tolist()) == (7, 12345678901, [False, True, True])
    assert np.count_nonzero(state.hp[0] > 0) == 7
    assert state.hp[0, Planet(text).slot("t0")] == 10
    again = GAME.parse(GAME.show(SMALL, state, 0), SMALL)
    assert state_hash(GAME, again, 0) == state_hash(GAME, state, 0)


def test_numbers_may_be_left_out() -> None:
    state = GAME.parse("A A1\nA w\n", SMALL)
    assert state.x[0, :3].tolist() == [0, 1, 0]
    assert state.y[0, :3].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A0 .\n", "square"),
        ("A0 x\n. .\n", "line 1: 'x' is no square"),
        ("A0 .\n. A0\n", "'A0': there is no such instance, or it is there twice"),
        ("A9 .\n. .\n", "'A9'"),
        ("seats 1\nB0 .\n. .\n", "'B0'"),
        ("A A A A A\n" + 4 * ". . . . .\n", "'A': there is no such"),
        ("A0 .\n. .\nA1 5hp 1 1 1 1 1\n", "line 3: A1 is not on the board"),
        ("A0 .\n. .\nA0 5hp 1 1 1 1\n", "line 3: A0 needs HP and five abilities"),
        ("A0 .\n. .\nA0 fivehp 1 1 1 1 1\n", "line 3"),
        ("clock x\nA0 .\n. .\n", "line 1"),
        ("clock\nA0 .\n. .\n", "line 1"),
        ("seats 2\ngone Z\nA0 .\n. .\n", "there are 2 seats, and Z is none of them"),
    ],
)
def test_what_can_not_be_read_is_named(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        GAME.parse(text, SMALL)
