"""The figure of a study: a panel for each game, with the score of each author by round, and the yardsticks."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from statistics import fmean

from koth.standings.text import number
from koth.studies.results import Row, StudyResults, student_interval
from koth.viewer.palette import team_colour

WIDTH, HEIGHT = 400, 260
"""Pixels of a panel."""
LEFT, RIGHT, TOP, BOTTOM = 52, 116, 30, 34
"""Pixels of a panel's margins."""
NAME_HEIGHT = 14
"""The least pixels between two names."""
PANEL_COLUMNS = 2
GREY = "#777"


@dataclass(frozen=True)
class BotCurve:
    """A bot's scores: of each repetition by round, their mean by round, and the interval of that mean."""

    name: str
    is_yardstick: bool
    repetitions: Sequence[Mapping[int, float]]
    mean: Mapping[int, float]
    bounds: Mapping[int, tuple[float, float]]

    @classmethod
    def of(cls, name: str, rows: Sequence[Row]) -> BotCurve:
        """Make the curve of a bot from its rows for one game, at least one of which has a score."""
        scored = [row for row in rows if row["score"] is not None]
        by_repetition: dict[int, dict[int, float]] = {}
        by_round: dict[int, list[float]] = {}
        for row in scored:
            by_repetition.setdefault(row["repetition"], {})[row["round"]] = row["score"]
            by_round.setdefault(row["round"], []).append(row["score"])
        bounds = {at: student_interval(values) for at, values in by_round.items()}
        known = {at: (low, high) for at, (low, high) in bounds.items() if low is not None and high is not None}
        means = {at: fmean(values) for at, values in sorted(by_round.items())}
        return cls(name, rows[0]["is_yardstick"], list(by_repetition.values()), means, known)


def draw_figure(results: StudyResults) -> str:
    """Return the figure as SVG: thin lines are repetitions, thick ones their means, bars 95 % intervals of means."""
    panels = [_Panel(name, _make_curves(results, name)) for name in results.study.games]
    panels = [panel for panel in panels if panel.curves]
    width, height = WIDTH * min(PANEL_COLUMNS, max(len(panels), 1)), HEIGHT * -(-len(panels) // PANEL_COLUMNS)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" ']
    parts += ['font-family="system-ui, sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for place, panel in enumerate(panels):
        x, y = WIDTH * (place % PANEL_COLUMNS), HEIGHT * (place // PANEL_COLUMNS)
        parts += [f'<g transform="translate({x} {y})">', *panel.parts(), "</g>"]
    return "\n".join([*parts, "</svg>\n"])


def _make_curves(results: StudyResults, game: str) -> list[BotCurve]:
    rows = [row for row in results.rounds if row["game"] == game]
    names = dict.fromkeys(row["bot"] for row in rows if row["score"] is not None)
    return [BotCurve.of(name, [row for row in rows if row["bot"] == name]) for name in names]


class _Panel:
    """A panel: its curves, and the scales of its axes."""

    def __init__(self, game: str, curves: Sequence[BotCurve]) -> None:
        self.game, self.curves = game, curves
        values = [value for curve in curves for its in curve.repetitions for value in its.values()]
        low, high = min(values, default=0.0), max(values, default=1.0)
        spare = (high - low or 1.0) * 0.08
        self._low, self._high = low - spare, high + spare
        self._last = max((at for curve in curves for at in curve.mean), default=0)

    def _x(self, at: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * at / max(self._last, 1)

    def _y(self, value: float) -> float:
        inside = min(max(value, self._low), self._high)  # a longer bar ends at the panel's edge
        return TOP + (HEIGHT - TOP - BOTTOM) * (self._high - inside) / (self._high - self._low)

    def parts(self) -> Iterator[str]:
        """Yield the elements of the panel."""
        yield from self._axes()
        labels = []
        for place, curve in enumerate(self.curves):
            colour = GREY if curve.is_yardstick else "rgb({}, {}, {})".format(*team_colour(place))
            yield from self._curve(curve, colour, place)
            labels.append((self._y(curve.mean[max(curve.mean)]), curve.name, colour))
        end = 0.0
        for y, name, colour in sorted(labels):
            end = max(y, end + NAME_HEIGHT)
            yield _svg_text(WIDTH - RIGHT + 8, end + 4, name, fill=colour)

    def _axes(self) -> Iterator[str]:
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        yield _svg_text(LEFT, 18, f"{self.game}: points of a match", **{"font-weight": "bold"})
        for value in round_values(self._low, self._high):
            y = self._y(value)
            yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#e4e4e4"/>'
            yield _svg_text(LEFT - 6, y + 4, number(value), **{"text-anchor": "end", "fill": "#555"})
        yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#aaa"/>'
        for at in range(0, self._last + 1, max(1, self._last // 8)):
            yield _svg_text(self._x(at), bottom + 15, str(at), **{"text-anchor": "middle", "fill": "#555"})
        yield _svg_text((LEFT + right) / 2, bottom + 29, "round", **{"text-anchor": "middle", "fill": "#555"})

    def _curve(self, curve: BotCurve, colour: str, place: int) -> Iterator[str]:
        if curve.is_yardstick:
            yield self._line(curve.mean, colour, **{"stroke-dasharray": "5 4"})
            return
        for its in curve.repetitions if len(curve.repetitions) > 1 else []:
            yield self._line(its, colour, opacity="0.35")
        yield self._line(curve.mean, colour, **{"stroke-width": "2.5"})
        for at, (low, high) in curve.bounds.items():
            x = self._x(at) + 3 * (place - 1)  # beside those of the others
            yield f'<path d="M{x:.1f} {self._y(low):.1f}V{self._y(high):.1f}" stroke="{colour}" stroke-width="1.2"/>'

    def _line(self, points: Mapping[int, float], colour: str, **more: str) -> str:
        path = " ".join(f"{self._x(at):.1f},{self._y(value):.1f}" for at, value in sorted(points.items()))
        return f'<polyline points="{path}" fill="none" stroke="{colour}"{_attributes(more)}/>'


def round_values(low: float, high: float) -> list[float]:
    """Return some round numbers between two."""
    size = 10.0 ** floor(log10((high - low) / 2))
    step = next(size * factor for factor in (5, 2, 1) if (high - low) / (size * factor) >= 2)
    return [step * at for at in range(ceil(low / step), floor(high / step) + 1)]


def _svg_text(x: float, y: float, text: str, **more: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{_attributes(more)}>{html.escape(text)}</text>'


def _attributes(more: Mapping[str, str]) -> str:
    return "".join(f' {key}="{value}"' for key, value in more.items())
