"""The copies and marks of simd.py as loops, for versions of Numba that lack a name which simd.py needs.

The plain Python twins in uncompiled.py document each function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from koth.compile.lazy import BEYOND, Kernel

F = TypeVar("F", bound=Callable[..., object])
OUTSIDE = BEYOND[1]


def _loop(function: F) -> F:
    return cast(F, Kernel(function))


@_loop
def copy_values(source: Any, start: int, target: Any, place: int, count: int) -> None:
    """See `koth.compile.uncompiled`."""
    _check(source.size, start, count)
    _check(target.size, place, count)
    for k in range(count):
        target.flat[place + k] = source.flat[start + k]


@_loop
def count_up(target: Any, place: int, first: int, count: int) -> None:
    """See `koth.compile.uncompiled`."""
    _check(target.size, place, count)
    for k in range(count):
        target.flat[place + k] = first + k


@_loop
def low_bytes(source: Any, start: int, target: Any, place: int, count: int) -> None:
    """See `koth.compile.uncompiled`."""
    _check(source.size, start, count)
    _check(target.size, place, count)
    for k in range(count):
        target.flat[place + k] = source.flat[start + k] & 255


@_loop
def mark_values(source: Any, start: int, target: Any, place: int, least: int, but: int, count: int) -> None:
    """See `koth.compile.uncompiled`."""
    _check(source.size, start, count)
    _check(target.size, place, count)
    for k in range(count):
        value = source.flat[start + k]
        target.flat[place + k] = least <= value != but


@_loop
def mark_equal(source: Any, start: int, target: Any, place: int, value: int, count: int) -> None:
    """See `koth.compile.uncompiled`."""
    _check(source.size, start, count)
    _check(target.size, place, count)
    for k in range(count):
        target.flat[place + k] = source.flat[start + k] == value


@_loop
def _check(size: int, start: int, count: int) -> None:
    """Raise IndexError for values outside an array of this size."""
    if start < 0 or count < 0 or start + count > size:
        raise IndexError(OUTSIDE)
