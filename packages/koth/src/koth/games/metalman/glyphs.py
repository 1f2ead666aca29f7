"""Metal Man in letters, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.games.default_glyphs import Glyph
from koth.games.metalman.terrain import HIGHGROUND, WALL

POINTERS = ("↑→↓←", "▲▶▼◀")
"""The letters of a spotter and an assassin by direction: UP, RIGHT, DOWN, LEFT."""
LEGEND = {
    "→": "a spotter, and where it looks", "▶": "an assassin", "·": "seen, in the player's colour",
    "█": "a wall", "^": "highground", "×": "collapsed",
}  # fmt: skip


def glyphs(frame: Mapping[str, Any], match_info: Mapping[str, Any]) -> tuple[int, int, list[Glyph]]:
    """Return width, height, and glyphs (x, y, letter, colour), the most important last.

    A visible square is a point in the colour of the first player that sees it. A piece points in its direction, an
    assassin with a solid triangle, a spotter with an arrow.
    """
    width, height = frame["columns"], frame["rows"]
    ground: list[Glyph] = []
    for square, (terrain, seen) in enumerate(zip(frame["terrain"].tolist(), frame["seen"].tolist(), strict=True)):
        y, x = divmod(square, width)
        first_seat = (seen & -seen).bit_length() - 1
        if min(x, y, width - 1 - x, height - 1 - y) < frame["circles"]:
            ground.append((x, y, "×", "red"))
        elif terrain == WALL:
            ground.append((x, y, "█", "dim"))
        elif terrain == HIGHGROUND:
            ground.append((x, y, "^", "yellow"))
        elif seen:
            ground.append((x, y, "·", first_seat))
    pieces: list[Glyph] = []
    columns = (frame[name].tolist() for name in ("column", "row", "facing", "living"))
    for piece, (x, y, facing, living) in enumerate(zip(*columns, strict=True)):
        if living:
            pieces.append((x, y, POINTERS[piece % 2][facing], piece // 2))
    return width, height, ground + pieces
