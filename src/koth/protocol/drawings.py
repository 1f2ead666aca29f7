"""Annotations of a bot for its author: squares, lines and texts on the board, in the bot's own coordinates.

Annotations come with an answer, as JSON:

    {"square": [a, b]}            and "text" in it, if it has one
    {"line": [a, b, c, d]}        from the middle of one square to that of another
    {"text": "12", "at": [a, b]}

each with a "color", a word or "#rrggbb", if it is not to be the bot's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MOST = 500
"""Drawings that are kept of an answer."""
TEXT = 40
"""Characters that are kept of a text."""
FARTHEST = 1e6
"""Squares from the board's corner: whatever is drawn beyond is a mistake."""
COLOR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,24}")
SHAPES: Mapping[str, int] = {"square": 2, "line": 4, "at": 2}
"""How many numbers each has; "at" is the place of a text."""
WANTED = 'a drawing is {"square": [a, b]}, {"line": [a, b, c, d]} or {"text": "12", "at": [a, b]}'

Drawing = dict[str, Any]


def kept_drawings(told: Any) -> tuple[list[Drawing], str]:
    """Return the valid annotations of an answer, and in words why others are not kept."""
    if told is None:
        return [], ""
    if not isinstance(told, list):
        return [], f"not drawn: {WANTED}, in a list"
    kept = [drawing for one in told[:MOST] if (drawing := _drawing(one)) is not None]
    if len(told) > MOST:
        return kept, f"not all drawn: {len(told)} drawings in an answer, at most {MOST} are kept"
    lost = len(told) - len(kept)
    return kept, f"{lost} of {len(told)} not drawn: {WANTED}" if lost else ""


def _drawing(told: Any) -> Drawing | None:
    """Return an annotation as it is kept; None if it is not valid."""
    if not isinstance(told, dict):
        return None
    shape = next((name for name in SHAPES if name in told), "at")
    places, text, color = told.get(shape), _text(told.get("text")), told.get("color")
    if not _are_places(places, SHAPES[shape]) or (shape == "at" and not text):
        return None
    drawing: Drawing = {shape: places}
    if text:
        drawing["text"] = text
    if isinstance(color, str) and COLOR.fullmatch(color):
        drawing["color"] = color
    return drawing


def _are_places(told: Any, count: int) -> bool:
    """Return whether these are so many coordinates."""
    if not isinstance(told, list) or len(told) != count:
        return False
    return all(type(value) in (int, float) and abs(value) <= FARTHEST for value in told)  # nor what is no number


def _text(told: Any) -> str:
    if isinstance(told, bool) or not isinstance(told, (str, int, float)):
        return ""
    return str(told)[:TEXT]
