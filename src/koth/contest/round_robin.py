"""A round robin of pairs: every two bots meet once before any two meet again.

At any moment, numbers of matches per bot differ by at most one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from koth.rng import derive, draw


def round_robins(bots: int, seed: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of complete round robins, one after the other, without end; each has its own order."""
    for number in itertools.count():
        own = derive(seed, number)
        order = sorted(range(bots), key=lambda bot: (draw(own, 0, 0, bot, 1 << 31), bot))
        for one, other in _circle(bots) if bots % 2 == 0 else _cycles(bots):
            yield order[one], order[other]


def _circle(bots: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of an even number of bots round by round: in each round every bot plays once.

    One bot stays while the others move on by one place (the circle method).
    """
    moving = bots - 1
    for turn in range(moving):
        yield moving, turn
        for step in range(1, bots // 2):
            yield (turn + step) % moving, (turn - step) % moving


def _cycles(bots: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of an odd number of bots along closed paths through all of them (Walecki).

    Of each path every second pair comes first, then the others, beginning with the bot that was left out.
    """
    around = bots - 1
    for turn in range(around // 2):
        zigzag = [0, *(place for step in range(1, around // 2 + 1) for place in (step, -step))][:around]
        way = [around, *((turn + place) % around for place in zigzag)]
        yield from zip(way[1::2], way[2::2], strict=True)
        yield from zip(way[0::2], [*way[1::2], way[0]], strict=True)
