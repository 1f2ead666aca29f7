"""Metal Man for learning: the board that a player's two pieces see as planes, their steps as eight choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth import encoding
from koth.encoding import Head
from koth.game import Array, Field, Observations, Question
from koth.games.metalman.observation import Percepts
from koth.games.metalman.prospects import FEATURES, Prospects
from koth.games.metalman.state import ASSASSIN, SPOTTER
from koth.games.metalman.terrain import HIGHGROUND, NONE, WALL
from koth.kernel import kernel

SEEN, WALLS, HIGH, PIECES, ENEMIES = 0, 1, 2, 3, 5
PLANES = ("seen", "walls", "highground", "its spotter", "its assassin", "enemy spotters", "enemy assassins")


class Encoding(encoding.Encoding):
    """Rule 15's percepts: planes of the board, the pieces on them as 1 + where they face (0 up to 3 left).

    Actions are the spotter's steps and direction, then the assassin's, as the answer declares them. With `prospects`
    they are where each piece goes, and there are features of each choice, too, by all that has been told so far.
    """

    def __init__(
        self,
        match_info: Mapping[str, Any],
        questions: Mapping[str, Question],
        matches: int,
        *,
        prospects: bool = False,
    ) -> None:
        rows, columns = questions["act"].observation["board"].shape
        steps = int(match_info["spotter_steps"]), int(match_info["assassin_steps"])
        told = int(match_info["players"]), rows, columns, matches, steps, int(match_info["timer"])
        self.prospects = Prospects(*told) if prospects else None
        super().__init__(match_info, questions, matches)

    def _observations(self) -> Mapping[str, Field]:
        planes = Field(
            "u1",
            (len(PLANES), *self.questions["act"].observation["board"].shape),
            low=0,
            high=4,
            doc=", ".join(PLANES),
        )
        doc = "timer, circles, and of its spotter and its assassin: alive, row, column"
        told = {"planes": planes, "scalars": Field("<f4", (8,), low=0, doc=doc)}
        if self.prospects is not None:
            shape = len(self.prospects.board.choices), len(FEATURES)
            told["prospects"] = Field("<f4", shape, low=0, doc="; ".join(FEATURES))
        return told

    def _heads(self) -> tuple[Head, ...]:
        if self.prospects is None:
            return super()._heads()
        choices = len(self.prospects.board.choices)
        spotters = self.prospects.split
        return (
            Head("act", "spotter_moves", 0, 1, spotters, 0, 0),
            Head("act", "assassin_moves", 1, 2, choices - spotters, 0, 0),
        )

    def begin(self, match: int, match_info: Mapping[str, Any]) -> None:
        if self.prospects is not None:
            self.prospects.begin(match)

    def observe(self, observations: Observations, rows: Array, out: Mapping[str, Array]) -> None:
        observation, planes, scalars = observations.fields, out["planes"], out["scalars"]
        write_board(observation["board"], rows, planes)
        write_own(
            observation["row"], observation["column"], observation["facing"], observation["alive"], rows, planes
        )
        write_enemies(
            observation["enemy_row"], observation["enemy_column"], observation["enemy_facing"], rows, planes
        )
        scalars[rows, 0], scalars[rows, 1] = observation["timer"], observation["circles"]
        for piece in (SPOTTER, ASSASSIN):
            for k, name in enumerate(("alive", "row", "column")):
                scalars[rows, 2 + 3 * piece + k] = observation[name][:, piece]
        if self.prospects is not None:
            self.prospects.write(observations.seat, Percepts(**observation), rows, out["prospects"])

    def possible(self, observations: Observations, rows: Array, mask: Array) -> None:
        """A living piece may try every step, or go wherever a way may be; a dead one stays and faces as before."""
        if self.prospects is not None:
            mask[rows] = self.prospects.open[rows]
            return
        super().possible(observations, rows, mask)
        half = [self.places[self.heads[1].last]]
        for piece, choices in enumerate(np.split(np.arange(self.places[-1]), half)):
            dead = rows[view_dead(observations, piece)]
            mask[np.ix_(dead, choices)] = choices % (NONE + 1) == NONE

    def answer(self, observations: Observations, actions: Array, fields: Mapping[str, Array]) -> None:
        if self.prospects is None:
            super().answer(observations, actions, fields)
            return
        moves = fields["spotter_moves"], fields["assassin_moves"]
        looks = fields["spotter_direction"], fields["assassin_direction"]
        self.prospects.take(actions, Percepts(**observations.fields), moves, looks)


def view_dead(observations: Observations, piece: int) -> Array:
    """bool[rows]: in which rows this piece is dead."""
    dead: Array = observations.fields["alive"][:, piece] == 0
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
