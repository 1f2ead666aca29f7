"""The encoding of arrays in a replay's JSON: changes from frame to frame, and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth.game import Array, Field

MOST_ENTRIES = 1 << 24
"""The most entries that a frame's arrays have together."""
EMPTY = np.zeros(0, np.int64)
"""The array from which an array that enters the frame changes."""


def split_frame(frame: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return a frame's plain values, and its arrays as int64."""
    arrays = {k: np.array(v, dtype=np.int64) for k, v in frame.items() if isinstance(v, np.ndarray)}
    return {k: v for k, v in frame.items() if k not in arrays}, arrays


def difference(new: Array, old: Array | None) -> dict[str, Any] | None:
    """Return the change from one array, or from none, to another (int64[n]); None if nothing changes.

    `n` is the new length; `by` has a list for each amount by which entries change: the amount, then the entries'
    indices, each as the distance from the index before.
    """
    if old is None:
        old = EMPTY
    elif np.array_equal(new, old):
        return None
    by = new - _resize(old, len(new))
    places = np.flatnonzero(by)
    places = places[np.argsort(by[places], kind="stable")]
    distances = np.diff(places, prepend=0)
    amounts, starts = np.unique(by[places], return_index=True)
    distances[starts] = places[starts]
    groups = zip(amounts.tolist(), starts.tolist(), [*starts[1:].tolist(), len(places)], strict=False)
    return {"n": len(new), "by": [[amount, *distances[start:end].tolist()] for amount, start, end in groups]}


def apply_change(old: Array, change: Mapping[str, Any]) -> Array:
    """Return an array (int64[n]) after a change.

    Raises LookupError, TypeError, ValueError or OverflowError if the change is invalid.
    """
    if not 0 <= change["n"] <= MOST_ENTRIES:
        raise ValueError(f"an array may not have {change['n']} entries")
    values = _resize(old, change["n"])
    for amount, *distances in change["by"]:
        places = np.cumsum(np.array(distances, np.int64))  # an array first: `cumsum` only warns of 1e300
        if places.min(initial=0) < 0:
            raise ValueError("an index is below 0")
        values[places] += amount
    return values


def _resize(values: Array, size: int) -> Array:
    resized = np.zeros(size, np.int64)
    keep = min(size, len(values))
    resized[:keep] = values[:keep]
    return resized


def pack(values: Array, spec: Field, counts: Array | None = None) -> Any:
    """Encode one answer field: None if all rows hold the default, else a list; `counts` are those of a list's items.

    Numbers that JSON does not have (NaN, infinities) are kept as the bytes of the whole array, in hexadecimal.
    """
    if counts is not None and np.isfinite(values).all():
        lists = [row[:count].tolist() for row, count in zip(values, counts.tolist(), strict=True)]
        return lists if any(lists) else None
    if values.tobytes() == np.full_like(values, spec.default).tobytes():
        return None
    return values.tolist() if np.isfinite(values).all() else values.tobytes().hex()


def unpack(packed: Any, spec: Field, rows: int) -> Array:
    """Decode a field's array (dtype[rows, *shape]). Raises TypeError, ValueError or OverflowError if invalid."""
    values = np.full((rows, *spec.shape), spec.default, dtype=spec.dtype)
    if isinstance(packed, str):
        values[...] = np.frombuffer(bytes.fromhex(packed), spec.dtype).reshape(values.shape)
    elif packed is not None and spec.ragged is not None:
        for row, items in zip(values, packed, strict=True):
            row[: len(items)] = np.asarray(items, dtype=spec.dtype).reshape(len(items), *spec.shape[1:])
    elif packed is not None:
        values[...] = np.asarray(packed, dtype=spec.dtype).reshape(values.shape)
    return values
