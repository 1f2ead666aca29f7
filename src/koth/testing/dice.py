"""Seeds that give a test the dice that it needs, and the random numbers that a match draws."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from koth import kernel, rng
from koth.compile import uncompiled

WIDE = ("copy_values", "count_up", "low_bytes", "mark_equal", "mark_values")
"""Functions of `koth.kernel` that only compiled kernels can call."""


def seed_where(*claims: Callable[[int], object], tries: int = 1_000_000) -> int:
    """Return the first seed from 0 on for which all conditions hold, so that a test gets the dice it needs.

    seed_where(lambda seed: draw(seed, 0, SPAWN, 0, 81) == 40)

    Raises LookupError if none of the first `tries` seeds fits.
    """
    for seed in range(tries):
        if all(claim(seed) for claim in claims):
            return seed
    raise LookupError(f"no seed below {tries} fits")


@contextmanager
def watch_draws(watch: Callable[[int, int, int, int], None]) -> Iterator[None]:
    """Call `watch(seed, turn, phase, index)` before each random number that is drawn in this context.

    Kernels run uncompiled in this context: plain functions replace the functions that kernels call.
    """
    plain = {id(getattr(kernel, name)): getattr(uncompiled, name) for name in WIDE}
    compiled = getattr(kernel, "Kernel", ())
    changed = []
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if issubclass(type(value), compiled):  # isinstance would wake the lazy objects of other libraries
                changed.append((module, name, value))
                setattr(module, name, value.py_func)
            elif id(value) in plain:
                changed.append((module, name, value))
                setattr(module, name, plain[id(value)])
    philox = rng.philox

    def watched(key0: int, key1: int, c0: int, c1: int, c2: int, c3: int) -> int:
        watch(key1 << 32 | key0, c2, c3, c1 << 32 | c0)
        return philox(key0, key1, c0, c1, c2, c3)

    rng.philox = watched
    try:
        yield
    finally:
        rng.philox = philox
        for module, name, value in changed:
            setattr(module, name, value)
