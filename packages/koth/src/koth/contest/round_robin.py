"""A round robin of pairs: every two bots meet once before any two meet again.

At every point, bots' match counts differ by at most one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from koth.rng import derive, draw


def round_robins(bots: int, seed: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of endless complete round robins, each in its own random order."""
    for number in itertools.count():
        own = derive(seed, number)
        order = sorted(range(bots), key=lambda bot: (draw(own, 0, 0, bot, 1 << 31), bot))
        for one, other in _circle(bots) if bots % 2 == 0 else _cycles(bots):
            yield order[one], order[other]


def _circle(bots: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of an even number of bots round by round: in each round every bot plays once.

    One bot stays; the others move on by one place each round (the circle method).
    """
    moving = bots - 1
    for turn in range(moving):
        yield moving, turn
        for step in range(1, bots // 2):
            yield (turn + step) % moving, (turn - step) % moving


def _cycles(bots: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of an odd number of bots along closed paths through all bots (Walecki).

    Each path yields every second pair first, then the other pairs, beginning with the bot that was left out.
    """
    around = bots - 1
    for turn in range(around // 2):
        zigzag = [0, *(place for step in range(1, around // 2 + 1) for place in (step, -step))][:around]
        way = [around, *((turn + place) % around for place in zigzag)]
        yield from zip(way[1::2], way[2::2], strict=True)
        yield from zip(way[0::2], [*way[1::2], way[0]], strict=True)
