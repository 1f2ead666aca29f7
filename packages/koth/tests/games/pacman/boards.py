"""Small boards for the tests of Pac-Man's rules.

    s = play(field("A o", ...), A="E")

`field` draws a torus without any walls: words are squares, `_` an empty one. Boards with walls are written out
in the game's notation. `play` takes one turn: capital letters say how pieces move when they are asked (whoever
is not named stays), and `Turn` remembers who was asked, in which order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

import numpy as np
import pytest

from koth.game import Answers, Buffers, Observations, default_answers
from koth.games.pacman import GAME, observation
from koth.games.pacman.observation import CONTENTS
from koth.games.pacman.state import GONE, MOVES, PACMAN, Settings, State
from tests.games.pacman import notation
from tests.games.pacman.notation import seat_letter

SETTINGS = Settings()


def field(rows: str, *details: str, **header: int) -> str:
    """The notation of a torus without walls."""
    squares = [row.split() for row in rows.strip().splitlines()]
    width = 2 + max(len(word) for row in squares for word in row)
    lines = [f"{key} {value}" for key, value in header.items()]
    corners = ("+" + " " * width) * len(squares) + "+"
    for row in squares:
        lines += [corners, "".join(f"  {'' if word == '_' else word}".ljust(width + 1) for word in row)]
    return "\n".join([*lines, corners, *details])


def board(text: str, settings: Settings = SETTINGS) -> State:
    """The state that a notation stands for."""
    return notation.parse(text, settings)


@dataclass
class Turn:
    """What one turn did: the state after it, and for each question the letters asked with what they saw."""

    state: State
    asked: list[dict[str, str]] = dataclass_field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def at(self, letter: str) -> tuple[int, int]:
        """Where a piece is."""
        i = ord(letter) - 65
        return int(self.state.row[0, i]), int(self.state.col[0, i])

    def ghost_at(self, g: int = 0) -> tuple[int, int]:
        """Where an NPC ghost is."""
        return int(self.state.ghost_row[0, g]), int(self.state.ghost_col[0, g])

    def score(self, letter: str) -> int:
        return int(self.state.score[0, ord(letter) - 65])

    def status(self, letter: str) -> int:
        return int(self.state.status[0, ord(letter) - 65])

    def invincible(self, letter: str) -> int:
        return int(self.state.invincible[0, ord(letter) - 65])

    def lives(self, letter: str) -> bool:
        return self.status(letter) == PACMAN

    def item(self, row: int, col: int) -> str:
        return " .o%"[self.state.item[0, row, col]]


def see(settings: Settings, s: State, status: int) -> Observations:
    """What every GHOST that does not wait, or every PACMAN, of one match would be shown right now."""
    buffers = Buffers(GAME.questions(settings, s.status.shape[1]), 1)
    index, seen = observation.arrays(settings, s, buffers)
    rows, squares = observation.write_match(s, 0, status, settings.ghost_sight, index, seen, 0, 0)
    return buffers.observations("move", rows, seen=squares)


def sights(observations: Observations, side: int) -> dict[str, str]:
    """What each row of a question is shown, as the text protocol has it, by the piece's letter."""
    return {
        seat_letter(seat): " ".join(
            f"{square // side},{square % side}{CONTENTS[what]}"
            for square, what in zip(rows.fields["square"].tolist(), rows.fields["content"].tolist(), strict=True)
        )
        for seat, rows in observations.of_match(0)
    }


def play(
    start: str | State, settings: Settings = SETTINGS, gone: Iterable[tuple[int, str]] = (), **moves: str
) -> Turn:
    """One turn. `gone` lists (number of the question, letter) of bots that turn out to be dead at it."""
    state = board(start, settings) if isinstance(start, str) else start
    turn = Turn(state)
    seats = state.status.shape[1]
    generator = GAME.turn(settings, state, Buffers(GAME.questions(settings, seats), 1))
    observations = next(generator)
    for k in range(2):
        turn.asked.append(sights(observations, state.walls.shape[1]))
        fields = default_answers(observations.question, len(observations))
        dead = np.zeros((1, seats), np.bool_)
        for question, letter in gone:
            dead[0, ord(letter) - 65] |= question <= k
        for row, seat in enumerate(observations.seat.tolist()):
            fields["move"][row] = MOVES.index(moves.get(seat_letter(seat), "X"))
        answers = Answers(fields, np.zeros(len(observations), np.uint8), dead)
        if k == 0:
            observations = generator.send(answers)
        else:
            with pytest.raises(StopIteration):  # two questions in a turn
                generator.send(answers)
    return turn


def again(turn: Turn, settings: Settings = SETTINGS, **moves: str) -> Turn:
    """The next turn of the same match."""
    assert not turn.state.over[0]
    return play(turn.state, settings, **moves)


def sight(text: str, letter: str = "A", settings: Settings = SETTINGS) -> str:
    """What a piece is shown in the next turn, when it is asked."""
    asked = play(text, settings).asked
    return next(shown[letter] for shown in asked if letter in shown)


def has_left(turn: Turn, letter: str) -> bool:
    """Whether a piece is off the board."""
    return turn.status(letter) == GONE
