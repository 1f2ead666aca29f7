"""Pac-Man for learning: a window of planes around the piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth import encoding
from koth.game import Array, Asks, Field, Question
from koth.games.pacman.state import STAY
from koth.kernel import kernel

SEEN, PELLETS, GHOSTS, WALLS = 0, 1, 5, 6
PLANES = (
    "seen", "pellets", "power pellets", "fruit", "Pac-Men", "ghosts",
    "walls north", "walls east", "walls south", "walls west",
)  # fmt: skip


class Encoding(encoding.Encoding):
    """What rule 32 shows of the squares up to `window` away, and the maze's walls there, which all bots are told.

    What a ray shows further off is left out: a window as wide as half the maze leaves out nothing.
    """

    def __init__(
        self, facts: Mapping[str, Any], questions: Mapping[str, Question], matches: int, *, window: int = 5
    ) -> None:
        side = int(facts["side"])
        self.reach = min(window, (side - 1) // 2)
        self.walls = np.zeros((matches, side, side), np.uint8)
        super().__init__(facts, questions, matches)

    def _observations(self) -> Mapping[str, Field]:
        size = 2 * self.reach + 1
        planes = Field("u1", (len(PLANES), size, size), low=0, high=1, doc=", ".join(PLANES))
        return {"planes": planes, "scalars": Field("<f4", (2,), low=0, doc="row and column, as told")}

    def begin(self, match: int, facts: Mapping[str, Any]) -> None:
        digits = np.frombuffer(facts["walls"].encode(), np.uint8)
        self.walls[match].reshape(-1)[:] = np.where(digits < ord("A"), digits - ord("0"), digits - ord("A") + 10)

    def observe(self, asks: Asks, rows: Array, out: Mapping[str, Array]) -> None:
        view = asks.view
        write_walls(self.walls, asks.match, view["seen"], view["square"], rows, out["planes"], out["scalars"])
        side = self.walls.shape[1]
        write_squares(view["seen"], view["square"], view["content"], side, rows, out["planes"])

    def possible(self, asks: Asks, rows: Array, mask: Array) -> None:
        """Every step that no wall is in the way of, and standing still."""
        write_mask(self.walls, asks.match, asks.view["seen"], asks.view["square"], rows, mask)


@kernel
def write_walls(
    walls: Array, match: Array, seen: Array, square: Array, rows: Array, planes: Array, scalars: Array
) -> None:
    """The walls around each piece, and where it is."""
    side, size = walls.shape[1], planes.shape[2]
    start = 0
    for i in range(rows.size):
        own = square[start]
        maze, window = walls[match[i]], planes[rows[i]]
        scalars[rows[i], 0] = own // side
        scalars[rows[i], 1] = own % side
        for r in range(size):
            row = (own // side + r - size // 2 + side) % side
            column = (own % side - size // 2 + side) % side
            for c in range(size):
                there = maze[row, column]
                window[WALLS, r, c] = there & 1
                window[WALLS + 1, r, c] = there >> 1 & 1
                window[WALLS + 2, r, c] = there >> 2 & 1
                window[WALLS + 3, r, c] = there >> 3 & 1
                column = column + 1 if column + 1 < side else 0
        start += seen[i]


@kernel
def write_squares(seen: Array, square: Array, content: Array, side: int, rows: Array, planes: Array) -> None:
    """What lies and stands on the squares that each piece sees."""
    size = planes.shape[2]
    start = 0
    for i in range(rows.size):
        window = planes[rows[i]]
        window[SEEN:WALLS] = 0
        top = square[start] // side - size // 2
        left = square[start] % side - size // 2
        for k in range(start, start + seen[i]):
            r = (square[k] // side - top + side) % side
            c = (square[k] % side - left + side) % side
            if r < size and c < size:
                window[SEEN, r, c] = 1
                if content[k] > 0:
                    window[SEEN + content[k], r, c] = 1
        start += seen[i]


@kernel
def write_mask(walls: Array, match: Array, seen: Array, square: Array, rows: Array, mask: Array) -> None:
    """Which steps are possible."""
    side = walls.shape[1]
    start = 0
    for i in range(rows.size):
        there = walls[match[i], square[start] // side, square[start] % side]
        for direction in range(STAY):
            mask[rows[i], direction] = there >> direction & 1 == 0
        mask[rows[i], STAY] = True
        start += seen[i]
