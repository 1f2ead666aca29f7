"""Curves: each bot's score over the matches of a contest or a comparison, as rows for pandas and as a picture."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from koth.standings.text import number
from koth.viewer.contest import history
from koth.viewer.palette import team_colour

WIDTH, HEIGHT, LEFT, RIGHT, EDGE = 640, 240, 64, 150, 24
"""The size of the picture, and of its margins, in pixels."""


@dataclass(frozen=True, repr=False)
class Curves:
    """Each bot's score (None before its first match) after some of the matches."""

    matches: Sequence[int]
    scores: Mapping[str, Sequence[float | None]]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, float]], bots: Sequence[str], aggregate: str) -> Curves:
        """Compute the curves of bots from the scores of each match."""
        return cls(**history(rows, bots, aggregate))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each point, with the same keys: `pandas.DataFrame(run.curves.rows).plot(x="match")`."""
        return [
            {"match": match, **{bot: line[k] for bot, line in self.scores.items()}}
            for k, match in enumerate(self.matches)
        ]

    def __str__(self) -> str:
        ends = (f"{bot} {number(line[-1])}" for bot, line in self.scores.items() if line and line[-1] is not None)
        return f"after {self.matches[-1] if self.matches else 0} matches: {', '.join(ends)}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the picture as SVG; empty below two points."""
        values = [one for line in self.scores.values() for one in line if one is not None]
        if len(self.matches) < 2 or not values:
            return ""
        low, high, first, last = min(values), max(values), self.matches[0], self.matches[-1]

        def point(match: int, value: float) -> str:
            x = LEFT + (WIDTH - LEFT - RIGHT) * (match - first) / (last - first)
            y = HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * ((value - low) / (high - low) if high > low else 0.5)
            return f"{x:.1f},{y:.1f}"

        parts = [_svg_text(4, EDGE, number(high)), _svg_text(4, HEIGHT - EDGE, number(low))]
        parts += [_svg_text(LEFT, HEIGHT - 4, str(first)), _svg_text(WIDTH - RIGHT - 60, HEIGHT - 4, f"match {last}")]
        for place, (bot, line) in enumerate(self.scores.items()):
            colour = "rgb({}, {}, {})".format(*team_colour(place))
            path = " ".join(
                point(match, one) for match, one in zip(self.matches, line, strict=True) if one is not None
            )
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts.append(_svg_text(WIDTH - RIGHT + 8, EDGE + 16 * place, bot, colour))
        size = f'width="{WIDTH}" height="{max(HEIGHT, 2 * EDGE + 16 * len(self.scores))}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-size="12">{"".join(parts)}</svg>'


def _svg_text(x: int, y: int, text: str, colour: str = "currentColor") -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}">{html.escape(text)}</text>'
