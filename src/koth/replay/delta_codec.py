"""The encoding of arrays in a replay's JSON: asked units, answers, and changes from frame to frame.

Small numbers are written as characters, because they compress well. The character of 0 is `?` where numbers may be
negative, `#` where they may not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from koth.game import Array, Field
from koth.kernel import kernel

ZERO = 63
"""The character of 0 among numbers that may be negative; its neighbours stand for -28..28."""
REACH = 28
POWERS = np.array([1, 3, 9])
"""The weights of the three steps in one character."""
NIL = 35
"""The character of 0 among gaps; the last one, 91 further, stands for a part of a wider gap."""
WIDE = 91
IDLE = 16
"""Changes of an array after which an entry that has not changed is no longer active."""
FEW = 12
"""One in this many active entries must change for all of them to be written."""
MOST = 1 << 24
"""The most entries of all arrays of a frame."""


# --- gaps: places in ascending order


@kernel
def write_gaps(places: Array, chars: Array) -> int:
    """Write the gaps between places, each counted from the one before; return the number of characters."""
    at = 0
    before = -1
    for i in range(places.size):
        gap = places[i] - before - 1
        while gap >= WIDE:
            chars[at] = NIL + WIDE
            gap -= WIDE
            at += 1
        chars[at] = NIL + gap
        at += 1
        before = places[i]
    return at


def gaps(places: Array, size: int) -> str:
    """Encode places in ascending order, all below `size`, as text."""
    chars = np.empty(len(places) + size // WIDE, np.uint8)
    return _text(chars[: write_gaps(places, chars)])


def places_of(text: str, size: int) -> Array:
    """Decode places that `gaps` has encoded. Raises ValueError when one is not below `size`."""
    steps = _numbers(text, NIL)
    ends = np.flatnonzero(steps < WIDE)
    places = (np.cumsum(steps)[ends] + np.arange(len(ends))).astype(np.int64)
    if len(places) and not (steps.min() >= 0 and places[-1] < size):
        raise ValueError(f"places are not within 0..{size - 1}")
    return places


def _text(chars: Array) -> str:
    return chars.tobytes().decode("latin-1")


def _numbers(text: str, zero: int) -> Array:
    return np.frombuffer(text.encode("latin-1"), np.uint8).astype(np.int64) - zero


# --- asked units


@kernel
def find_places(known: Array, wanted: Array, places: Array) -> bool:
    """Write the place of each wanted number among the known ones, both in ascending order; return False if one is
    missing.
    """
    at = 0
    for i in range(wanted.size):
        while at < known.size and known[at] < wanted[i]:
            at += 1
        if at == known.size or known[at] != wanted[i]:
            return False
        places[i] = at
    return True


@dataclass
class Roster:
    """The units last asked each question, and all units listed so far in a member, each as seat and unit in one
    number.
    """

    known: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    last: dict[str, Array] = field(default_factory=dict)

    def encode(self, question: str, seat: Array, unit: Array) -> dict[str, Any]:
        """Return the keys that encode the units asked this question now, and remember them."""
        rows = seat.astype(np.int64) << 32 | unit
        before = self.last.get(question)
        self.last[question] = rows
        if before is not None and np.array_equal(before, rows):
            return {}
        places = np.empty(len(rows), np.int64)
        if find_places(self.known, rows, places):
            return {"rows": gaps(places, len(self.known))}
        self.known = np.union1d(self.known, rows)
        return {"who": np.column_stack([seat, unit]).ravel().tolist()}

    def decode(self, record: Mapping[str, Any]) -> Array:
        """Return the units that are asked, as seat and unit (int64[rows, 2]). Raises ValueError or KeyError for
        invalid keys.
        """
        question = record["q"]
        if "who" in record:
            pairs = np.asarray(record["who"], dtype=np.int64).reshape(-1, 2)
            self.last[question] = pairs[:, 0] << 32 | pairs[:, 1]
            self.known = np.union1d(self.known, self.last[question])
        elif "rows" in record:
            self.last[question] = self.known[places_of(record["rows"], len(self.known))]
        rows = self.last[question]
        return np.column_stack([rows >> 32, rows & 0xFFFFFFFF])


# --- answers


@kernel
def look_at(values: Array, default: int) -> tuple[int, int]:
    """Return the number of values that are not the default, and the largest distance of a value from 0."""
    count = 0
    largest = 0
    for i in range(values.size):
        count += values[i] != default
        largest = max(largest, abs(values[i]))
    return count, largest


def pack(values: Array, spec: Field) -> Any:
    """Encode one answer field: None if all rows hold the default, else a string, a sparse list or a list.

    Numbers that JSON does not have (NaN, infinities) are kept as the bytes of the whole array.
    """
    if values.ndim > 1 or values.dtype.kind == "f":
        if values.tobytes() == np.full_like(values, spec.default).tobytes():
            return None
        return {"v": values.tolist()} if np.isfinite(values).all() else {"b": values.tobytes().hex()}
    wide = values.astype(np.int64)
    count, largest = look_at(wide, int(spec.default))
    if not count:
        return None
    if count * 8 <= wide.size:
        rows = np.flatnonzero(wide != spec.default)
        return {"s": np.column_stack([rows, wide[rows]]).ravel().tolist()}
    if largest <= REACH:
        return _text((wide + ZERO).astype(np.uint8))
    return {"v": wide.tolist()}


def unpack(packed: Any, spec: Field, rows: int) -> Array:
    """Decode a field's array. Raises ValueError when it does not fit."""
    values = np.full((rows, *spec.shape), spec.default, dtype=spec.dtype)
    if isinstance(packed, str):
        values[:] = _numbers(packed, ZERO)
    elif isinstance(packed, dict) and "s" in packed:
        pairs = np.asarray(packed["s"]).reshape(-1, 2)
        values[pairs[:, 0].astype(np.int64)] = pairs[:, 1]
    elif isinstance(packed, dict) and "b" in packed:
        values[...] = np.frombuffer(bytes.fromhex(packed["b"]), spec.dtype).reshape(values.shape)
    elif isinstance(packed, dict) and "v" in packed:
        values[:] = np.asarray(packed["v"], dtype=spec.dtype).reshape(values.shape)
    elif packed is not None:
        raise ValueError("an answer field is invalid")
    return values


# --- changes

NOTHING, STEPS, TRIPLES = 0, 1, 2
"""The encodings of active entries: none, a character each, a character for three whose steps are -1, 0, 1."""


@kernel
def choose_steps(new: Array, old: Array, idle: Array) -> int:
    """Return the shortest encoding for the active entries of a changed array."""
    active = 0
    near = 0
    next_to = 0
    for i in range(new.size):
        if idle[i] < IDLE:
            active += 1
            step = abs(new[i] - old[i])
            near += 0 < step <= REACH
            next_to += step == 1
    if near * FEW <= active:
        return NOTHING
    return TRIPLES if next_to * FEW > active and (near - next_to) * FEW <= near else STEPS


@kernel
def quiet_for(idle: int, changed: bool) -> int:
    """Return the number of changes since an entry changed, one change later; at most IDLE."""
    return 0 if changed else min(IDLE, idle + 1)


@kernel
def write_change(new: Array, old: Array, idle: Array, how: int, chars: Array, others: Array) -> tuple[int, int]:
    """Write the steps of active entries, and list the entries whose new values must be written in full.

    Afterwards `old` holds the new values, and `idle` the number of changes since each entry changed. Returns the
    number of characters and the number of listed entries.
    """
    reach = 0
    if how == STEPS:
        reach = REACH
    elif how == TRIPLES:
        reach = 1
    active = 0
    rest = 0
    for i in range(new.size):
        step = new[i] - old[i]
        fits = abs(step) <= reach
        if how != NOTHING and idle[i] < IDLE:
            if how == STEPS:
                chars[active] = ZERO + (step if fits else 0)
            else:
                if active % 3 == 0:
                    chars[active // 3] = ZERO
                chars[active // 3] += (step if fits else 0) * POWERS[active % 3]
            active += 1
        else:
            fits = step == 0
        if not fits:
            others[rest] = i
            rest += 1
        idle[i] = quiet_for(idle[i], step != 0)
        old[i] = new[i]
    return (active + 2) // 3 if how == TRIPLES else active, rest


@kernel
def add_steps(values: Array, idle: Array, how: int, steps: Array, changed: Array) -> bool:
    """Add the steps that `write_change` has written to the active entries, and mark the entries that they change.

    Return False if the number of characters is wrong.
    """
    active = 0
    for i in range(values.size):
        if idle[i] < IDLE:
            at = active if how == STEPS else active // 3
            if at >= steps.size:
                return False
            step = steps[at]
            if how == TRIPLES:
                step = (step + 13) // POWERS[active % 3] % 3 - 1
            values[i] += step
            changed[i] = step != 0
            active += 1
    return bool(steps.size == (active if how == STEPS else (active + 2) // 3))


@kernel
def grow_idle(idle: Array, changed: Array) -> None:
    """Update the number of changes since each entry changed."""
    for i in range(idle.size):
        idle[i] = quiet_for(idle[i], changed[i])


class Series:
    """One integer array of the frame along a member: its last values, and which entries are active."""

    def __init__(self, values: Array) -> None:
        self.values = values
        self._idle = np.full(len(values), IDLE, np.uint8)

    def change(self, new: Array) -> dict[str, Any] | None:
        """Return the change from the last values to `new` (int64), and remember them."""
        change: dict[str, Any] = {}
        if len(new) != len(self.values):
            change["n"] = len(new)
            self._resize(len(new))
        elif np.array_equal(new, self.values):
            return None
        how = choose_steps(new, self.values, self._idle)
        chars, others = np.empty(len(new), np.uint8), np.empty(len(new), np.int64)
        written, rest = write_change(new, self.values, self._idle, how, chars, others)
        if how != NOTHING:
            change["d" if how == STEPS else "t"] = _text(chars[:written])
        if rest:
            change["i"] = gaps(others[:rest], len(new))
            change["s"] = new[others[:rest]].tolist()
        return change

    def apply(self, change: Mapping[str, Any]) -> None:
        """Apply a change. Raises ValueError when it does not fit."""
        if "n" in change:
            if not 0 <= change["n"] <= MOST:
                raise ValueError(f"an array has {change['n']} entries")
            self._resize(int(change["n"]))
        values = self.values.copy()
        changed = np.zeros(len(values), np.bool_)
        for key, how in (("d", STEPS), ("t", TRIPLES)):
            if key in change and not add_steps(values, self._idle, how, _numbers(change[key], ZERO), changed):
                raise ValueError("the steps do not fit the active entries")
        if "i" in change:
            others = places_of(change["i"], len(values))
            new = np.asarray(change["s"], dtype=np.int64)
            if new.shape != others.shape:
                raise ValueError("the values do not fit the listed entries")
            changed[others] = values[others] != new
            values[others] = new
        grow_idle(self._idle, changed)
        self.values = values

    def _resize(self, size: int) -> None:
        keep = min(size, len(self.values))
        values, idle = np.zeros(size, np.int64), np.full(size, IDLE, np.uint8)
        values[:keep], idle[:keep] = self.values[:keep], self._idle[:keep]
        self.values, self._idle = values, idle


def split(frame: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return a frame's plain values, and its arrays as int64."""
    arrays = {k: np.array(v, dtype=np.int64) for k, v in frame.items() if isinstance(v, np.ndarray)}
    return {k: v for k, v in frame.items() if k not in arrays}, arrays
