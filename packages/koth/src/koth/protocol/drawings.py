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

from koth.adapter.kit import MOST_DRAWINGS

LONGEST_TEXT = 40
"""The largest number of characters of a text that are kept."""
FARTHEST = 1e6
"""The largest coordinate in squares: drawings beyond it are mistakes."""
COLOR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,24}")
SHAPES: Mapping[str, int] = {"square": 2, "line": 4, "at": 2}
"""The number of coordinates of each shape; "at" is the position of a text."""
WANTED = 'a drawing is {"square": [a, b]}, {"line": [a, b, c, d]} or {"text": "12", "at": [a, b]}'

Drawing = dict[str, Any]


def check_drawings(drawings: Any) -> tuple[list[Drawing], str]:
    """Return the valid annotations of an answer, and the reason why others are not kept."""
    if drawings is None:
        return [], ""
    if not isinstance(drawings, list):
        return [], f"not drawn: {WANTED}, in a list"
    kept = [drawing for one in drawings[:MOST_DRAWINGS] if (drawing := _check_drawing(one)) is not None]
    if len(drawings) > MOST_DRAWINGS:
        return kept, f"not all drawn: {len(drawings)} drawings in an answer, at most {MOST_DRAWINGS} are kept"
    lost = len(drawings) - len(kept)
    return kept, f"{lost} of {len(drawings)} not drawn: {WANTED}" if lost else ""


def _check_drawing(value: Any) -> Drawing | None:
    if not isinstance(value, dict):
        return None
    shape = next((name for name in SHAPES if name in value), "at")
    places, text, color = value.get(shape), _to_text(value.get("text")), value.get("color")
    if not _are_places(places, SHAPES[shape]) or (shape == "at" and not text):
        return None
    drawing: Drawing = {shape: places}
    if text:
        drawing["text"] = text
    if isinstance(color, str) and COLOR.fullmatch(color):
        drawing["color"] = color
    return drawing


def _are_places(places: Any, count: int) -> bool:
    if not isinstance(places, list) or len(places) != count:
        return False
    return all(type(value) in (int, float) and abs(value) <= FARTHEST for value in places)  # (False for NaN)


def _to_text(text: Any) -> str:
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        return ""
    return str(text)[:LONGEST_TEXT]
