"""Intervals of ratings as small pictures: places in the SVG of a template, which holds no style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BAND = 160
"""Width of the picture of an interval."""
BEYOND = 120.0
"""Points that the axis of intervals reaches beyond the ratings: wider ones are cut."""


@dataclass(frozen=True)
class Band:
    """A rating with its interval: where the bar begins, how long it is, where the dot is."""

    start: float
    length: float
    dot: float
    text: str


def bands(rated: Sequence[tuple[float | None, float | None]]) -> list[Band | None]:
    """Return the pictures of these ratings and margins, on one axis; None for those without a rating."""
    known = [rating for rating, _ in rated if rating is not None]
    low, high = min(known, default=0.0) - BEYOND, max(known, default=0.0) + BEYOND

    def place(rating: float) -> float:
        return round(BAND * (min(max(rating, low), high) - low) / (high - low), 1)

    found: list[Band | None] = []
    for rating, margin in rated:
        if rating is None or margin is None:
            found.append(None)
            continue
        start, end = place(rating - margin), place(rating + margin)
        text = f"{rating:,.0f}, between {rating - margin:,.0f} and {rating + margin:,.0f}"
        found.append(Band(start, round(end - start, 1), place(rating), text))
    return found
