"""Frames: the meanings of values, the squares that a seat sees, and the frame that a person at a seat sees.

`viewer/static/eyes.js` reads the same declaration from the header of each replay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

NOWHERE = -1_000_000
"""Column and row of a unit out of sight: outside of every board."""
WAYS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""Steps (columns, rows) in the eight directions of `Units.rays`: north, north-east and so on, clockwise."""

Frame = Mapping[str, Any]


@dataclass(frozen=True)
class Units:
    """Units of one kind: the names of the frame's arrays that have an entry for each unit."""

    x: str
    y: str
    fields: Sequence[str] = ()
    """Arrays with other properties of a unit: 0 for a unit out of sight."""
    paths: Sequence[str] = ()
    """Arrays with the squares on each unit's way, as many for every unit; -1 for squares out of sight."""
    links: Sequence[str] = ()
    """Lists of lists of units, such as pairs that fight; a list with a unit out of sight is left out."""
    seat: str = ""
    """The array with the seat of each unit's owner."""
    each: int = 0
    """In place of `seat`: the number of units of each seat, in seat order. A seat always sees its own units."""
    reach: str = ""
    """The array with the number of squares that a unit sees to each side, diagonals included (0: its own square, -1:
    nothing)."""
    rays: str = ""
    """The array with eight numbers for each unit: the squares that it sees in each of the eight `WAYS`."""


@dataclass(frozen=True)
class FrameSpec:
    """The meaning of a game's frames: the board's size, the meanings of numbers, and what each unit sees.

    A game without fog needs to declare at most `codes`. Every frame has what is named here; all else may come and go.
    """

    width: str = "side"
    """The frame's key with the number of columns."""
    height: str = "side"
    wraps: bool = False
    """True if the board is a torus; a frame's own `wraps` takes precedence."""
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names of codes from 0 on, by a key of your choice; draw.js has the code of a wall as
    `match.codes.terrain.wall`.
    """
    units: Sequence[Units] = ()
    seen: str = ""
    """The name of an array with a number for each square: bit k is set if seat k sees it."""
    squares: Mapping[str, int] = field(default_factory=dict)
    """Arrays with a number for each square, and their value out of sight."""
    ground: Mapping[str, int] = field(default_factory=dict)
    """Like `squares`, for values that never change: viewers of a replay see them everywhere, a player does not."""
    things: Sequence[str] = ()
    """Lists of objects with `x` and `y`; an object out of sight is left out."""
    own: Sequence[str] = ()
    """Lists of objects with a `seat`, such as cards in hands: only this seat sees the object, with or without fog."""

    @property
    def has_sight(self) -> bool:
        """True if the frames determine what a seat sees."""
        return bool(self.seen) or any(group.reach or group.rays for group in self.units)

    def as_json(self) -> dict[str, Any]:
        """Return the declaration as it is written to the header of a replay."""
        spec: dict[str, Any] = _drop_empty(asdict(self))
        return spec


def _drop_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _drop_empty(part) for key, part in value.items() if part or type(part) is int}
    return [_drop_empty(part) for part in value] if isinstance(value, tuple | list) else value


def visible_squares(spec: FrameSpec, frame: Frame, seat: int, unit: int | None = None) -> npt.NDArray[np.bool_]:
    """Return the squares that a seat, or one of its units, sees: bool[rows, columns]."""
    width, height = int(frame[spec.width]), int(frame[spec.height])
    seen = np.zeros((height, width), np.bool_)
    if spec.seen:
        seen |= np.reshape(np.asarray(frame[spec.seen]) >> seat & 1, seen.shape).astype(np.bool_)
    wraps = frame.get("wraps", spec.wraps)
    for group in spec.units:
        xs, ys = np.asarray(frame[group.x]), np.asarray(frame[group.y])
        own = np.flatnonzero(_owners(group, frame) == seat)
        for k in own if unit is None else own[own == unit]:
            x, y = int(xs[k]), int(ys[k])
            if not (0 <= x < width and 0 <= y < height):
                continue
            reach = int(frame[group.reach][k]) if group.reach else -1
            if reach >= 0:
                columns, rows = _span(x, reach, width, wraps), _span(y, reach, height, wraps)
                seen[np.ix_(rows, columns)] = True
            for way, (dx, dy) in enumerate(WAYS) if group.rays else ():
                for step in range(1, int(frame[group.rays][8 * k + way]) + 1):
                    seen[(y + step * dy) % height, (x + step * dx) % width] = True
    return seen


def _owners(group: Units, frame: Frame) -> npt.NDArray[np.int64]:
    if group.seat:
        return np.asarray(frame[group.seat], np.int64)
    count = len(frame[group.x])
    return np.arange(count) // group.each if group.each else np.full(count, -1)


def _span(at: int, reach: int, side: int, wraps: bool) -> npt.NDArray[np.int64]:
    """Return the columns, or rows, at most `reach` away from `at`."""
    reach = min(reach, side)
    span = np.arange(at - reach, at + reach + 1)
    return np.unique(span % side) if wraps else span[(span >= 0) & (span < side)]


def apply_fog(spec: FrameSpec, frame: Frame, seat: int) -> dict[str, Any]:
    """Return only what a seat sees of a frame. Keys that `spec` does not name are public."""
    known = dict(frame)
    for name in spec.own:
        known[name] = [thing for thing in frame[name] if thing["seat"] == seat]
    if not spec.has_sight:
        return known
    seen = visible_squares(spec, frame, seat)
    if spec.seen:
        known[spec.seen] = np.asarray(frame[spec.seen]) & 1 << seat
    for name, hidden in {**spec.squares, **spec.ground}.items():
        known[name] = np.where(seen.ravel(), frame[name], hidden)
    for name in spec.things:
        known[name] = [thing for thing in frame[name] if seen[thing["y"], thing["x"]]]
    for group in spec.units:
        _hide_units(group, frame, seen, seat, known)
    return known


def _hide_units(group: Units, frame: Frame, seen: npt.NDArray[np.bool_], seat: int, known: dict[str, Any]) -> None:
    """Remove units out of sight from the units' arrays and links."""
    own = _owners(group, frame) == seat
    xs, ys = np.asarray(frame[group.x], np.int64), np.asarray(frame[group.y], np.int64)
    shown = (xs >= 0) & (xs < seen.shape[1]) & (ys >= 0) & (ys < seen.shape[0])
    shown[shown] = seen[ys[shown], xs[shown]]
    if group.each:
        shown |= own
    for name in (group.x, group.y):
        known[name] = np.where(shown, frame[name], NOWHERE)
    for name in group.fields:
        known[name] = np.where(shown, frame[name], 0)
    for name in group.paths:
        path = np.array(frame[name]).reshape(len(own), -1)
        for k in np.flatnonzero(~own):
            path[k] = _end_in_sight(path[k], seen.ravel()) if shown[k] else -1
        known[name] = path.ravel()
    for name in group.links:
        known[name] = [link for link in frame[name] if all(shown[k] for k in link if 0 <= k < len(shown))]


def _end_in_sight(path: npt.NDArray[Any], seen: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return a path to a visible square with its squares out of sight marked as unknown."""
    known = path.copy()
    for k in range(len(path) - 2, -1, -1):
        if not seen[known[k]]:
            known[k] = known[k + 1]
    return known
