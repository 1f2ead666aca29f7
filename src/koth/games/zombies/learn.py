"""Zombies for learning: what a player sees as planes, moves and shots as one choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth import encoding
from koth.encoding import Head
from koth.game import Array, Asks, Field, Question
from koth.games.zombies.state import BODY, MOVES, PLAYER, SHOOT, STAY, ZOMBIE
from koth.kernel import kernel

OWN, FOES, ZOMBIES, BODIES = range(4)
PLANES = ("players of its own bot", "players of others", "zombies", "bodies")


class Encoding(encoding.Encoding):
    """Rule 4's picture in planes; an action is a move, or a shot at who stands on a square within range.

    Action 9 + k shoots at the k-th square within `shoot_range`, row by row from the north-west, its own included.
    """

    def __init__(self, facts: Mapping[str, Any], questions: Mapping[str, Question], matches: int) -> None:
        self.reach = int(facts["shoot_range"])
        super().__init__(facts, questions, matches)

    def _observations(self) -> Mapping[str, Field]:
        size = self.questions["act"].view["window"].shape[0]
        planes = Field("u1", (len(PLANES), size, size), low=0, high=1, doc=", ".join(PLANES) + "; [plane, y, x]")
        scalars = Field("<f4", (4,), low=0, doc="bullets, clock, x and y, as told")
        return {"planes": planes, "scalars": scalars}

    def _heads(self) -> tuple[Head, ...]:
        shots = (2 * self.reach + 1) ** 2
        return (Head("act", "action", 0, 1, len(MOVES) + shots, 0, STAY),)

    def observe(self, asks: Asks, rows: Array, out: Mapping[str, Array]) -> None:
        view = asks.view
        write_planes(view["window"], asks.seat, rows, out["planes"])
        write_scalars(view["bullets"], view["clock"], view["x"], view["y"], rows, out["scalars"])

    def possible(self, asks: Asks, rows: Array, mask: Array) -> None:
        """Every move; with a bullet, every square within range on which somebody stands."""
        write_mask(asks.view["window"], asks.view["bullets"], rows, self.reach, mask)

    def answer(self, asks: Asks, actions: Array, fields: Mapping[str, Array]) -> None:
        take_actions(actions[:, 0], asks.view["window"], self.reach, fields["action"], fields["target"])


# Flat arrays and unsigned indices: wide moves, several times as fast as squares by y and x.


@kernel
def write_planes(window: Array, seat: Array, rows: Array, planes: Array) -> None:
    """Who stands where, a plane for each kind."""
    squares, out = window.reshape(-1), planes.reshape(-1)
    count = np.uint64(window.shape[1] * window.shape[2])
    for i in range(rows.size):
        own = np.uint8(PLAYER + seat[i])
        source = np.uint64(i) * count
        ours = np.uint64(rows[i]) * np.uint64(planes.shape[1]) * count
        foes = ours + np.uint64(FOES) * count
        zombies = ours + np.uint64(ZOMBIES) * count
        bodies = ours + np.uint64(BODIES) * count
        for n in range(count):
            k = np.uint64(n)
            low = np.uint8(squares[source + k] & np.uint32(255))
            out[ours + k] = low == own
            out[foes + k] = np.uint8(low >= np.uint8(PLAYER)) & np.uint8(low != own)
            out[zombies + k] = low == np.uint8(ZOMBIE)
            out[bodies + k] = low == np.uint8(BODY)


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
        armed = bullets[i] > 0
        for y in range(size):
            target = at + np.uint64(SHOOT + y * size)
            source = np.uint64(i * side * side + corner + y * side)
            for x in range(size):
                out[target + np.uint64(x)] = armed & (squares[source + np.uint64(x)] != np.uint32(0))


@kernel
def take_actions(choice: Array, window: Array, reach: int, action: Array, target: Array) -> None:
    """A choice as a move, or as a shot at whose identity stands on the square."""
    size = 2 * reach + 1
    corner = window.shape[1] // 2 - reach
    for i in range(choice.size):
        shot = choice[i] - SHOOT
        action[i] = min(choice[i], SHOOT)
        target[i] = window[i, corner + shot // size, corner + shot % size] if shot >= 0 else 0
