"""Metal Man for learning: the board that a player's two pieces see as planes, their steps as eight choices."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from koth import encoding
from koth.game import Array, Asks, Field
from koth.games.metalman.state import ASSASSIN, SPOTTER
from koth.games.metalman.terrain import HIGHGROUND, NONE, WALL
from koth.kernel import kernel

SEEN, WALLS, HIGH, PIECES, ENEMIES = 0, 1, 2, 3, 5
PLANES = ("seen", "walls", "highground", "its spotter", "its assassin", "enemy spotters", "enemy assassins")


class Encoding(encoding.Encoding):
    """Rule 15's percepts: planes of the board, the pieces on them as 1 + where they face (0 up to 3 left).

    Actions are the spotter's steps and direction, then the assassin's, as the answer declares them.
    """

    def _observations(self) -> Mapping[str, Field]:
        planes = Field(
            "u1", (len(PLANES), *self.questions["act"].view["board"].shape), low=0, high=4, doc=", ".join(PLANES)
        )
        doc = "timer, circles, and of its spotter and its assassin: alive, row, column"
        return {"planes": planes, "scalars": Field("<f4", (8,), low=0, doc=doc)}

    def observe(self, asks: Asks, rows: Array, out: Mapping[str, Array]) -> None:
        view, planes, scalars = asks.view, out["planes"], out["scalars"]
        write_board(view["board"], rows, planes)
        write_own(view["row"], view["column"], view["facing"], view["alive"], rows, planes)
        write_enemies(view["enemy_row"], view["enemy_column"], view["enemy_facing"], rows, planes)
        scalars[rows, 0], scalars[rows, 1] = view["timer"], view["circles"]
        for piece in (SPOTTER, ASSASSIN):
            for k, name in enumerate(("alive", "row", "column")):
                scalars[rows, 2 + 3 * piece + k] = view[name][:, piece]

    def possible(self, asks: Asks, rows: Array, mask: Array) -> None:
        """A living piece may try every step; a dead one stays and faces as before."""
        super().possible(asks, rows, mask)
        half = [self.places[self.heads[1].last]]
        for piece, choices in enumerate(np.split(np.arange(self.places[-1]), half)):
            dead = rows[view_dead(asks, piece)]
            mask[np.ix_(dead, choices)] = choices % (NONE + 1) == NONE


def view_dead(asks: Asks, piece: int) -> Array:
    """bool[rows]: in which rows this piece is dead."""
    dead: Array = asks.view["alive"][:, piece] == 0
    return dead


@kernel
def write_board(board: Array, rows: Array, planes: Array) -> None:
    """The squares as they are seen; nobody stands there yet."""
    for i in range(rows.size):
        for r in range(board.shape[1]):
            for c in range(board.shape[2]):
                square = board[i, r, c]
                planes[rows[i], SEEN, r, c] = square >= 0
                planes[rows[i], WALLS, r, c] = square == WALL
                planes[rows[i], HIGH, r, c] = square == HIGHGROUND
                for plane in range(PIECES, planes.shape[1]):
                    planes[rows[i], plane, r, c] = 0


@kernel
def write_own(row: Array, column: Array, facing: Array, alive: Array, rows: Array, planes: Array) -> None:
    """Its own living pieces."""
    for i in range(rows.size):
        for piece in range(2):
            if alive[i, piece]:
                planes[rows[i], PIECES + piece, row[i, piece], column[i, piece]] = 1 + facing[i, piece]


@kernel
def write_enemies(row: Array, column: Array, facing: Array, rows: Array, planes: Array) -> None:
    """The enemies that it sees."""
    for i in range(rows.size):
        for seat in range(row.shape[1]):
            for piece in range(2):
                if row[i, seat, piece] >= 0:
                    at = planes[rows[i], ENEMIES + piece]
                    at[row[i, seat, piece], column[i, seat, piece]] = 1 + facing[i, seat, piece]
