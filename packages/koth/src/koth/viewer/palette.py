"""The colours of bots: the same in a contest's matches, on pages, and in drawings."""

from __future__ import annotations

from collections.abc import Sequence

Rgb = tuple[int, int, int]

COLOURS: Sequence[Rgb] = (
    (73, 146, 242), (222, 38, 0), (143, 83, 157), (224, 121, 23), (83, 118, 14), (252, 74, 147),
    (61, 104, 202), (180, 132, 191), (18, 147, 144), (128, 94, 249), (170, 122, 97), (171, 73, 96),
)  # fmt: skip
"""Bots' colours in sRGB, the same as in `colors.js`; further bots reuse these colours with patterns."""


def team_colour(place: int) -> Rgb:
    """Return the colour of the bot with the number `place`."""
    return COLOURS[place % len(COLOURS)]
