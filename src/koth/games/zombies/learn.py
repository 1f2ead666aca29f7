"""Zombies for learning: what a player sees as planes, moves and shots as one choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth import encoding
from koth.encoding import Head
from koth.errors import KothError
from koth.game import Array, Field, Observations, Question
from koth.games.zombies.planes import BLOCK, CHUNK, PLANES, take_actions, write
from koth.games.zombies.prospects import CHOICES, FEATURES, Prospects
from koth.games.zombies.state import MOVES, STAY

VIEWS = ("planes", "kinds")


class Encoding(encoding.Encoding):
    """Rule 4's picture in planes; an action is a move, or a shot at who stands on a square within range.

    Action 9 + k shoots at the k-th square within `shoot_range`, row by row from the north-west, its own included.
    With `prospects` at the k-th nearest zombie or stranger, and there are features of each choice, too. The picture
    goes as far as a player sees, or only `radius` squares; with `view="kinds"` it is one number for each square.
    Raises KothError for a view that there is none of, and for a radius beyond what is seen.
    """

    def __init__(
        self,
        match_info: Mapping[str, Any],
        questions: Mapping[str, Question],
        matches: int,
        *,
        prospects: bool = False,
        view: str = "planes",
        radius: int | None = None,
    ) -> None:
        self.reach = int(match_info["shoot_range"])
        side = questions["act"].observation["window"].shape[0]
        self.view, self.radius = view, side // 2 if radius is None else radius
        if view not in VIEWS:
            raise KothError(f"zombies has no view {view!r}; there are {', '.join(VIEWS)}")
        if not 1 <= self.radius <= side // 2:
            raise KothError(f"radius must be in 1..{side // 2}, as far as a player sees, not {self.radius}")
        self.side, rows = side, questions["act"].max_rows * matches
        self._own = np.arange(rows, dtype=np.int32), np.zeros(rows, np.int32)
        squares = (2 * self.radius + 1) ** 2, (2 * self.reach + 1) ** 2
        self._seen, self._near = (np.zeros(BLOCK * size + CHUNK, np.uint8) for size in squares)
        self._low = np.zeros(0, np.uint8)
        self.prospects = Prospects(side) if prospects else None
        self.boards = {} if prospects else {"act": {"window"}}
        self._nothing: dict[str, Array] = {
            self.view: np.zeros(0, np.uint8),
            "scalars": np.zeros((0, 0), np.float32),
            "prospects": np.zeros((0, 0, 0), np.float32),
        }
        self._no_mask = np.zeros((0, 0), np.bool_)
        super().__init__(match_info, questions, matches)

    def _observations(self) -> Mapping[str, Field]:
        squares = 2 * self.radius + 1, 2 * self.radius + 1
        planes = Field("u1", (len(PLANES), *squares), low=0, high=1, doc=", ".join(PLANES) + "; [plane, y, x]")
        kinds = Field("u1", squares, low=0, high=len(PLANES), doc=", ".join(("nobody", *PLANES)) + "; [y, x]")
        told = {"planes": planes} if self.view == "planes" else {"kinds": kinds}
        told["scalars"] = Field("<f4", (4,), low=0, doc="bullets, clock, x and y, as told")
        if self.prospects is not None:
            told["prospects"] = Field("<f4", (CHOICES, len(FEATURES)), low=0, doc="; ".join(FEATURES))
        return told

    def _heads(self) -> tuple[Head, ...]:
        squares = len(MOVES) + (2 * self.reach + 1) ** 2
        return (Head("act", "action", 0, 1, squares if self.prospects is None else CHOICES, 0, STAY),)

    def observe(self, observations: Observations, rows: Array, out: Mapping[str, Array]) -> None:
        self._write(observations, rows, out, self._no_mask)

    def possible(self, observations: Observations, rows: Array, mask: Array) -> None:
        """Every move; with a bullet, every square within range on which somebody stands."""
        self._write(observations, rows, self._nothing, mask)

    def look(self, observations: Observations, rows: Array, out: Mapping[str, Array], mask: Array) -> None:
        """Both at once: a window is looked at but once."""
        self._write(observations, rows, out, mask)

    def _write(self, observations: Observations, rows: Array, out: Mapping[str, Array], mask: Array) -> None:
        """Whatever there is room for."""
        view, windows = observations.fields, self._windows(observations)
        planes = len(PLANES) if self.view == "planes" else 1
        squares = mask if self.prospects is None else self._no_mask
        told = observations.seat, view["bullets"], view["clock"], view["x"], view["y"], rows
        far = self.side, self.reach, self.radius, planes
        scratch = self._low_of(windows[0]), self._seen, self._near
        write(*windows, *told, *far, *scratch, out[self.view].reshape(-1), out["scalars"], squares.reshape(-1))
        if self.prospects is not None:
            weighed = view["window"], observations.seat, view["bullets"], rows, self.reach, out["prospects"], mask
            self.prospects.write(*weighed)

    def _windows(self, observations: Observations) -> tuple[Array, Array, Array, Array]:
        """Where windows lie: on which boards, which of these is each row's, and the x and y of their first squares.

        What was told has a board for each row.
        """
        view, rows = observations.fields, observations.seat.size
        if "window" in observations.boards:
            return observations.boards["window"], observations.match, view["x"], view["y"]
        number, corner = self._own
        return view["window"], number[:rows], corner[:rows], corner[:rows]

    def _low_of(self, boards: Array) -> Array:
        """Room for who stands where on one of these boards."""
        size = boards.shape[1] * boards.shape[2] + CHUNK
        if self._low.size != size:
            self._low = np.zeros(size, np.uint8)
        return self._low

    def answer(self, observations: Observations, actions: Array, fields: Mapping[str, Array]) -> None:
        chosen, said = actions[:, 0], (fields["action"], fields["target"])
        if self.prospects is None:
            take_actions(chosen, *self._windows(observations), self.side, self.reach, *said)
        else:
            self.prospects.take(chosen, observations.fields["window"], observations.seat, self.reach, *said)
