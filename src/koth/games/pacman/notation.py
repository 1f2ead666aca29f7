"""A text notation for small mazes, both ways.

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
from typing import Any

import numpy as np

from koth.game import Array
from koth.games.pacman.crowds import count_crowds
from koth.games.pacman.state import (
    EAST,
    GHOST,
    GONE,
    MOVES,
    NORTH,
    NOWHERE,
    PACMAN,
    SOUTH,
    WEST,
    Settings,
    State,
    empty_state,
)
from koth.grid import DCOL, DROW
from koth.notation import lines_of, numbers, reading

ITEMS = " .o%"
KINDS = "bpic"
TOKEN = re.compile(r"[.o%]|([bpic])(\d*)|([A-Z])")
FILLING = re.compile(rf"(\s|{TOKEN.pattern})*")
HEADERS = ("turn", "seed", "seats", "over")


def seat_letter(seat: int) -> str:
    """A, B ... Z; a board with more seats than letters has no notation."""
    if not 0 <= seat < 26:
        raise ValueError(f"seat {seat} has no letter: the notation is for boards of at most 26 bots")
    return chr(65 + seat)


class _Drawing:
    """The lines of a drawing, cut at its corners; `first` is the number of the first line."""

    def __init__(self, lines: list[str], first: int) -> None:
        indent = len(lines[0]) - len(lines[0].lstrip())
        self.corners = [k - indent for k, sign in enumerate(lines[0]) if sign == "+"]
        self.side = len(self.corners) - 1
        self.first = first
        if self.side < 3 or len(lines) < 2 * self.side + 1:
            raise ValueError(f"a maze has as many rows as columns, at least 3, not {self.side} columns here")
        width = self.corners[-1] + 1
        self.lines = [line[indent:].rstrip().ljust(width) for line in lines[: 2 * self.side + 1]]

    def has_wall(self, row: int, col: int, d: int) -> bool:
        """Whether the drawing closes one edge of a square."""
        left, right = self.corners[col : col + 2]
        if d in (EAST, WEST):
            line = 2 * row + 1
            edge = self.lines[line][right if d == EAST else left]
        else:
            line = 2 * row + (2 if d == SOUTH else 0)
            edge = self.lines[line][left + 1 : right]
        if set(edge) in ({"-"}, {"|"}):
            return True
        if edge.strip():
            raise ValueError(f"line {self.first + line}: {edge!r} is neither a wall nor an opening")
        return False

    def walls(self) -> Array:
        """uint8[S, S], the digits of the squares. Raises ValueError where opposite edges differ."""
        walls = np.zeros((self.side, self.side), np.uint8)
        for row, col in np.ndindex(walls.shape):
            walls[row, col] = sum(self.has_wall(row, col, d) << d for d in range(4))
        for row, col in np.ndindex(walls.shape):
            for d in (NORTH, WEST):  # an index of -1 is the last row or column: the maze wraps
                if walls[row, col] >> d & 1 != walls[row + DROW[d], col + DCOL[d]] >> (d + 2) % 4 & 1:
                    raise ValueError(f"square {row},{col}: the edge to its {MOVES[d]} and the one across differ")
        return walls

    def tokens(self) -> Iterator[tuple[int, int, re.Match[str]]]:
        """What stands in the squares, in reading order."""
        for row, col in np.ndindex(self.side, self.side):
            line = self.lines[2 * row + 1]
            text = line[self.corners[col] + 1 : self.corners[col + 1]]
            if not FILLING.fullmatch(text):
                raise ValueError(f"line {self.first + 2 * row + 1}: {text.strip()!r} can't stand in a square")
            for token in TOKEN.finditer(text):
                yield row, col, token


def parse(text: str, settings: Settings) -> State:
    """The state of one match. Raises ValueError naming the line or the square that can't be read."""
    lines = text.splitlines()
    first = next((k for k, line in enumerate(lines) if line.lstrip().startswith("+")), -1)
    if first < 0:
        raise ValueError("there is no maze: no line begins with +")
    drawing = _Drawing(lines[first:], first + 1)
    tokens = list(drawing.tokens())
    header = {}
    for line in lines_of("\n".join(lines[:first])):
        with reading(line.number):
            if line.words[0] not in HEADERS:
                raise ValueError(f"{line.text.strip()!r} is none of {', '.join(HEADERS)} with a number")
            (header[line.words[0]],) = numbers(line.words, below=2**63)
    below = first + len(drawing.lines)
    details = [(number, line.split()) for number, line in enumerate(lines[below:], below + 1) if line.strip()]
    letters = [token[3] for _, _, token in tokens if token[3]] + [words[0] for _, words in details]
    seats = max(header.get("seats", 1), *(ord(x) - 64 for x in letters if len(x) == 1 and x.isupper()), 1)
    s = empty_state(seats, sum(bool(token[1]) for _, _, token in tokens), 1, drawing.side)
    s.turn[0] = header.get("turn", 0)
    s.seed[0] = header.get("seed", 0)
    s.over[0] = header.get("over", 0) > 0
    s.walls[0] = drawing.walls()
    s.left[0] = s.length[0] = settings.phase_least
    names = _place(s, tokens)
    for number, words in details:
        with reading(number, f"{' '.join(words)!r} can't be read: "):
            _read_detail(s, names, words)
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
            if g >= s.ghost_kind.shape[1] or f"{token[1]}{g}" in names:
                raise ValueError(f"the ghosts' numbers must be 0..{s.ghost_kind.shape[1] - 1}, each once")
            names[f"{token[1]}{g}"] = g
            names.setdefault(token[1], g)
            s.ghost_kind[0, g] = KINDS.index(token[1])
            s.ghost_row[0, g], s.ghost_col[0, g] = row, col
        elif token[3]:
            i = ord(token[3]) - 65
            if s.status[0, i] != GONE:
                raise ValueError(f"{token[3]} stands on two squares")
            s.status[0, i], s.row[0, i], s.col[0, i] = PACMAN, row, col
        else:
            s.item[0, row, col] = ITEMS.index(token[0])
    return names


def _read_detail(s: State, names: dict[str, int], words: list[str]) -> None:
    if words[0] in names:
        _read_ghost(s, names, names[words[0]], words[1:])
    elif len(words[0]) == 1 and words[0].isupper():
        _read_piece(s, ord(words[0]) - 65, words[1:])
    else:
        raise ValueError("no such piece or ghost")


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


def names_of(s: State, match: int = 0) -> list[str]:
    """What the NPC ghosts of a match are called in its notation, by slot."""
    return [f"{KINDS[kind]}{g}" for g, kind in enumerate(s.ghost_kind[match].tolist())]


def show(s: State, match: int) -> str:
    """The notation of one match; `parse` of it gives a state that goes on in the same way."""
    side = s.walls.shape[1]
    seats = s.status.shape[1]
    squares: list[list[str]] = [[] for _ in range(side * side)]
    for square, item in enumerate(s.item[match].ravel().tolist()):
        squares[square] += [ITEMS[item]] if item else []
    for g, name in enumerate(names_of(s, match)):
        squares[s.ghost_row[match, g] * side + s.ghost_col[match, g]].append(name)
    for i in range(seats):
        if s.status[match, i] != GONE:
            squares[s.row[match, i] * side + s.col[match, i]].append(seat_letter(i))
    texts = [" ".join(square) for square in squares]
    width = max(3, 2 + max(len(text) for text in texts))
    lines = [f"turn {s.turn[match]}", f"seed {s.seed[match]}", f"seats {seats}"]
    lines += ["over 1"] if s.over[match] else []
    for row in range(side):
        walls = s.walls[match, row].tolist()
        lines.append("+" + "".join(("-" if w & 1 else " ") * width + "+" for w in walls))
        line = "|" if walls[0] & 8 else " "
        for col, w in enumerate(walls):
            line += f" {texts[row * side + col]}".ljust(width) + ("|" if w & 2 else " ")
        lines.append(line.rstrip())
    lines.append("+" + "".join(("-" if w & 4 else " ") * width + "+" for w in walls))
    lines += [_piece_line(s, match, i) for i in range(seats)]
    lines += [_ghost_line(s, match, g) for g in range(s.ghost_kind.shape[1])]
    return "\n".join(lines) + "\n"


def _piece_line(s: State, m: int, i: int) -> str:
    words: list[Any] = [seat_letter(i), "faces", MOVES[s.facing[m, i]]]
    if s.status[m, i] != PACMAN:
        words.append("ghost" if s.status[m, i] == GHOST else "gone")
    for key, array in (("invincible", s.invincible), ("score", s.score), ("gained", s.gained)):
        words += [key, array[m, i]] if array[m, i] else []
    words += ["waits"] if s.waits[m, i] else []
    return " ".join(str(word) for word in words)


def _ghost_line(s: State, m: int, g: int) -> str:
    names = names_of(s, m)
    quarry = int(s.quarry[m, g])
    words = [names[g], "chase" if s.chasing[m, g] else "scatter"]
    if s.chasing[m, g]:
        words.append("-" if quarry < 0 else seat_letter(quarry))
    words += ["left", str(s.left[m, g]), "of", str(s.length[m, g])]
    if s.ghost_back[m, g] != NOWHERE:
        words += ["from", MOVES[s.ghost_back[m, g]]]
    partner = int(s.partner[m, g])
    if partner >= 0:
        words += ["with", names[partner] if partner < len(names) else seat_letter(partner - len(names))]
    words += ["waits"] if s.ghost_waits[m, g] else []
    return " ".join(words)
