"""The notation of games that have none of their own: every array as text and back, and what can't be read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from koth.game import Array
from koth.notation import aligned, numbers, parse_state, show_state


class Board(NamedTuple):
    turn: Array
    over: Array
    score: Array
    gold: Array
    bodies: Array


def board() -> Board:
    return Board(
        turn=np.array([3, 4], np.int32),
        over=np.array([False, True]),
        score=np.array([[0.5, -2], [1, 2]]),
        gold=np.array([[[0, 1], [1, 0]], [[0, 0], [0, 1]]], np.bool_),
        bodies=np.arange(12, dtype=np.int16).reshape(2, 1, 2, 3) * 9,
    )


TEXT = """turn 3
over 0
score 0.5 -2.0
gold 2 2
  . 1
  1 .
bodies 1 2 3
   .  9  18
   27 36 45
"""


def test_every_array_is_written_and_read() -> None:
    assert show_state(board(), 0) == TEXT
    for match in (0, 1):
        read = parse_state(show_state(board(), match), board())
        for array, old in zip(read, board(), strict=True):
            assert array.dtype == old.dtype
            assert np.array_equal(array, old[match : match + 1])


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("turn 3", "turn x", "line 1: invalid literal"),
        ("turn 3", "turn 3 4", "line 1: "),
        ("turn 3", "turn 99999999999", "line 1: "),
        ("over 0", "moon 0", "line 2: 'moon' is there twice, or none of turn, over, score, gold, bodies"),
        ("over 0\n", "", "there is no over"),
        ("gold 2 2", "gold 2", "line 4: 'gold' takes 2 numbers, not 1"),
        ("  1 .\n", "  1\n", "line 4: "),
    ],
)
def test_what_can_not_be_read_names_its_line(old: str, new: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        parse_state(TEXT.replace(old, new, 1), board())


def test_rows_are_aligned() -> None:
    assert aligned([["A0", "."], [".", "z12"]]) == ["A0  .", ".   z12"]
    assert numbers(["scores", "1", "2"], None) == [1, 2]
