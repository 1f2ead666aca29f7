"""Seeds whose dice fall as a test needs them."""

from __future__ import annotations

from collections.abc import Callable


def seed_where(*claims: Callable[[int], object], tries: int = 1_000_000) -> int:
    """The first seed from 0 on for which all claims hold: how a test gets the dice it needs.

        seed_where(lambda seed: draw(seed, 0, SPAWN, 0, 81) == 40)

    Raises LookupError when none of the first `tries` seeds will do.
    """
    for seed in range(tries):
        if all(claim(seed) for claim in claims):
            return seed
    raise LookupError(f"no seed below {tries} fits")
