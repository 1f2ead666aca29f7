"""A text notation for boards, both ways.

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
from koth.notation import aligned, lines_of, numbers, reading, same_width

PIECES = "SA"
ARROWS = "^>v<"
PIECE = re.compile(rf"([{PIECES}])([0-3])([\^>v<])(O?)")
NUMBERS = ("round", "timer", "seed", "seats")
COLLAPSED = "x"


def ring_of(rows: int, columns: int) -> Array:
    """int[rows, columns]: which ring each square lies in, 0 for the outermost."""
    row, column = np.indices((rows, columns))
    return np.minimum(np.minimum(row, rows - 1 - row), np.minimum(column, columns - 1 - column))


def _read_dead(words: list[str]) -> tuple[re.Match[str], int, int]:
    piece = PIECE.fullmatch(words[1]) if len(words) == 4 else None
    if piece is None or piece[4] or not (words[2].isdecimal() and words[3].isdecimal()):
        raise ValueError("'dead' takes a piece and its last row and column, as in: dead A1< 2 3")
    return piece, int(words[2]), int(words[3])


class _Reader:
    """Collects what the lines of a board say."""

    def __init__(self, text: str) -> None:
        self.numbers: dict[str, int] = {}
        self.winners: list[int] | None = None
        self.pieces: dict[tuple[int, int], tuple[int, int, int, bool]] = {}
        self.squares: list[list[str]] = []
        for line in lines_of(text):
            with reading(line.number):
                self._line(line.words)
        if not self.squares:
            raise ValueError("there are no rows of squares")

    def _line(self, words: list[str]) -> None:
        if words[0] in NUMBERS:
            (self.numbers[words[0]],) = numbers(words, below=2**63)
        elif words[0] == "winners":
            if any(not re.fullmatch("[0-3]", word) for word in words[1:]):
                raise ValueError("'winners' takes players, 0 to 3")
            self.winners = [int(word) for word in words[1:]]
        elif words[0] == "dead":
            piece, row, column = _read_dead(words)
            self._piece(piece, row, column, False)
        else:
            self.squares.append([self._square(word, column) for column, word in enumerate(words)])
            same_width(words, self.squares)

    def _square(self, word: str, column: int) -> str:
        if word == COLLAPSED or (len(word) == 1 and word in LETTERS):
            return word
        piece = PIECE.fullmatch(word)
        if piece is None:
            raise ValueError(f"{word!r} is no square of a metalman board")
        self._piece(piece, len(self.squares), column, True)
        return piece[4] or LETTERS[FLOOR]

    def _piece(self, piece: re.Match[str], row: int, column: int, alive: bool) -> None:
        key = int(piece[2]), PIECES.index(piece[1])
        if key in self.pieces:
            raise ValueError(f"{piece[1]}{piece[2]} is there twice")
        self.pieces[key] = row, column, ARROWS.index(piece[3]), alive


def parse(text: str, settings: Settings) -> State:
    """The state of one match. Raises ValueError naming what can't be read, or a size that is not the settings'."""
    board = _Reader(text)
    rows, columns = len(board.squares), len(board.squares[0])
    if (rows, columns) != settings.shape:
        raise ValueError(f"the board has {rows} x {columns} squares, the settings' map {settings.shape}")
    seats = max([board.numbers.get("seats", 2), *(seat + 1 for seat, _ in board.pieces)])
    if seats > 4:
        raise ValueError(f"there are at most 4 players, not {seats}")
    s = empty_state(settings, seats, 1)
    squares = np.array(board.squares)
    rings = ring_of(rows, columns)
    intact = rings[squares != COLLAPSED]
    circles = int(intact.min()) if intact.size else int(rings.max()) + 1
    if ((squares == COLLAPSED) != (rings < circles)).any():
        raise ValueError("collapsed squares (x) must be whole rings from the outside in")
    s.circles[0] = circles
    for terrain, letter in enumerate(LETTERS):
        s.terrain[0][squares == letter] = terrain
    s.seed[0] = board.numbers.get("seed", 0)
    s.round[0] = board.numbers.get("round", 0)
    s.timer[0] = board.numbers.get("timer", settings.timer)
    for (seat, piece), (row, column, facing, alive) in board.pieces.items():
        if row >= rows or column >= columns:
            raise ValueError(f"{PIECES[piece]}{seat} died off the board")
        s.row[0, seat, piece], s.column[0, seat, piece] = row, column
        s.facing[0, seat, piece] = facing
        s.alive[0, seat, piece] = alive
    s.trail[0] = (s.row[0] * columns + s.column[0])[:, :, None]
    players = s.alive[0].any(axis=1)
    s.over[0] = players.sum() <= 1 or board.winners is not None
    s.winner[0] = np.isin(np.arange(seats), board.winners) if board.winners is not None else players & s.over[0]
    return s


def show(s: State, match: int) -> str:
    """The notation of one match; `parse` of it gives a state that goes on in the same way."""
    rows, columns = s.terrain.shape[1:]
    seats = s.alive.shape[1]
    lines = [f"{key} {getattr(s, key)[match]}" for key in ("round", "timer", "seed")] + [f"seats {seats}"]
    if s.over[match]:
        lines.append(" ".join(["winners", *(str(seat) for seat in np.flatnonzero(s.winner[match]))]))
    rings = ring_of(rows, columns)
    squares = [
        [COLLAPSED if rings[r, c] < s.circles[match] else LETTERS[s.terrain[match, r, c]] for c in range(columns)]
        for r in range(rows)
    ]
    for seat, piece in np.ndindex(seats, 2):
        row, column = int(s.row[match, seat, piece]), int(s.column[match, seat, piece])
        name = f"{PIECES[piece]}{seat}{ARROWS[s.facing[match, seat, piece]]}"
        if s.alive[match, seat, piece]:
            squares[row][column] = name + ("O" if s.terrain[match, row, column] == HIGHGROUND else "")
        else:
            lines.append(f"dead {name} {row} {column}")
    return "\n".join([*lines, *aligned(squares)]) + "\n"
