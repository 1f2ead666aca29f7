"""Kernels without a compiler: plain Python, for `NUMBA_DISABLE_JIT=1` and for exported bots.

Compiled kernels use SIMD versions of the copies here (simd.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np


def kernel(function: Any = None, /, **_marks: bool) -> Any:
    """Return the function unchanged."""
    return kernel if function is None else function


def copy_values(source: Any, start: int, target: Any, place: int, count: int) -> None:
    """Copy `count` values of an array, from index `start` on, to index `place` of another array of the same type.

    Indices are indices of the flattened arrays. A constant `count` is copied in the processor's widest
    moves, several times as fast as any loop or slice. A kernel does not check the indices.
    """
    check_places(source.size, start, count)
    check_places(target.size, place, count)
    target.reshape(-1)[place : place + count] = source.reshape(-1)[start : start + count]


def count_up(target: Any, place: int, first: int, count: int) -> None:
    """Write `first`, `first + 1` and so on, `count` values (a constant), from index `place` of the flat array on."""
    check_places(target.size, place, count)
    target.reshape(-1)[place : place + count] = np.arange(first, first + count)


def low_bytes(source: Any, start: int, target: Any, place: int, count: int) -> None:
    """Write the low bytes of `count` whole numbers (a constant), with indices as in `copy_values`."""
    check_places(source.size, start, count)
    check_places(target.size, place, count)
    target.reshape(-1)[place : place + count] = source.reshape(-1)[start : start + count] & 255


def mark_values(source: Any, start: int, target: Any, place: int, least: int, but: int, count: int) -> None:
    """Write the byte 1 for each of `count` bytes (a constant) that is at least `least` and not `but`; else 0."""
    check_places(source.size, start, count)
    check_places(target.size, place, count)
    values = source.reshape(-1)[start : start + count]
    target.reshape(-1)[place : place + count] = (values >= least) & (values != but)


def mark_equal(source: Any, start: int, target: Any, place: int, value: int, count: int) -> None:
    """Write the byte 1 for each of `count` bytes (a constant) that equals `value`; else 0."""
    check_places(source.size, start, count)
    check_places(target.size, place, count)
    target.reshape(-1)[place : place + count] = source.reshape(-1)[start : start + count] == value


def check_places(size: int, start: int, count: int) -> None:
    """Raise IndexError for values outside an array of this size."""
    if start < 0 or count < 0 or start + count > size:
        raise IndexError("values beyond the end of an array")


COPIES = copy_values, count_up, low_bytes, mark_values, mark_equal, check_places
"""Functions that Numba compiles if Numba lacks a name that simd.py needs."""
