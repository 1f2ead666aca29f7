"""The colours of bots: the same in all of a contest's matches, on its page, and in the terminal."""

from __future__ import annotations

import math
from pathlib import Path

from koth.diagnostics.rerun import read_run_of
from koth.errors import KothError

Rgb = tuple[int, int, int]

COLOURS = (
    (0.66, 0.16, 256.0), (0.58, 0.22, 32.0), (0.54, 0.13, 320.0), (0.68, 0.16, 56.0),
    (0.52, 0.13, 128.0), (0.68, 0.22, 0.0), (0.54, 0.16, 264.0), (0.68, 0.1, 320.0),
    (0.6, 0.1, 192.0), (0.6, 0.22, 288.0), (0.62, 0.07, 48.0), (0.54, 0.13, 8.0),
)  # fmt: skip
"""Lightness, chroma and hue of bots' colours, as in `colors.js`; further bots reuse them in patterns."""


def field_of(replay: Path) -> list[str]:
    """Return the bots of the contest to whose folder a replay belongs, in its order; none if it belongs to none."""
    try:
        run = read_run_of(replay)
    except KothError:
        return []  # not koth's run.json: the replay can still be watched
    return [bot["name"] for bot in run["bots"]] if run else []


def contest_of(replay: Path) -> dict[str, str] | None:
    """Return name and start of the contest to whose folder a replay belongs; None if it belongs to none."""
    try:
        run = read_run_of(replay)
    except KothError:
        return None
    return {"name": replay.absolute().parent.parent.name, "started": str(run.get("started", ""))} if run else None


def team_colour(place: int) -> Rgb:
    """Return the colour of this number."""
    return oklch(*COLOURS[place % len(COLOURS)])


def oklch(light: float, chroma: float, hue: float) -> Rgb:
    """Return a colour of CSS's `oklch()` in sRGB, clipped to its gamut."""
    linear = _linear(light, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue)))
    red, green, blue = (round(255 * _gamma(min(max(part, 0.0), 1.0))) for part in linear)
    return red, green, blue


def _linear(light: float, a: float, b: float) -> tuple[float, float, float]:
    """Convert Oklab to linear sRGB (the matrices of CSS Color 4)."""
    long = (light + 0.3963377773761749 * a + 0.2158037573099136 * b) ** 3
    middle = (light - 0.1055613458156586 * a - 0.0638541728258133 * b) ** 3
    short = (light - 0.0894841775298119 * a - 1.2914855480194092 * b) ** 3
    return (
        4.0767416360759574 * long - 3.3077115392580616 * middle + 0.2309699031821043 * short,
        -1.2684379732850317 * long + 2.6097573492876887 * middle - 0.3413193760026573 * short,
        -0.0041960761386756 * long - 0.7034186179359362 * middle + 1.7076146940746117 * short,
    )


def _gamma(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
