"""How arrays stand in the JSON of a replay: answers, and what changes from frame to frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from koth.game import Array, Field

ZERO = 63
"""The character of 0 in packed strings; its neighbours stand for -28..28."""
REACH = 28
LONGEST = 1 << 24
"""Entries that an array of a frame can have."""


def _characters(values: Array) -> str:
    return (values + ZERO).astype(np.uint8).tobytes().decode("latin-1")


def pack(values: Array, spec: Field) -> Any:
    """One answer field: None if all rows hold the default, else a string, a sparse list or a list.

    Numbers that JSON does not have (NaN, infinities) are kept as the bytes of the whole array.
    """
    if values.ndim > 1 or values.dtype.kind == "f":
        if values.tobytes() == np.full_like(values, spec.default).tobytes():
            return None
        return {"v": values.tolist()} if np.isfinite(values).all() else {"b": values.tobytes().hex()}
    wide = values.astype(np.int64)
    rows = np.flatnonzero(wide != spec.default)
    if not rows.size:
        return None
    if rows.size * 8 <= wide.size:
        return {"s": np.column_stack([rows, wide[rows]]).ravel().tolist()}
    if abs(wide).max() <= REACH:
        return _characters(wide)
    return {"v": wide.tolist()}


def unpack(packed: Any, spec: Field, rows: int) -> Array:
    """The field's array again. Raises ValueError when it does not fit."""
    values = np.full((rows, *spec.shape), spec.default, dtype=spec.dtype)
    if isinstance(packed, str):
        values[:] = np.frombuffer(packed.encode("latin-1"), np.uint8).astype(np.int64) - ZERO
    elif isinstance(packed, dict) and "s" in packed:
        pairs = np.asarray(packed["s"]).reshape(-1, 2)
        values[pairs[:, 0].astype(np.int64)] = pairs[:, 1]
    elif isinstance(packed, dict) and "b" in packed:
        values[...] = np.frombuffer(bytes.fromhex(packed["b"]), spec.dtype).reshape(values.shape)
    elif isinstance(packed, dict) and "v" in packed:
        values[:] = np.asarray(packed["v"], dtype=spec.dtype).reshape(values.shape)
    elif packed is not None:
        raise ValueError("an answer field that can't be read")
    return values


@dataclass
class Series:
    """One integer array of the frame along a member: its last values, and which entries are active."""

    values: Array
    active: Array

    def change(self, new: Array) -> dict[str, Any] | None:
        """What turns the last values into `new`; remembers them."""
        change: dict[str, Any] = {}
        if len(new) != len(self.values):
            change["n"] = len(new)
            self._resize(len(new))
        delta = new - self.values
        changed = delta != 0
        dense = changed & self.active & (abs(delta) <= REACH)
        if np.count_nonzero(dense) * 8 > np.count_nonzero(self.active):
            change["d"] = _characters(np.where(dense, delta, 0)[self.active])
        else:
            dense[:] = False
        sparse = np.flatnonzero(changed & ~dense)
        if sparse.size:
            change["s"] = np.column_stack([sparse, new[sparse]]).ravel().tolist()
            self.active[sparse] = True
        self.values = new
        return change or None

    def apply(self, change: Mapping[str, Any]) -> None:
        """The reverse of `change`."""
        if "n" in change:
            if not 0 <= change["n"] <= LONGEST:
                raise ValueError(f"an array of {change['n']} entries")
            self._resize(int(change["n"]))
        self.values = self.values.copy()
        if "d" in change:
            steps = np.frombuffer(change["d"].encode("latin-1"), np.uint8).astype(np.int64) - ZERO
            self.values[self.active] += steps
        if "s" in change:
            pairs = np.asarray(change["s"], dtype=np.int64).reshape(-1, 2)
            self.values[pairs[:, 0]] = pairs[:, 1]
            self.active[pairs[:, 0]] = True

    def _resize(self, size: int) -> None:
        keep = min(size, len(self.values))
        values, active = np.zeros(size, np.int64), np.zeros(size, np.bool_)
        values[:keep], active[:keep] = self.values[:keep], self.active[:keep]
        self.values, self.active = values, active


def split(frame: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """A frame's plain values, and its arrays as int64."""
    arrays = {k: np.array(v, dtype=np.int64) for k, v in frame.items() if isinstance(v, np.ndarray)}
    return {k: v for k, v in frame.items() if k not in arrays}, arrays
