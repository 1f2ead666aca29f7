"""Pictures that stand in pages: places and numbers for the SVG of templates, which hold no style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

BAND = 160
"""Width of the picture of an interval."""
BEYOND = 120.0
"""Points that the axis of intervals reaches beyond the ratings: wider ones are cut."""
WIDTH, HEIGHT = 480, 220
"""Size of the picture of a rating's history."""
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 12, 26
"""Room around its curves, for the axes' numbers."""
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000)
LINES = 5
"""Most lines of an axis."""

Point = tuple[float, float, float]
"""Matches of the season, rating, margin."""


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


@dataclass(frozen=True)
class Tick:
    """A line of an axis: where it is, and its number."""

    at: float
    text: str


@dataclass(frozen=True)
class Curve:
    """The rating of one version: the area of its intervals and the line, as SVG's points; where its name stands."""

    name: str
    area: str
    line: str
    at: float
    height: float


@dataclass(frozen=True)
class History:
    """The picture of a bot's ratings over a season."""

    curves: list[Curve]
    across: list[Tick]
    up: list[Tick]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def history(versions: Sequence[tuple[str, Sequence[Point]]]) -> History | None:
    """Return the picture of the ratings of a bot's versions, by name; None where there are fewer than two points."""
    points = [point for _, found in versions for point in found]
    if len(points) < 2:
        return None
    ratings = [rating for _, rating, _ in points]
    low = max(min(rating - margin for _, rating, margin in points), min(ratings) - BEYOND)
    high = min(max(rating + margin for _, rating, margin in points), max(ratings) + BEYOND)
    first, last = points[0][0], max(points[-1][0], points[0][0] + 1)

    def x(matches: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (matches - first) / (last - first), 1)

    def y(rating: float) -> float:
        return round(
            HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (min(max(rating, low), high) - low) / (high - low), 1
        )

    curves = []
    for name, found in versions:
        if not found:
            continue
        above = [f"{x(n)},{y(rating + margin)}" for n, rating, margin in found]
        below = [f"{x(n)},{y(rating - margin)}" for n, rating, margin in reversed(found)]
        line = " ".join(f"{x(n)},{y(rating)}" for n, rating, _ in found)
        curves.append(Curve(name, " ".join([*above, *below]), line, x(found[0][0]), y(found[0][1])))
    across = [Tick(x(at), f"{at:,.0f}") for at in _round_numbers(first, last)]
    return History(curves, across, [Tick(y(at), f"{at:,.0f}") for at in _round_numbers(low, high)])


def _round_numbers(low: float, high: float) -> list[int]:
    """Return round numbers between two others, few enough to be read."""
    step = next((step for step in STEPS if (high - low) / step <= LINES), STEPS[-1] * ceil((high - low) / 25_000))
    return [n * step for n in range(ceil(low / step), floor(high / step) + 1)]
