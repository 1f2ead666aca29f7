"""Frames of plain games: the value of `frame`, checked, with its lists of coordinates as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth.engine.plain_data import shorten
from koth.engine.plain_returns import check_json_object
from koth.game import Array

ARRAYS = ("x", "y", "seat", "reach", "canvas")
"""Lists of a frame that become arrays, like all named `..._x` and `..._y`; others may be columns of the standings."""


def frame_of(value: Any) -> dict[str, Any]:
    """Return a frame with lists of coordinates as arrays. Raises ValueError for values that no replay stores."""
    if not isinstance(value, Mapping):
        return check_json_object(value)
    arrays = {key: _to_array(key, one) for key, one in value.items() if _is_array(key, one)}
    return {**value, **check_json_object({key: one for key, one in value.items() if key not in arrays}), **arrays}


def _is_array(key: Any, value: Any) -> bool:
    return isinstance(value, np.ndarray) or key in ARRAYS or (isinstance(key, str) and key.endswith(("_x", "_y")))


def _to_array(key: str, value: Any) -> Array:
    """Return a list or array of integers as an array with one axis."""
    try:
        if isinstance(value, np.ndarray):
            numbers = value.ravel()
            fits = numbers.dtype.kind in "iu"
        else:
            numbers = value
            fits = all(issubclass(kind, int | np.integer) for kind in set(map(type, value)))
        if fits:
            return np.array(numbers, np.int64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f": {key} must be a list of whole numbers, not {shorten(value)}")
