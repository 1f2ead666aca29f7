"""Curves of ratings: as a line of letters, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from koth.errors import visible

LEVELS = "▁▂▃▄▅▆▇█"
WIDTH = 24
"""Most letters of a line."""
COLOURS = ("#1f6feb", "#d1242f", "#1a7f37", "#bf8700", "#8250df", "#0a7ea4", "#bc4c00", "#bf3989")
SIZE = (760, 420)
"""Pixels of a picture."""
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 44, 48
"""Its margins."""
STEPS = (1, 2, 5)
LINES = 5
"""About so many lines of a grid."""


@dataclass(frozen=True)
class Point:
    """A point of a curve, and half the width of its interval."""

    x: float
    y: float
    margin: float = 0.0


def sparkline(values: Sequence[float], low: float, high: float) -> str:
    """Return values as letters from the lowest, at `low`, to the highest, at `high`; the last one is always there."""
    step = -(-len(values) // WIDTH) or 1
    shown = list(values[::-1][::step])[::-1]
    scale = (len(LEVELS) - 1) / (high - low) if high > low else 0.0
    return "".join(LEVELS[round((value - low) * scale)] for value in shown)


def picture(title: str, x_name: str, y_name: str, curves: Mapping[str, Sequence[Point]]) -> str:
    """Return an SVG of curves by name, with their intervals."""
    points = [point for curve in curves.values() for point in curve]
    xs = [point.x for point in points] or [0.0]
    ys = [end for point in points for end in (point.y - point.margin, point.y + point.margin)] or [0.0]
    frame = _Frame(min(xs), max(max(xs), min(xs) + 1), min(ys), max(max(ys), min(ys) + 1))
    width, height = SIZE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12" fill="#1f2328">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(LEFT, 24, title, 'font-size="15" font-weight="bold"'),
        _text((LEFT + width - RIGHT) / 2, height - 10, x_name, 'text-anchor="middle"'),
        _text(LEFT, TOP - 6, y_name, 'text-anchor="end"'),
    ]
    for y in _ticks(frame.low, frame.high):
        at = frame.y(y)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{width - RIGHT}" stroke="#d0d7de"/>')
        parts.append(_text(LEFT - 8, at + 4, f"{y:,.0f}", 'text-anchor="end"'))
    for x in _ticks(frame.first, frame.last):
        if x == int(x):
            parts.append(_text(frame.x(x), height - BOTTOM + 18, f"{x:,.0f}", 'text-anchor="middle"'))
    labels = _apart({name: frame.y(curve[-1].y) for name, curve in curves.items() if curve})
    for number, (name, curve) in enumerate(curves.items()):
        if curve:
            parts += _curve(frame, curve, COLOURS[number % len(COLOURS)], name, labels[name])
    return "\n".join([*parts, "</svg>", ""])


@dataclass(frozen=True)
class _Frame:
    """The axes of a picture: its values, and their places."""

    first: float
    last: float
    low: float
    high: float

    def x(self, value: float) -> float:
        return LEFT + (value - self.first) / (self.last - self.first) * (SIZE[0] - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return TOP + (self.high - value) / (self.high - self.low) * (SIZE[1] - TOP - BOTTOM)


def _curve(frame: _Frame, curve: Sequence[Point], colour: str, name: str, label: float) -> list[str]:
    upper = [f"{frame.x(p.x):.1f},{frame.y(p.y + p.margin):.1f}" for p in curve]
    lower = [f"{frame.x(p.x):.1f},{frame.y(p.y - p.margin):.1f}" for p in reversed(curve)]
    line = [f"{frame.x(p.x):.1f},{frame.y(p.y):.1f}" for p in curve]
    dots = [f'<circle cx="{frame.x(p.x):.1f}" cy="{frame.y(p.y):.1f}" r="3" fill="{colour}"/>' for p in curve]
    return [
        f'<polygon points="{" ".join(upper + lower)}" fill="{colour}" fill-opacity="0.12"/>',
        f'<polyline points="{" ".join(line)}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *dots,
        _text(frame.x(curve[-1].x) + 10, label + 4, name, f'fill="{colour}"'),
    ]


def _text(x: float, y: float, text: str, more: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(visible(text))}</text>'


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers from `low` to `high`, about `LINES` of them."""
    rough, unit = (high - low) / LINES, 1.0
    while unit * 10 <= rough:
        unit *= 10
    step = next((unit * factor for factor in STEPS if unit * factor >= rough), unit * 10)
    first = -(-low // step)
    return [(first + number) * step for number in range(int((high - first * step) // step) + 1)]


def _apart(labels: Mapping[str, float], gap: float = 15.0) -> dict[str, float]:
    """Return heights of labels, moved so that none covers another."""
    names = sorted(labels, key=lambda name: labels[name])
    apart = dict(labels)
    for above, below in pairwise(names):
        apart[below] = max(apart[below], apart[above] + gap)
    return apart
