"""Zombies for learning: what a player sees as planes, moves and shots as one choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth import encoding
from koth.encoding import Head
from koth.errors import KothError
from koth.game import Array, Asks, Field, Question
from koth.games.zombies.prospects import CHOICES, FEATURES, Prospects
from koth.games.zombies.state import BODY, MOVES, PLAYER, SHOOT, STAY, ZOMBIE
from koth.grid import CHUNK, copy_in_chunks
from koth.kernel import kernel, low_bytes, mark_equal, mark_values, phase

OWN, FOES, ZOMBIES, BODIES = range(4)
PLANES = ("players of its own bot", "players of others", "zombies", "bodies")
VIEWS = ("planes", "kinds")
WIDE = 64
"""Squares that are looked at in one move."""
BLOCK = 16
"""Windows that are looked at together: what is read of one has been written long ago, which is faster."""


class Encoding(encoding.Encoding):
    """Rule 4's picture in planes; an action is a move, or a shot at who stands on a square within range.

    Action 9 + k shoots at the k-th square within `shoot_range`, row by row from the north-west, its own included.
    With `prospects` at the k-th nearest zombie or stranger, and there are features of each choice, too. The picture
    goes as far as a player sees, or only `radius` squares; with `view="kinds"` it is one number for each square.
    Raises KothError for a view that there is none of, and for a radius beyond what is seen.
    """

    def __init__(
        self,
        facts: Mapping[str, Any],
        questions: Mapping[str, Question],
        matches: int,
        *,
        prospects: bool = False,
        view: str = "planes",
        radius: int | None = None,
    ) -> None:
        self.reach = int(facts["shoot_range"])
        side = questions["act"].view["window"].shape[0]
        self.view, self.radius = view, side // 2 if radius is None else radius
        if view not in VIEWS:
            raise KothError(f"zombies has no view {view!r}; there are {', '.join(VIEWS)}")
        if not 1 <= self.radius <= side // 2:
            raise KothError(f"radius must be in 1..{side // 2}, as far as a player sees, not {self.radius}")
        self._low = np.zeros((BLOCK * side + CHUNK // side + 1, side), np.uint8)
        self._part = np.zeros(BLOCK * side * side + CHUNK, np.uint8)
        self.prospects = Prospects(side) if prospects else None
        self._nothing = np.zeros((0, 0, 0), np.float32), np.zeros((0, 0), np.bool_)
        super().__init__(facts, questions, matches)

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

    def observe(self, asks: Asks, rows: Array, out: Mapping[str, Array]) -> None:
        self._write(asks, rows, out, self._nothing[1])

    def possible(self, asks: Asks, rows: Array, mask: Array) -> None:
        """Every move; with a bullet, every square within range on which somebody stands."""
        self._write(asks, rows, {}, mask)

    def look(self, asks: Asks, rows: Array, out: Mapping[str, Array], mask: Array) -> None:
        """Both at once: a window is looked at but once."""
        self._write(asks, rows, out, mask)

    def _write(self, asks: Asks, rows: Array, out: Mapping[str, Array], mask: Array) -> None:
        """Whatever there is room for."""
        view = asks.view
        window, seat, bullets = view["window"], asks.seat, view["bullets"]
        picture = out[self.view].reshape(-1) if out else self._part[:0]
        squares = mask if self.prospects is None else self._nothing[1]
        planes = len(PLANES) if self.view == "planes" else 1
        room = self._low, self._part
        write(window, seat, bullets, rows, self.reach, self.radius, planes, *room, picture, squares)
        if out:
            write_scalars(bullets, view["clock"], view["x"], view["y"], rows, out["scalars"])
        if self.prospects is not None:
            weighed = out["prospects"] if out else self._nothing[0]
            self.prospects.write(window, seat, bullets, rows, self.reach, weighed, mask)

    def answer(self, asks: Asks, actions: Array, fields: Mapping[str, Array]) -> None:
        chosen, window, said = actions[:, 0], asks.view["window"], (fields["action"], fields["target"])
        if self.prospects is None:
            take_actions(chosen, window, self.reach, *said)
        else:
            self.prospects.take(chosen, window, asks.seat, self.reach, *said)


@kernel
def write(
    window: Array,
    seat: Array,
    bullets: Array,
    rows: Array,
    reach: int,
    radius: int,
    planes: int,
    low: Array,
    part: Array,
    picture: Array,
    mask: Array,
) -> None:
    """What each row is shown of the squares around it, and what it may do (`picture` or `mask` may be empty).

    `low` and `part` are scratch: who stands where in a block of windows, and the parts of these that are so near.
    """
    side, size = window.shape[1], (2 * radius + 1) ** 2
    for first in range(0, rows.size, BLOCK):
        several = range(min(BLOCK, rows.size - first))
        take_low(window, first * side * side, len(several) * side * side, low)
        if picture.size:
            seen = low.reshape(-1)
            if 2 * radius + 1 < side:
                take_parts(low, several, side, radius, part)
                seen = part
            for i in several:
                place = rows[first + i] * size * planes
                if planes > 1:
                    write_planes(seen, i * size, size, PLAYER + seat[first + i], picture, place)
                else:
                    write_kinds(seen, i * size, size, np.uint8(PLAYER + seat[first + i]), picture, place)
        if mask.size:
            take_parts(low, several, side, reach, part)
            for i in several:
                write_mask(part, i, reach, bullets[first + i] > 0, mask, rows[first + i] * mask.shape[1])


@phase
def take_low(window: Array, first: int, count: int, low: Array) -> None:
    """Who stands there, without numbers."""
    for n in range(0, count - WIDE + 1, WIDE):
        low_bytes(window, first + n, low, n, WIDE)
    if count >= WIDE:
        low_bytes(window, first + count - WIDE, low, count - WIDE, WIDE)
    else:
        for n in range(count):
            low_bytes(window, first + n, low, n, 1)


@phase
def take_parts(low: Array, several: range, side: int, radius: int, part: Array) -> None:
    """What is so near, window by window and row by row."""
    corner, size = side // 2 - radius, 2 * radius + 1
    for i in several:
        copy_in_chunks(low, corner, i * side + corner, size, part, i * size * size)


@phase
def write_planes(seen: Array, start: int, size: int, own: int, out: Array, place: int) -> None:
    """Who stands where, a plane for each kind."""
    mark_one(seen, start, size, own, out, place + OWN * size)
    mark_some(seen, start, size, PLAYER, own, out, place + FOES * size)
    mark_one(seen, start, size, ZOMBIE, out, place + ZOMBIES * size)
    mark_one(seen, start, size, BODY, out, place + BODIES * size)


# The last move goes over some squares twice, where their number is no multiple of `WIDE`.


@phase
def mark_one(seen: Array, start: int, size: int, who: int, out: Array, place: int) -> None:
    """Write 1 where somebody has this low byte."""
    for n in range(0, size - WIDE + 1, WIDE):
        mark_equal(seen, start + n, out, place + n, who, WIDE)
    if size >= WIDE:
        mark_equal(seen, start + size - WIDE, out, place + size - WIDE, who, WIDE)
    else:
        for n in range(size):
            mark_equal(seen, start + n, out, place + n, who, 1)


@phase
def mark_some(seen: Array, start: int, size: int, least: int, but: int, out: Array, place: int) -> None:
    """Write 1 where somebody's low byte is `least` or more, and not `but`."""
    for n in range(0, size - WIDE + 1, WIDE):
        mark_values(seen, start + n, out, place + n, least, but, WIDE)
    if size >= WIDE:
        mark_values(seen, start + size - WIDE, out, place + size - WIDE, least, but, WIDE)
    else:
        for n in range(size):
            mark_values(seen, start + n, out, place + n, least, but, 1)


@phase
def write_kinds(seen: Array, start: int, size: int, own: Any, out: Array, place: int) -> None:
    """Who stands where: 1 + its plane, or 0."""
    source, target = np.uint64(start), np.uint64(place)
    for n in range(size):
        there = seen[source + np.uint64(n)]
        player = np.uint8(there >= np.uint8(PLAYER))
        either = player * np.uint8(1 + FOES) - np.uint8(there == own)
        zombie, body = np.uint8(there == np.uint8(ZOMBIE)), np.uint8(there == np.uint8(BODY))
        out[target + np.uint64(n)] = either + zombie * np.uint8(1 + ZOMBIES) + body * np.uint8(1 + BODIES)


@kernel
def write_scalars(bullets: Array, clock: Array, x: Array, y: Array, rows: Array, scalars: Array) -> None:
    """What it is told beside the picture."""
    for i in range(rows.size):
        row = rows[i]
        scalars[row, 0] = bullets[i]
        scalars[row, 1] = clock[i]
        scalars[row, 2] = x[i]
        scalars[row, 3] = y[i]


@phase
def write_mask(part: Array, i: int, reach: int, armed: bool, mask: Array, place: int) -> None:
    """Which actions are possible: all moves, and with a bullet shots where somebody stands."""
    out, first, size = mask.reshape(-1), np.uint64(place), (2 * reach + 1) ** 2
    for k in range(SHOOT):
        out[first + np.uint64(k)] = True
    if armed:
        mark_some(part, i * size, size, ZOMBIE, 0, mask, place + SHOOT)
    else:
        for k in range(SHOOT, mask.shape[1]):
            out[first + np.uint64(k)] = False


@kernel
def take_actions(choice: Array, window: Array, reach: int, action: Array, target: Array) -> None:
    """A choice as a move, or as a shot at whose identity stands on the square."""
    size = 2 * reach + 1
    corner = window.shape[1] // 2 - reach
    for i in range(choice.size):
        shot = choice[i] - SHOOT
        action[i] = min(choice[i], SHOOT)
        target[i] = window[i, corner + shot // size, corner + shot % size] if shot >= 0 else 0
