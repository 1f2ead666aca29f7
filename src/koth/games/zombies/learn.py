"""Zombies for learning: what a player sees as planes, moves and shots as one choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth import encoding
from koth.encoding import Head
from koth.game import Array, Asks, Field, Question
from koth.games.zombies.prospects import CHOICES, FEATURES, Prospects
from koth.games.zombies.state import BODY, MOVES, PLAYER, SHOOT, STAY, ZOMBIE
from koth.kernel import kernel, phase

OWN, FOES, ZOMBIES, BODIES = range(4)
PLANES = ("players of its own bot", "players of others", "zombies", "bodies")


class Encoding(encoding.Encoding):
    """Rule 4's picture in planes; an action is a move, or a shot at who stands on a square within range.

    Action 9 + k shoots at the k-th square within `shoot_range`, row by row from the north-west, its own included.
    With `prospects` at the k-th nearest zombie or stranger, and there are features of each choice, too.
    """

    def __init__(
        self, facts: Mapping[str, Any], questions: Mapping[str, Question], matches: int, *, prospects: bool = False
    ) -> None:
        self.reach = int(facts["shoot_range"])
        side = questions["act"].view["window"].shape[0]
        self._low = np.zeros(side * side, np.uint8)
        self.prospects = Prospects(side) if prospects else None
        self._nothing = np.zeros((0, 0, 0), np.float32), np.zeros((0, 0), np.bool_)
        super().__init__(facts, questions, matches)

    def _observations(self) -> Mapping[str, Field]:
        size = self.questions["act"].view["window"].shape[0]
        planes = Field("u1", (len(PLANES), size, size), low=0, high=1, doc=", ".join(PLANES) + "; [plane, y, x]")
        scalars = Field("<f4", (4,), low=0, doc="bullets, clock, x and y, as told")
        told = {"planes": planes, "scalars": scalars}
        if self.prospects is not None:
            told["prospects"] = Field("<f4", (CHOICES, len(FEATURES)), low=0, doc="; ".join(FEATURES))
        return told

    def _heads(self) -> tuple[Head, ...]:
        squares = len(MOVES) + (2 * self.reach + 1) ** 2
        return (Head("act", "action", 0, 1, squares if self.prospects is None else CHOICES, 0, STAY),)

    def observe(self, asks: Asks, rows: Array, out: Mapping[str, Array]) -> None:
        view = asks.view
        write_planes(view["window"], asks.seat, rows, self._low, out["planes"])
        write_scalars(view["bullets"], view["clock"], view["x"], view["y"], rows, out["scalars"])
        if self.prospects is not None:
            told = view["window"], asks.seat, view["bullets"], rows, self.reach
            self.prospects.write(*told, out["prospects"], self._nothing[1])

    def possible(self, asks: Asks, rows: Array, mask: Array) -> None:
        """Every move; with a bullet, every square within range on which somebody stands."""
        view = asks.view
        if self.prospects is None:
            write_mask(view["window"], view["bullets"], rows, self.reach, mask)
        else:
            told = view["window"], asks.seat, view["bullets"], rows, self.reach
            self.prospects.write(*told, self._nothing[0], mask)

    def answer(self, asks: Asks, actions: Array, fields: Mapping[str, Array]) -> None:
        chosen, window, said = actions[:, 0], asks.view["window"], (fields["action"], fields["target"])
        if self.prospects is None:
            take_actions(chosen, window, self.reach, *said)
        else:
            self.prospects.take(chosen, window, asks.seat, self.reach, *said)


# Flat arrays, unsigned indices, one plane after the other: wide moves, many times as fast as squares by y and x.


@kernel
def write_planes(window: Array, seat: Array, rows: Array, low: Array, planes: Array) -> None:
    """Who stands where, a plane for each kind; `low` has room for a window's low bytes."""
    squares, out = window.reshape(-1), planes.reshape(-1)
    count = np.uint64(low.size)
    for i in range(rows.size):
        source = np.uint64(i) * count
        for n in range(count):
            low[np.uint64(n)] = np.uint8(squares[source + np.uint64(n)] & np.uint32(255))
        own = np.uint8(PLAYER + seat[i])
        place = np.uint64(rows[i]) * np.uint64(planes.shape[1]) * count
        write_plane(low, own, out, place + np.uint64(OWN) * count)
        write_plane(low, np.uint8(ZOMBIE), out, place + np.uint64(ZOMBIES) * count)
        write_plane(low, np.uint8(BODY), out, place + np.uint64(BODIES) * count)
        for n in range(count):
            k = np.uint64(n)
            there = low[k]
            out[place + np.uint64(FOES) * count + k] = np.uint8(there >= np.uint8(PLAYER)) & np.uint8(there != own)


@phase
def write_plane(low: Array, who: Any, out: Array, place: Any) -> None:
    """Where somebody of this low byte stands."""
    for n in range(low.size):
        k = np.uint64(n)
        out[place + k] = low[k] == who


@kernel
def write_scalars(bullets: Array, clock: Array, x: Array, y: Array, rows: Array, scalars: Array) -> None:
    """What it is told beside the picture."""
    for i in range(rows.size):
        row = rows[i]
        scalars[row, 0] = bullets[i]
        scalars[row, 1] = clock[i]
        scalars[row, 2] = x[i]
        scalars[row, 3] = y[i]


@kernel
def write_mask(window: Array, bullets: Array, rows: Array, reach: int, mask: Array) -> None:
    """Which actions are possible."""
    squares, out = window.reshape(-1), mask.reshape(-1)
    side, size = window.shape[1], 2 * reach + 1
    corner = (side // 2 - reach) * (side + 1)
    for i in range(rows.size):
        at = np.uint64(rows[i] * mask.shape[1])
        for k in range(SHOOT):
            out[at + np.uint64(k)] = True
        if bullets[i] <= 0:
            for k in range(SHOOT, mask.shape[1]):
                out[at + np.uint64(k)] = False
            continue
        for y in range(size):
            target = at + np.uint64(SHOOT + y * size)
            source = np.uint64(i * side * side + corner + y * side)
            for x in range(size):
                out[target + np.uint64(x)] = squares[source + np.uint64(x)] != np.uint32(0)


@kernel
def take_actions(choice: Array, window: Array, reach: int, action: Array, target: Array) -> None:
    """A choice as a move, or as a shot at whose identity stands on the square."""
    size = 2 * reach + 1
    corner = window.shape[1] // 2 - reach
    for i in range(choice.size):
        shot = choice[i] - SHOOT
        action[i] = min(choice[i], SHOOT)
        target[i] = window[i, corner + shot // size, corner + shot % size] if shot >= 0 else 0
