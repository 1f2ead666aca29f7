"""The letters of a game without a `glyphs.py`, found by the names of the frame's arrays (docs/new-game.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from koth.seat_labels import seat_letters

Glyph = tuple[int, int, str, int | str]
"""x, y, letter, colour: a seat, or the name of a colour."""

LEGEND = {"A": "a piece, by its bot's letter", "*": "nobody's", "▒": "painted by a bot"}
COLUMN = 8
"""The height of the longest score column, in squares."""
COLOURS = ("yellow", "green", "blue", "red", "white")
"""The colours of things that belong to no seat, in the order in which they are assigned."""


def board_size(frame: Mapping[str, Any]) -> tuple[int, int]:
    """Return the board's width and height; zeros if the frame has no board."""
    rows, side = frame.get("board", []), frame.get("side")
    width = frame.get("width", side) or (len(rows[0]) if rows else 0)
    height = frame.get("height", side) or len(rows)
    return (width, height) if width and height else (0, 0)


def glyphs(frame: Mapping[str, Any], match_info: Mapping[str, Any]) -> tuple[int, int, list[Glyph]]:
    """Return width, height and letters of the board: squares, the canvas, things on it, pieces.

    Without a board, each bot has a column of its letters, as high as its score.
    """
    width, height = board_size(frame)
    if not width:
        return _columns(frame["score"])
    rows = frame.get("board", [])
    found: list[Glyph] = [
        (x, y, sign, "dim") for y, row in enumerate(rows) for x, sign in enumerate(row) if sign not in ". "
    ]
    found += [(i % width, i // width, "▒", int(c) - 1) for i, c in enumerate(frame.get("canvas", ())) if c]
    things = [key[:-2] for key in frame if key.endswith("_x") and f"{key[:-2]}_y" in frame]
    for number, name in enumerate(things):
        places = zip(frame[f"{name}_x"], frame[f"{name}_y"], strict=True)
        found += [(int(x), int(y), name[0], COLOURS[number % len(COLOURS)]) for x, y in places]
    return width, height, found + _pieces(frame)


def _columns(score: Sequence[float]) -> tuple[int, int, list[Glyph]]:
    """Return width, height and letters of score columns; the lowest column is empty if scores are negative."""
    least, most = min(0, *score), max(0, *score)
    heights = [round(COLUMN * (one - least) / (most - least or 1)) for one in score]
    found: list[Glyph] = [
        (seat, COLUMN - 1 - y, seat_letters(seat)[-1], seat)
        for seat, height in enumerate(heights)
        for y in range(height)
    ]
    return len(score), COLUMN, found


def _pieces(frame: Mapping[str, Any]) -> list[Glyph]:
    """Return the pieces at `x` and `y`: a bot's as its letter, all others as stars."""
    xs, ys = list(frame.get("x", [])), list(frame.get("y", []))
    seats = frame["seat"] if "seat" in frame else range(len(xs)) if len(xs) == len(frame["score"]) else [-1] * len(xs)
    alive = [] if "seat" in frame else frame.get("alive", [])
    found: list[Glyph] = []
    for i, (x, y, seat) in enumerate(zip(xs, ys, seats, strict=True)):
        if x >= 0 and (len(alive) != len(xs) or alive[i]):
            found.append(
                (int(x), int(y), seat_letters(int(seat))[-1], int(seat)) if seat >= 0 else (x, y, "*", "dim")
            )
    return found
