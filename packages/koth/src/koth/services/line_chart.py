"""Line charts as SVG: bots' scores by round of a study, or by match of a contest."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any

from koth.standings.text import number
from koth.viewer.palette import team_colour

WIDTH, HEIGHT = 400, 260
"""A panel's size in pixels."""
LEFT, RIGHT, TOP, BOTTOM = 52, 116, 30, 34
"""A panel's margins in pixels."""
NAME_HEIGHT = 14
"""The least distance in pixels between two names."""
PANEL_COLUMNS = 2
GREY = "#777"
Points = Mapping[Any, float]
"""Values by round or match (int) or cost (float)."""


@dataclass(frozen=True)
class BotCurve:
    """A bot's scores by round, match or cost: the mean, each repetition, and the intervals of the mean."""

    name: str
    mean: Points
    repetitions: Sequence[Points] = ()
    bounds: Mapping[Any, tuple[float, float]] = field(default_factory=dict)
    is_yardstick: bool = False


@dataclass(frozen=True)
class Chart:
    """A panel with title, label of the x axis, and curves (at least one has a point)."""

    title: str
    x_label: str
    curves: Sequence[BotCurve]


def draw_charts(charts: Sequence[Chart]) -> str:
    """Return charts as one SVG: thin lines are repetitions, thick lines means, bars the intervals of means."""
    width, height = WIDTH * min(PANEL_COLUMNS, max(len(charts), 1)), HEIGHT * -(-len(charts) // PANEL_COLUMNS)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" ']
    parts += ['font-family="system-ui, sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for place, chart in enumerate(charts):
        x, y = WIDTH * (place % PANEL_COLUMNS), HEIGHT * (place // PANEL_COLUMNS)
        parts += [f'<g transform="translate({x} {y})">', *_Panel(chart).parts(), "</g>"]
    return "\n".join([*parts, "</svg>\n"])


class _Panel:
    """A chart with the scales of the axes."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        lines = [line for curve in chart.curves for line in (curve.mean, *curve.repetitions)]
        values = [value for line in lines for value in line.values()]
        values += [end for curve in chart.curves for ends in curve.bounds.values() for end in ends]
        low, high = min(values), max(values)
        spare = (high - low or 1.0) * 0.08
        self._low, self._high = low - spare, high + spare
        self._last = max((at for line in lines for at in line), default=0)

    def _x(self, at: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * at / (self._last or 1)

    def _y(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (self._high - value) / (self._high - self._low)

    def parts(self) -> Iterator[str]:
        """Yield the panel's SVG elements."""
        yield from self._axes()
        labels = []
        for place, curve in enumerate(self._chart.curves):
            colour = GREY if curve.is_yardstick else "rgb({}, {}, {})".format(*team_colour(place))
            yield from self._curve(curve, colour, place)
            labels.append((self._y(curve.mean[max(curve.mean)]), curve.name, colour))
        end = 0.0
        for y, name, colour in sorted(labels):
            end = max(y, end + NAME_HEIGHT)
            yield _svg_text(WIDTH - RIGHT + 8, end + 4, name, fill=colour)

    def _axes(self) -> Iterator[str]:
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        yield _svg_text(LEFT, 18, self._chart.title, **{"font-weight": "bold"})
        for value in round_values(self._low, self._high):
            y = self._y(value)
            yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#e4e4e4"/>'
            yield _svg_text(LEFT - 6, y + 4, number(value), **{"text-anchor": "end", "fill": "#555"})
        yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#aaa"/>'
        last = self._last
        for at in range(0, last + 1, max(1, last // 8)) if isinstance(last, int) else round_values(0, last):
            yield _svg_text(self._x(at), bottom + 15, number(at), **{"text-anchor": "middle", "fill": "#555"})
        yield _svg_text(
            (LEFT + right) / 2, bottom + 29, self._chart.x_label, **{"text-anchor": "middle", "fill": "#555"}
        )

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

    def _line(self, points: Points, colour: str, **more: str) -> str:
        path = " ".join(f"{self._x(at):.1f},{self._y(value):.1f}" for at, value in sorted(points.items()))
        return f'<polyline points="{path}" fill="none" stroke="{colour}"{_attributes(more)}/>'


def round_values(low: float, high: float) -> list[float]:
    """Return round numbers between `low` and `high`, for an axis."""
    size = 10.0 ** floor(log10((high - low) / 2))
    step = next(size * factor for factor in (5, 2, 1) if (high - low) / (size * factor) >= 2)
    return [step * at for at in range(ceil(low / step), floor(high / step) + 1)]


def _svg_text(x: float, y: float, text: str, **more: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{_attributes(more)}>{html.escape(text)}</text>'


def _attributes(more: Mapping[str, str]) -> str:
    return "".join(f' {key}="{value}"' for key, value in more.items())
