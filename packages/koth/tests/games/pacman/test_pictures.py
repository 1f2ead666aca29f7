"""The game in letters, and what the picture says a bot sees."""

from __future__ import annotations

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.frame import visible_squares
from koth.games.pacman import GAME, glyphs
from koth.games.pacman.state import GONE, PACMAN, Settings, State
from koth.testing import RandomAnswers
from tests.games.pacman.boards import board, see

BOARD = """
    +---+   +---+
    | A   .   b |
    +   +---+   +
    | o   i  %B |
    +   +   +   +
    | .   .   C |
    +---+   +---+
    B ghost
"""


def letters(s: State) -> list[str]:
    width, height, found = glyphs.glyphs(GAME.frame(Settings(), s, 0), GAME.match_info(Settings(), s, 0, 0))
    lines = [[" "] * width for _ in range(height)]
    for x, y, letter, _ in found:
        lines[y][x] = letter
    return ["".join(line) for line in lines]


def test_letters_show_walls_items_ghosts_and_pieces() -> None:
    assert letters(board(BOARD)) == [
        "███ ███",
        "█A · &█",
        "█ ███ █",
        "█o & b█",
        "█     █",
        "█· · C█",
        "███ ███",
    ]


def test_colours_are_those_of_seats_and_kinds() -> None:
    s = board(BOARD)
    *_, found = glyphs.glyphs(GAME.frame(Settings(), s, 0), GAME.match_info(Settings(), s, 0, 0))
    colours = {(x, y, letter): colour for x, y, letter, colour in found}
    assert (colours[1, 1, "A"], colours[5, 3, "b"], colours[5, 5, "C"]) == (0, 1, 2)
    assert (colours[5, 1, "&"], colours[3, 3, "&"], colours[1, 3, "o"]) == ("red", "blue", "white")


def test_who_left_the_board_has_no_letter() -> None:
    s = board(BOARD)
    s.status[0, 2] = GONE
    assert not any("C" in line for line in letters(s))


@pytest.mark.parametrize(
    ("settings", "seats", "seed"),
    [(Settings(), 4, 1), (Settings(side=8, ghosts=1), 2, 2), (Settings(ghost_sight=2), 3, 3)],
    ids=["standard", "small", "short-sighted"],
)
def test_frames_say_what_a_bot_sees(settings: Settings, seats: int, seed: int) -> None:
    """In the middle of matches, for everybody on the board, alive and dead, and in a small maze."""
    batch, policy = Batch(GAME, settings, seats, [seed]), RandomAnswers([seed], seats)
    while batch.observations is not None and batch.turn < 40:
        batch.answer(policy(batch.observations))
        if batch.turn % 8:
            continue
        frame = GAME.frame(settings, batch.state, 0)
        for seat in range(seats):
            seen = visible_squares(GAME.frame_spec, frame, seat)
            assert seen.ravel().astype(int).tolist() == seen_by(settings, batch.state, seat)


def seen_by(settings: Settings, s: State, seat: int) -> list[int]:
    """1 for every square that a piece is shown when it is asked, waiting or not, over or not."""
    now = s._replace(over=np.zeros_like(s.over), waits=np.zeros_like(s.waits))
    observations = see(settings, now, int(s.status[0, seat]))
    seen = np.zeros(s.item[0].size, int)
    for number, rows in observations.of_match(0):
        if number == seat and s.status[0, seat] != GONE:
            seen[rows.fields["square"]] = 1
    assert seen.any() == (s.status[0, seat] != GONE)
    return seen.tolist()


def test_a_frame_knows_who_lives() -> None:
    frame = GAME.frame(Settings(), board(BOARD), 0)
    assert frame["alive"] == [1, 0, 1]
    assert frame["status"].tolist() == [PACMAN, PACMAN - 1, PACMAN]
