"""Metal Man for learning: the board that a player's two pieces see as planes, their steps as eight actions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from koth import encoding
from koth.game import Array, Field, Observations
from koth.games.metalman.percepts import plain_fields
from koth.games.metalman.terrain import HIGHGROUND, WALL
from koth.kernel import kernel

SEEN, WALLS, HIGH, OWN, ENEMIES, FACING = 0, 1, 2, 3, 5, 7
"""Indices into `PLANES`: for `OWN` and `ENEMIES` that of the spotter's plane, for `FACING` that of UP."""
PLANES = (
    "seen", "walls", "highground", "its spotter", "its assassin", "enemy spotters", "enemy assassins",
    "pieces that face up", "right", "down", "left",
)  # fmt: skip
LONG = 50
"""The cap of observed numbers."""


class Encoding(encoding.Encoding):
    """Rule 15's percepts as planes. Actions are the spotter's steps and direction, then the assassin's.

    `planes` (11, rows, columns): squares seen, walls, highground, its own spotter and assassin, enemy spotters and
    assassins, pieces that face up, right, down, left. `scalars`: timer (50 or more are 1), the part of the rings that
    collapsed, whether spotter and assassin live. Eight actions of 5: the spotter's two steps and direction, the
    assassin's four and direction; a dead piece stays. A step is one player's turn.
    """

    def _observations(self) -> Mapping[str, Field]:
        shape = len(PLANES), *self.questions["act"].observation["board"].shape
        planes = Field("i1", shape, low=0, high=1, doc=", ".join(PLANES) + "; [plane, row, column]")
        self.scalars = list(plain_fields(self.questions["act"].observation))
        doc = f"{', '.join(self.scalars)}, each / {LONG}, at most 1; whether spotter and assassin live"
        return {"planes": planes, "scalars": Field("<f4", (len(self.scalars) + 2,), low=0, high=1, doc=doc)}

    def observe(self, observations: Observations, rows: Array, out: Mapping[str, Array]) -> None:
        observation, planes, scalars = observations.fields, out["planes"], out["scalars"]
        write_board(observation["board"], rows, planes)
        write_own(
            observation["row"], observation["column"], observation["facing"], observation["alive"], rows, planes
        )
        write_enemies(
            observation["enemy_row"], observation["enemy_column"], observation["enemy_facing"], rows, planes
        )
        for k, name in enumerate(self.scalars):
            scalars[rows, k] = np.minimum(observation[name], LONG) / LONG
        scalars[rows, len(self.scalars) :] = observation["alive"]


@kernel
def write_board(board: Array, rows: Array, planes: Array) -> None:
    """Write the planes of squares, and clear the planes of pieces; loops over one array each are vectorised."""
    count = board.shape[1] * board.shape[2]
    squares, out = board.reshape(-1, count), planes.reshape(-1, planes.shape[1] * count)
    for i in range(rows.size):
        own, row = squares[i], out[rows[i]]
        seen, walls, high = row[SEEN * count :], row[WALLS * count :], row[HIGH * count :]
        for k in range(count):
            seen[k] = own[k] >= 0
        for k in range(count):
            walls[k] = own[k] == WALL
        for k in range(count):
            high[k] = own[k] == HIGHGROUND
        row[OWN * count :] = 0


@kernel
def write_own(row: Array, column: Array, facing: Array, alive: Array, rows: Array, planes: Array) -> None:
    """Write the player's own living pieces."""
    for i in range(rows.size):
        for piece in range(2):
            if alive[i, piece]:
                planes[rows[i], OWN + piece, row[i, piece], column[i, piece]] = 1
                planes[rows[i], FACING + facing[i, piece], row[i, piece], column[i, piece]] = 1


@kernel
def write_enemies(row: Array, column: Array, facing: Array, rows: Array, planes: Array) -> None:
    """Write the enemy pieces that the player sees."""
    for i in range(rows.size):
        for seat in range(row.shape[1]):
            for piece in range(2):
                if row[i, seat, piece] >= 0:
                    planes[rows[i], ENEMIES + piece, row[i, seat, piece], column[i, seat, piece]] = 1
                    planes[rows[i], FACING + facing[i, seat, piece], row[i, seat, piece], column[i, seat, piece]] = 1
