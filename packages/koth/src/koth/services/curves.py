"""Each bot's score over the matches of a contest or comparison, as rows for pandas and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from koth.services.line_chart import BotCurve, Chart, draw_charts
from koth.standings.text import number
from koth.viewer.contest import history


@dataclass(frozen=True, repr=False)
class Curves:
    """Each bot's score (None before the bot's first match) after each number of matches in `matches`."""

    matches: Sequence[int]
    scores: Mapping[str, Sequence[float | None]]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, float]], bots: Sequence[str], aggregate: str) -> Curves:
        """Compute bots' curves from the scores of matches."""
        return cls(**history(rows, bots, aggregate))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each point, for `pandas.DataFrame(run.curves.rows).plot(x="match")`."""
        return [
            {"match": match, **{bot: line[k] for bot, line in self.scores.items()}}
            for k, match in enumerate(self.matches)
        ]

    def __str__(self) -> str:
        ends = (f"{bot} {number(line[-1])}" for bot, line in self.scores.items() if line and line[-1] is not None)
        return f"after {self.matches[-1] if self.matches else 0} matches: {', '.join(ends)}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the picture as SVG; "" with fewer than two points."""
        lines = {bot: dict(zip(self.matches, line, strict=True)) for bot, line in self.scores.items()}
        known = {bot: {at: one for at, one in line.items() if one is not None} for bot, line in lines.items()}
        curves = [BotCurve(bot, line) for bot, line in known.items() if line]
        return draw_charts([Chart("score", "match", curves)]) if len(self.matches) > 1 and curves else ""
