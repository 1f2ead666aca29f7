"""Zombies for learning: what a player sees as planes; moves and shots as one action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth import encoding
from koth.encoding import Head
from koth.errors import KothError
from koth.game import Array, Field, Observations, Question
from koth.games.zombies.planes import BLOCK, CHUNK, PLANES, read_actions, take_actions, write
from koth.games.zombies.state import MOVES, PLAYER, STAY, State
from koth.kernel import kernel

ENOUGH = 10
"""The number of bullets above which the observation does not distinguish numbers."""


class Encoding(encoding.Encoding):
    """Planes of rule 4's picture; an action is a move, or a shot at the actor on a square within range.

    `planes` (4, 17, 17), the player in the centre: players of the same bot, of others, zombies, bodies. Planes extend
    as far as a player sees, or only `window` squares. `scalars`: bullets (10 or more are 1), x, y. One action of 130:
    the 9 moves in the statement's order; action 9 + k shoots at the k-th square within `shoot_range`, row by row from
    the north-west, its own included. With a bullet a shot at every taken square is possible. Raises KothError for a
    window beyond the sight.
    """

    boards: Mapping[str, Any] = {"act": {"window"}}

    def __init__(
        self,
        match_info: Mapping[str, Any],
        questions: Mapping[str, Question],
        matches: int,
        *,
        window: int | None = None,
    ) -> None:
        self.reach = int(match_info["shoot_range"])
        self.side, self.board = questions["act"].observation["window"].shape[0], int(match_info["side"])
        self.window = self.side // 2 if window is None else window
        if not 1 <= self.window <= self.side // 2:
            raise KothError(f"window must be in 1..{self.side // 2}, the range of sight, not {self.window}")
        rows = questions["act"].max_rows * matches
        self._own = np.arange(rows, dtype=np.int32), np.zeros(rows, np.int32)
        squares = (2 * self.window + 1) ** 2, (2 * self.reach + 1) ** 2
        self._seen, self._near = (np.zeros(BLOCK * size + CHUNK, np.uint8) for size in squares)
        self._low = np.zeros(0, np.uint8)
        self._no_planes, self._no_mask = np.zeros(0, np.uint8), np.zeros((0, 0), np.bool_)
        super().__init__(match_info, questions, matches)

    def _observations(self) -> Mapping[str, Field]:
        shape = len(PLANES), 2 * self.window + 1, 2 * self.window + 1
        planes = Field("i1", shape, low=0, high=1, doc=", ".join(PLANES) + "; [plane, y, x]")
        doc = f"bullets / {ENOUGH}, at most 1; x and y in parts of the board"
        return {"planes": planes, "scalars": Field("<f4", (3,), low=0, high=1, doc=doc)}

    def _heads(self) -> tuple[Head, ...]:
        return (Head("act", "action", 0, 1, len(MOVES) + (2 * self.reach + 1) ** 2, 0, STAY),)

    def observe(self, observations: Observations, rows: Array, out: Mapping[str, Array]) -> None:
        self.look(observations, rows, out, self._no_mask)

    def possible(self, observations: Observations, rows: Array, mask: Array) -> None:
        """Mark the legal moves, and shots at every square within range with an actor on it."""
        self._write(observations, rows, self._no_planes, mask)

    def look(self, observations: Observations, rows: Array, out: Mapping[str, Array], mask: Array) -> None:
        """Write observations and masks in one pass over each window."""
        view = observations.fields
        self._write(observations, rows, out["planes"].reshape(-1).view(np.uint8), mask)
        write_scalars(view["bullets"], view["x"], view["y"], self.board, rows, out["scalars"])

    def _write(self, observations: Observations, rows: Array, planes: Array, mask: Array) -> None:
        legal = observations.question.answer["action"].legal_truths(observations.fields)
        windows, own = self._windows(observations), (observations.seat, legal.reshape(-1), rows)
        far = self.side, self.reach, self.window
        write(*windows, *own, *far, self._low_of(windows[0]), self._seen, self._near, planes, mask.reshape(-1))

    def _windows(self, observations: Observations) -> tuple[Array, Array, Array, Array]:
        """Return where windows are: the boards, and for each row its board, x and y of its window's first square.

        Without boards the observation has a window for each row.
        """
        view, rows = observations.fields, observations.seat.size
        if "window" in observations.boards:
            return observations.boards["window"], observations.match, view["x"], view["y"]
        number, corner = self._own
        return view["window"], number[:rows], corner[:rows], corner[:rows]

    def _low_of(self, boards: Array) -> Array:
        """Return a buffer for the identities on one of these boards."""
        size = boards.shape[1] * boards.shape[2] + CHUNK
        if self._low.size != size:
            self._low = np.zeros(size, np.uint8)
        return self._low

    def answer(self, observations: Observations, actions: Array, fields: Mapping[str, Array]) -> None:
        take_actions(
            actions[:, 0], *self._windows(observations), self.side, self.reach, fields["action"], fields["target"]
        )

    def read(self, observations: Observations, fields: Mapping[str, Array], actions: Array) -> None:
        read_actions(
            fields["action"], fields["target"], *self._windows(observations), self.side, self.reach, actions[:, 0]
        )


def unit_scores(settings: Any, state: State, last: Array) -> Array:
    """Return the number of turns that each player has lived, float64[matches, agents]; for the dead their `last`."""
    living = state.kind[:, : last.shape[1]] == PLAYER
    lived: Array = np.where(living, state.clock[:, None], last)
    return lived


@kernel
def write_scalars(bullets: Array, x: Array, y: Array, side: int, rows: Array, scalars: Array) -> None:
    """Write each player's scalars: bullets, x and y."""
    for i in range(rows.size):
        scalars[rows[i], 0] = min(bullets[i], ENOUGH) / ENOUGH
        scalars[rows[i], 1] = x[i] / side
        scalars[rows[i], 2] = y[i] / side
