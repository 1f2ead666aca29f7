"""What stands for `koth.kernel` where an exported bot plays: kernels are plain Python there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """The function as it is."""
    return function


phase = kernel


def copy_values(source: Any, start: int, target: Any, place: int, count: int) -> None:
    """Copy values of an array to another one, places counted through the whole array."""
    target.reshape(-1)[place : place + count] = source.reshape(-1)[start : start + count]


def count_up(target: Any, place: int, first: int, count: int) -> None:
    """Write so many numbers from `first` on."""
    target.reshape(-1)[place : place + count] = range(first, first + count)
