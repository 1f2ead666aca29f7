"""Boards of metalman as text, both ways.

    timer 3
    dead A1< 2 3
    x x   x   x   x
    x F   S0v F   x
    x F   O   W   x
    x S1^O  F A0> x
    x x   x   x   x

Squares are those of map files (`W` wall, `F` floor, `O` highground) and `x`, wall of a collapsed ring. A living
piece stands for its square: `S` spotter or `A` assassin, its player, where it faces (`^` `>` `v` `<`), and `O` if
that square is highground. Header lines, each optional: `round`, `timer`, `seed`, `seats`, `winners` (players who
share the win of a finished match) and `dead`, once per dead piece, with its last row and column. A piece that
is not mentioned is dead at (0, 0), facing up.
"""

from __future__ import annotations

import re

import numpy as np

from koth.game import Array
from koth.games.metalman.state import Settings, State, empty_state
from koth.games.metalman.terrain import FLOOR, HIGHGROUND, LETTERS
from tests.games.lines import aligned, words_of

PIECES = "SA"
ARROWS = "^>v<"
PIECE = re.compile(rf"([{PIECES}])([0-3])([\^>v<])(O?)")
NUMBERS = ("round", "timer", "seed", "seats")
COLLAPSED = "x"


def ring_of(rows: int, columns: int) -> Array:
    """int[rows, columns]: which ring each square lies in, 0 for the outermost."""
    row, column = np.indices((rows, columns))
    return np.minimum(np.minimum(row, rows - 1 - row), np.minimum(column, columns - 1 - column))


def parse(text: str, settings: Settings) -> State:
    """The state of one match; the board has the size of the settings' map."""
    lines = words_of(text)
    header = {words[0]: int(words[1]) for words in lines if words[0] in NUMBERS}
    winners = [[int(word) for word in words[1:]] for words in lines if words[0] == "winners"]
    board = [words for words in lines if words[0] not in (*NUMBERS, "winners", "dead")]
    pieces = [(words[1], int(words[2]), int(words[3]), False) for words in lines if words[0] == "dead"]
    pieces += [(w, y, x, True) for y, row in enumerate(board) for x, w in enumerate(row) if PIECE.fullmatch(w)]
    seats = max([header.get("seats", 2), *(int(word[1]) + 1 for word, *_ in pieces)])
    s = empty_state(settings, seats, 1)
    squares = np.array([[word if len(word) == 1 else word[3:] or LETTERS[FLOOR] for word in row] for row in board])
    rows, columns = squares.shape
    assert (rows, columns) == settings.shape
    rings = ring_of(rows, columns)
    intact = rings[squares != COLLAPSED]
    s.circles[0] = intact.min() if intact.size else rings.max() + 1
    for terrain, letter in enumerate(LETTERS):
        s.terrain[0][squares == letter] = terrain
    s.seed[0] = header.get("seed", 0)
    s.round[0] = header.get("round", 0)
    s.timer[0] = header.get("timer", settings.timer)
    for word, row, column, alive in pieces:
        seat, piece = int(word[1]), PIECES.index(word[0])
        s.row[0, seat, piece], s.column[0, seat, piece] = row, column
        s.facing[0, seat, piece] = ARROWS.index(word[2])
        s.alive[0, seat, piece] = alive
    s.trail[0] = (s.row[0] * columns + s.column[0])[:, :, None]
    players = s.alive[0].any(axis=1)
    s.over[0] = players.sum() <= 1 or bool(winners)
    s.winner[0] = np.isin(np.arange(seats), winners[0]) if winners else players & s.over[0]
    return s


def show(s: State) -> str:
    """The text of the first match."""
    rows, columns = s.terrain.shape[1:]
    seats = s.alive.shape[1]
    lines = [f"{key} {getattr(s, key)[0]}" for key in ("round", "timer", "seed")] + [f"seats {seats}"]
    if s.over[0]:
        lines.append(" ".join(["winners", *(str(seat) for seat in np.flatnonzero(s.winner[0]))]))
    rings = ring_of(rows, columns)
    squares = [
        [COLLAPSED if rings[r, c] < s.circles[0] else LETTERS[s.terrain[0, r, c]] for c in range(columns)]
        for r in range(rows)
    ]
    for seat, piece in np.ndindex(seats, 2):
        row, column = int(s.row[0, seat, piece]), int(s.column[0, seat, piece])
        name = f"{PIECES[piece]}{seat}{ARROWS[s.facing[0, seat, piece]]}"
        if s.alive[0, seat, piece]:
            squares[row][column] = name + ("O" if s.terrain[0, row, column] == HIGHGROUND else "")
        else:
            lines.append(f"dead {name} {row} {column}")
    return "\n".join([*lines, *aligned(squares)]) + "\n"
