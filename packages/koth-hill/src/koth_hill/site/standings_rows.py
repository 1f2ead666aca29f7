"""Lines of standings for pages, with pictures of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from koth.standings.ranking import RankedVersion, Ranking
from koth.standings.text import rank_text

BAR_WIDTH = 160
"""Width of the picture of an interval."""
REACH = 120.0
"""The rating difference by which the axis extends beyond the ratings (for scores: half their range)."""


@dataclass(frozen=True)
class IntervalBar:
    """The picture of a rating or score with its interval: start and length of the bar, position of the dot."""

    start: float
    length: float
    dot: float
    text: str


@dataclass(frozen=True)
class Row:
    """A line of the standings."""

    line: RankedVersion
    bar: IntervalBar | None
    ranked: str
    """The rating, or the score if the season ranks by score."""
    margin: str
    """Half the width of the interval; empty without an interval."""


def make_rows(table: Ranking) -> list[Row]:
    """Return the lines of standings for pages."""
    by = table.rank_by
    drawn = interval_bars([(getattr(line, by), line.margin) for line in table.standings], by)
    return [
        Row(line, bar, rank_text(getattr(line, by), by), rank_text(line.margin, by))
        for line, bar in zip(table.standings, drawn, strict=True)
    ]


def axis_reach(ranked: Sequence[float], rank_by: str) -> float:
    """Return by how much the axis extends beyond these ratings or scores; wider intervals are cut."""
    return REACH if rank_by == "rating" else (max(ranked) - min(ranked)) / 2 or 1.0


def interval_bars(
    ranked: Sequence[tuple[float | None, float | None]], rank_by: str = "rating"
) -> list[IntervalBar | None]:
    """Return the pictures of these ratings or scores with their margins, on one axis; None without an interval."""
    known = [value for value, _ in ranked if value is not None] or [0.0]
    beyond = axis_reach(known, rank_by)
    low, high = min(known) - beyond, max(known) + beyond

    def place(value: float) -> float:
        return round(BAR_WIDTH * (min(max(value, low), high) - low) / (high - low), 1)

    found: list[IntervalBar | None] = []
    for value, margin in ranked:
        if value is None or margin is None:
            found.append(None)
            continue
        start, end = place(value - margin), place(value + margin)
        text, *ends = (rank_text(at, rank_by) for at in (value, value - margin, value + margin))
        found.append(IntervalBar(start, round(end - start, 1), place(value), f"{text}, between {' and '.join(ends)}"))
    return found
