"""What stands for `koth.kernel` where an exported bot plays: kernels are plain Python there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """The function as it is."""
    return function


phase = kernel
