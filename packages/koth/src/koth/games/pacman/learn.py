"""Pac-Man for learning: a window of planes around the piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth import encoding
from koth.game import Array, Field, Observations, Question
from koth.games.pacman.state import STAY
from koth.grid import copy_window
from koth.kernel import kernel

SEEN, PELLETS, GHOSTS, WALLS = 0, 1, 5, 6
PLANES = (
    "seen", "pellets", "power pellets", "fruit", "Pac-Men", "ghosts",
    "walls north", "walls east", "walls south", "walls west",
)  # fmt: skip


class Encoding(encoding.Encoding):
    """Planes of the squares up to `window` away that rule 32 shows, and of the maze's walls there.

    `planes` (10, 11, 11), the piece in the centre: squares seen, pellets, power pellets, fruit, Pac-Men, ghosts, and
    walls to the north, east, south and west. One action of 5: north, east, south, west, stay; not into a wall. After
    a death a turn has two steps: ghosts are asked before the living.

    Squares seen beyond the window are left out. A maze smaller than the window repeats, as for a piece that walks on,
    so the shapes are the same for any number of seats.
    """

    def __init__(
        self, match_info: Mapping[str, Any], questions: Mapping[str, Question], matches: int, *, window: int = 5
    ) -> None:
        side = int(match_info["side"])
        self.reach = window
        self.side = side
        wide = side + 2 * self.reach
        self.walls = np.zeros((matches, STAY, wide, wide), np.int8)
        """The maze of each match, a plane for each direction, its opposite edges repeated around it."""
        self.row_of = (np.arange(side * side) // side).astype(np.int32)
        super().__init__(match_info, questions, matches)

    def _observations(self) -> Mapping[str, Field]:
        size = 2 * self.reach + 1
        planes = Field(
            "i1", (len(PLANES), size, size), low=0, high=1, doc=", ".join(PLANES) + "; [plane, row, column]"
        )
        return {"planes": planes}

    def begin(self, match: int, match_info: Mapping[str, Any]) -> None:
        digits = np.frombuffer(match_info["walls"].encode(), np.uint8)
        walls = np.where(digits < ord("A"), digits - ord("0"), digits - ord("A") + 10)
        around = np.pad(walls.reshape(self.side, self.side), self.reach, mode="wrap")
        self.walls[match, :, :, : len(around)] = around >> np.arange(STAY)[:, None, None] & 1

    def observe(self, observations: Observations, rows: Array, out: Mapping[str, Array]) -> None:
        observation = observations.fields
        squares = observation["seen"], observation["square"], self.row_of, self.side
        write_walls(self.walls, observations.match, *squares, rows, out["planes"])
        write_squares(*squares, observation["content"], rows, out["planes"])


# Divisions are looked up: `row_of` has the row of each square.


@kernel
def write_walls(
    walls: Array,
    match: Array,
    seen: Array,
    square: Array,
    row_of: Array,
    side: int,
    rows: Array,
    planes: Array,
) -> None:
    """Write the walls around each piece."""
    size = planes.shape[2]
    start = 0
    for i in range(rows.size):
        row = row_of[square[start]]
        column = square[start] - row * side
        place = (rows[i] * planes.shape[1] + WALLS) * size * size
        for direction in range(STAY):
            copy_window(walls[match[i], direction], column, row, size, planes, place)
            place += size * size
        start += seen[i]


@kernel
def write_squares(
    seen: Array, square: Array, row_of: Array, side: int, content: Array, rows: Array, planes: Array
) -> None:
    """Write the content of the squares that each piece sees."""
    size = planes.shape[2]
    count = size * size
    out = planes.reshape(-1)
    start = 0
    for i in range(rows.size):
        first = np.uint64(rows[i] * planes.shape[1] * count)
        for n in range(WALLS * count):
            out[first + np.uint64(n)] = 0
        row = row_of[square[start]]
        top = row - size // 2
        left = square[start] - row * side - size // 2
        for k in range(start, start + seen[i]):
            row = row_of[square[k]]
            r = row - top
            c = square[k] - row * side - left
            r += side if r < 0 else -side if r >= side else 0
            c += side if c < 0 else -side if c >= side else 0
            if size > side:
                mark_copies(out, first, r % side, c % side, side, size, content[k])
            elif r < size and c < size:
                mark(out, first, r, c, size, content[k])
        start += seen[i]


@kernel(inline=True)
def mark(out: Array, first: Any, r: int, c: int, size: int, content: int) -> None:
    """Mark a square as seen, with its content if it is not empty."""
    at = first + np.uint64(r * size + c)
    out[at] = 1
    out[at + np.uint64(content) * np.uint64(size * size)] = 1


@kernel(inline=True)
def mark_copies(out: Array, first: Any, r: int, c: int, side: int, size: int, content: int) -> None:
    """Mark every copy of a square in a window that is larger than the maze."""
    for row in range(r, size, side):
        for column in range(c, size, side):
            mark(out, first, row, column, size, content)
