"""The text notation of mazes, both ways, and what it says of a board that can't be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.engine.batch import Batch
from koth.game import state_hash
from koth.games.pacman import GAME
from koth.games.pacman.state import BLINKY, GHOST, GONE, INKY, PACMAN, Settings
from koth.testing import RandomAnswers
from tests.games.pacman.boards import board

SETTINGS = Settings(side=9)

BOARD = """
    turn 4
    seed 9
    seats 3
    +---+   +---+
    | A   .   b |
    +   +---+   +
    | o   i  %B |
    +   +   +   +
    | .   .   . |
    +---+   +---+
    A faces E invincible 3 score 120
    B ghost waits
    C gone score 7
    i chase A left 3 of 7 from W with b0 waits
"""


def test_a_board_is_read_as_it_is_drawn() -> None:
    s = board(BOARD)
    assert (s.turn[0], s.seed[0], s.status.shape) == (4, 9, (1, 3))
    assert ["".join(f"{digit:X}" for digit in row) for row in s.walls[0].tolist()] == ["943", "812", "C06"]
    assert s.item[0].tolist() == [[0, 1, 0], [2, 0, 3], [1, 1, 1]]
    assert s.pellets[0] == 4
    assert s.status[0].tolist() == [PACMAN, GHOST, GONE]
    assert (s.invincible[0, 0], s.score[0].tolist(), s.facing[0, 0]) == (3, [120, 0, 7], 1)
    assert s.waits[0].tolist() == [False, True, False]
    assert s.ghost_kind[0].tolist() == [BLINKY, INKY]
    assert (s.chasing[0].tolist(), s.quarry[0, 1], s.left[0, 1], s.partner[0, 1]) == ([False, True], 0, 3, 0)


@given(seed=st.integers(0, 2**60), turns=st.integers(0, 30))
def test_what_is_shown_is_read_again(seed: int, turns: int) -> None:
    batch = Batch(GAME, SETTINGS, 2, [seed])
    policy = RandomAnswers([seed], 2)
    while batch.observations is not None and batch.turn < turns:
        batch.answer(policy(batch.observations))
    text = GAME.show(SETTINGS, batch.state, 0)
    again = GAME.parse(text, SETTINGS)
    assert state_hash(GAME, again, 0) == state_hash(GAME, batch.state, 0)
    assert GAME.show(SETTINGS, again, 0) == text


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (("turn 4", "turn four"), "line 2: 'turn' takes whole numbers"),
        (("turn 4", "moon 4"), "line 2: 'moon 4' is none of"),
        (
            ("+---+   +---+\n    | A", "+---+---+---+\n    | A"),
            "square 0,1: the edge to its N and the one across differ",
        ),
        (("| A ", "| ? "), "line 6: '[?]' can't stand in a square"),
        ((" b |", ".# |"), "line 6: '.#' can't stand in a square"),
        (("+   +---+   +\n    | o", "+   +- -+   +\n    | o"), "line 7: '- -' is neither a wall nor an opening"),
        (("| .   .   . |", "| .   .   A |"), "A stands on two squares"),
        (("i  %B", "i9 %B"), "the ghosts' numbers must be 0..1, each once"),
        (("A faces E", "A looks E"), "line 12: 'A looks E invincible 3 score 120' can't be read"),
        (("i chase A", "p chase A"), "line 15: .* can't be read: no such piece or ghost"),
        (("left 3 of 7 from W", "left 3 of"), "line 15: .* can't be read"),
    ],
)
def test_a_board_that_cannot_be_read_is_an_error_that_names_the_place(change: tuple[str, str], error: str) -> None:
    text = BOARD.replace(*change)
    assert text != BOARD
    with pytest.raises(ValueError, match=error):
        board(text)


@pytest.mark.parametrize("text", ["+---+---+\n| A |   |\n+---+---+\n", "+---+---+---+\n| A     b   |\n"])
def test_a_maze_must_be_square_and_three_wide(text: str) -> None:
    with pytest.raises(ValueError, match="has as many rows as columns, at least 3"):
        board(text)


def test_without_a_maze_there_is_nothing_to_read() -> None:
    with pytest.raises(ValueError, match="there is no maze"):
        board("turn 3\n")


def test_a_match_of_more_bots_than_letters_has_no_notation() -> None:
    s = GAME.initial_state(Settings(), 27, [1])
    with pytest.raises(ValueError, match="at most 26 bots"):
        GAME.show(Settings(), s, 0)
