"""A rating where not everybody meets everybody: how strong a bot is, given how strong those were that it met.

The model is that of Plackett and Luce, fitted by `choix` (the extra `rating`). Unlike ratings that are updated match
by match, what it says does not hang on the order of the matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from koth.game import Array
from koth.standings.scores import Scores

REGULAR = 0.5
"""Everybody is taken to have won and lost about so many matches against the others before the first one."""
SCALE = 400 / float(np.log(10))
"""In points as chess has them: 400 more are odds of ten to one of standing before the other one."""
INSTALL = "pip install 'koth[rating]'"
"""What to do where the library is missing."""


def available() -> bool:
    """Whether the library is there."""
    return find_spec("choix") is not None


def ratings(scores: Scores, bots: Array) -> Array:
    """float64[len(bots)]: the rating of each of these, 1000 on average. They must be connected by matches."""
    import choix

    place = np.full(len(scores.names) + 1, -1)
    place[bots] = np.arange(len(bots))
    seats = np.argsort(scores.bot, axis=1)
    bot, score = (np.take_along_axis(array, seats, axis=1) for array in (place[scores.bot], scores.score))
    rows = np.lexsort((*score.T, *bot.T))  # the sums in there must not hang on the order of the matches either
    orders = list(_orders(bot[rows], score[rows]))
    try:
        found = choix.ilsr_rankings(len(bots), orders, alpha=REGULAR / len(bots), tol=1e-6)
    except RuntimeError:  # it goes on in ever smaller steps
        found = choix.lsr_rankings(len(bots), orders, alpha=REGULAR / len(bots))
    rated: Array = 1000 + SCALE * (found - found.mean())
    return rated


def _orders(bot: Array, score: Array) -> Iterator[tuple[int, ...]]:
    """Each match as its bots from first to last, twice: who is equal stands in one order and in the other."""
    for seats, points in zip(bot, score, strict=True):
        here = np.flatnonzero(seats >= 0)
        if len(here) > 1:
            for ties in here, -here:
                yield tuple(seats[here[np.lexsort((ties, -points[here]))]].tolist())
