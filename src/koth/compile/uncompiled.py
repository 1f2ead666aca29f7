"""Kernels without a compiler: plain Python, for `NUMBA_DISABLE_JIT=1` and for exported bots.

Compiled kernels use SIMD versions of the copies here (simd.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

F = TypeVar("F", bound=Callable[..., object])


@overload
def kernel(function: F, /) -> F: ...


@overload
def kernel(*, allocates: bool = False, inline: bool = False) -> Callable[[F], F]: ...


def kernel(function: F | None = None, /, **_marks: bool) -> F | Callable[[F], F]:
    """Return the function unchanged."""
    return kernel if function is None else function


def copy_values(source: Any, start: int, target: Any, place: int, count: int) -> None:
    """Copy `count` values of an array, beginning at index `start`, to index `place` of another array of its type.

    Indices count through the flat array, whatever its axes. A constant `count` is copied in the processor's widest
    moves, several times as fast as any loop or slice. A kernel does not check the indices.
    """
    here, there = _parts(source, start, target, place, count)
    there[:] = here


def count_up(target: Any, place: int, first: int, count: int) -> None:
    """Write `first`, `first + 1` and so on: `count` values (a constant), from `place` on, as `copy_values` does."""
    if min(place, count) < 0 or place + count > target.size:
        raise IndexError(f"{count} values to {place} (of {target.size})")
    target.reshape(-1)[place : place + count] = range(first, first + count)


def low_bytes(source: Any, start: int, target: Any, place: int, count: int) -> None:
    """Write the low bytes of `count` values (a constant) of whole numbers, as `copy_values` copies them."""
    here, there = _parts(source, start, target, place, count)
    there[:] = here & 255


def mark_values(source: Any, start: int, target: Any, place: int, least: int, but: int, count: int) -> None:
    """Write 1 for each of `count` bytes (a constant) that is at least `least` and not `but`, else 0; as bytes."""
    here, there = _parts(source, start, target, place, count)
    there[:] = (here >= least) & (here != but)


def mark_equal(source: Any, start: int, target: Any, place: int, value: int, count: int) -> None:
    """Write 1 for each of `count` bytes (a constant) that equals `value`, else 0; as bytes."""
    here, there = _parts(source, start, target, place, count)
    there[:] = here == value


def _parts(source: Any, start: int, target: Any, place: int, count: int) -> tuple[Any, Any]:
    """Return `count` values of both arrays, counted through the whole array, whatever its axes."""
    if min(start, place, count) < 0 or start + count > source.size or place + count > target.size:
        raise IndexError(f"{count} values from {start} (of {source.size}) to {place} (of {target.size})")
    return source.reshape(-1)[start : start + count], target.reshape(-1)[place : place + count]
