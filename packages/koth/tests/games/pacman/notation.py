"""Small mazes of pacman as text.

    turn 4
    +---+   +---+
    | A   .   b |
    +   +---+   +
    | o   .   % |
    +   +   +   +
    | .   .   . |
    +---+   +---+
    A faces E invincible 3 score 120
    b chase A left 3 of 7 from W

The drawing has a `+` at every corner; whatever is written between two of them is a wall (`-`) or blank, and
a `|` between two squares is a wall. Opposite edges are the same walls. In the squares: `.` a pellet, `o` a
power pellet, `%` fruit; `b`, `p`, `i`, `c` an NPC ghost (Blinky, Pinky, Inky, Clyde) with its number after
it, counted in reading order where left out; a capital letter the piece of that seat (A the first). Several
things may stand in one square, with or without blanks.

Header lines are `turn`, `seed`, `seats` and `over 1` (of a match that is). A line under the drawing says more
of a piece or a ghost:

* a piece: `faces N|E|S|W|X` (X: stood still), `invincible K`, `score K`, `gained K`, `ghost` (it is dead),
  `waits`, `gone` (it left the board; its line is all there is of it);
* a ghost: `scatter` or `chase A` (`chase -`: without a quarry), `left K of K` turns of its phase, `from W` (the
  direction of the square it came from), `with p1` or `with B` (Inky's other ghost), `waits`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from koth.game import Array
from koth.games.pacman.crowds import count_crowds
from koth.games.pacman.state import (
    EAST,
    GHOST,
    GONE,
    MOVES,
    NORTH,
    PACMAN,
    SOUTH,
    WEST,
    Settings,
    State,
    empty_state,
)
from koth.grid import DCOL, DROW
from tests.games.lines import words_of

ITEMS = " .o%"
KINDS = "bpic"
TOKEN = re.compile(r"[.o%]|([bpic])(\d*)|([A-Z])")


def seat_letter(seat: int) -> str:
    """A, B ... Z."""
    return chr(65 + seat)


class _Drawing:
    """The lines of a drawing, cut at its corners."""

    def __init__(self, lines: list[str]) -> None:
        indent = len(lines[0]) - len(lines[0].lstrip())
        self.corners = [k - indent for k, sign in enumerate(lines[0]) if sign == "+"]
        self.side = len(self.corners) - 1
        self.lines = [line[indent:].rstrip().ljust(self.corners[-1] + 1) for line in lines[: 2 * self.side + 1]]

    def has_wall(self, row: int, col: int, d: int) -> bool:
        """Whether the drawing closes one edge of a square."""
        left, right = self.corners[col : col + 2]
        if d in (EAST, WEST):
            return self.lines[2 * row + 1][right if d == EAST else left] == "|"
        return self.lines[2 * row + (2 if d == SOUTH else 0)][left + 1] == "-"

    def walls(self) -> Array:
        """uint8[S, S], the digits of the squares."""
        walls = np.zeros((self.side, self.side), np.uint8)
        for row, col in np.ndindex(walls.shape):
            walls[row, col] = sum(self.has_wall(row, col, d) << d for d in range(4))
        for row, col in np.ndindex(walls.shape):
            for d in (NORTH, WEST):  # an index of -1 is the last row or column: the maze wraps
                across = walls[row + DROW[d], col + DCOL[d]]
                assert walls[row, col] >> d & 1 == across >> (d + 2) % 4 & 1, (row, col, MOVES[d])
        return walls

    def tokens(self) -> Iterator[tuple[int, int, re.Match[str]]]:
        """What stands in the squares, in reading order."""
        for row, col in np.ndindex(self.side, self.side):
            text = self.lines[2 * row + 1][self.corners[col] + 1 : self.corners[col + 1]]
            for token in TOKEN.finditer(text):
                yield row, col, token


def parse(text: str, settings: Settings) -> State:
    """The state of one match."""
    lines = text.splitlines()
    first = next(k for k, line in enumerate(lines) if line.lstrip().startswith("+"))
    drawing = _Drawing(lines[first:])
    tokens = list(drawing.tokens())
    header = {words[0]: int(words[1]) for words in words_of("\n".join(lines[:first]))}
    details = words_of("\n".join(lines[first + len(drawing.lines) :]))
    letters = [token[3] for _, _, token in tokens if token[3]] + [words[0] for words in details]
    seats = max(header.get("seats", 1), *(ord(x) - 64 for x in letters if len(x) == 1 and x.isupper()), 1)
    s = empty_state(seats, sum(bool(token[1]) for _, _, token in tokens), 1, drawing.side)
    s.turn[0] = header.get("turn", 0)
    s.seed[0] = header.get("seed", 0)
    s.over[0] = header.get("over", 0) > 0
    s.walls[0] = drawing.walls()
    s.left[0] = s.length[0] = settings.phase_least
    names = _place(s, tokens)
    for words in details:
        if words[0] in names:
            _read_ghost(s, names, names[words[0]], words[1:])
        else:
            _read_piece(s, ord(words[0]) - 65, words[1:])
    count_crowds(s)
    return s


def _place(s: State, tokens: list[tuple[int, int, re.Match[str]]]) -> dict[str, int]:
    """Put what is drawn on the board; the slots of the NPC ghosts by their names."""
    numbers = {int(token[2]) for _, _, token in tokens if token[1] and token[2]}
    free = iter(sorted(set(range(s.ghost_kind.shape[1])) - numbers))
    names: dict[str, int] = {}
    s.status[0] = GONE
    for row, col, token in tokens:
        if token[1]:
            g = int(token[2]) if token[2] else next(free)
            names[f"{token[1]}{g}"] = g
            names.setdefault(token[1], g)
            s.ghost_kind[0, g] = KINDS.index(token[1])
            s.ghost_row[0, g], s.ghost_col[0, g] = row, col
        elif token[3]:
            i = ord(token[3]) - 65
            s.status[0, i], s.row[0, i], s.col[0, i] = PACMAN, row, col
        else:
            s.item[0, row, col] = ITEMS.index(token[0])
    return names


def _read_piece(s: State, i: int, words: list[str]) -> None:
    numbers = {"invincible": s.invincible, "score": s.score, "gained": s.gained}
    while words:
        word = words.pop(0)
        if word == "faces":
            s.facing[0, i] = MOVES.index(words.pop(0))
        elif word in numbers:
            numbers[word][0, i] = int(words.pop(0))
        elif word == "ghost":
            s.status[0, i] = GHOST
        elif word == "waits":
            s.waits[0, i] = True
        elif word == "gone":
            s.status[0, i] = GONE
        else:
            raise ValueError(word)


def _read_ghost(s: State, names: dict[str, int], g: int, words: list[str]) -> None:
    while words:
        word = words.pop(0)
        if word == "scatter":
            s.chasing[0, g] = False
        elif word == "chase":
            s.chasing[0, g] = True
            quarry = words.pop(0)
            s.quarry[0, g] = -1 if quarry == "-" else ord(quarry) - 65
        elif word == "left":
            s.left[0, g], _, s.length[0, g] = int(words.pop(0)), words.pop(0), int(words.pop(0))
        elif word == "from":
            s.ghost_back[0, g] = MOVES.index(words.pop(0))
        elif word == "with":
            other = words.pop(0)
            s.partner[0, g] = names[other] if other in names else len(names_of(s)) + ord(other) - 65
        elif word == "waits":
            s.ghost_waits[0, g] = True
        else:
            raise ValueError(word)


def names_of(s: State) -> list[str]:
    """What the NPC ghosts are called, by slot."""
    return [f"{KINDS[kind]}{g}" for g, kind in enumerate(s.ghost_kind[0].tolist())]
