"""Bots' drawings for their authors (`koth.protocol.drawings`), as letters on a board of letters.

Drawings are stored beside the replays of a run; a replay alone has none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from koth.contest.private import noted
from koth.diagnostics.rerun import run_of
from koth.errors import visible
from koth.protocol.drawings import Drawing, kept_drawings
from koth.viewer.contest import number_of
from koth.viewer.letters import PLAIN, Glyph

SQUARE, LINE = "□", "+"
LEGEND = {f"{SQUARE} {LINE}": "a square, a line that a bot drew for its author"}
HEX = re.compile(r"#[0-9a-fA-F]{6}")
SEEN = "·"
"""The letter of a square that a bot sees: no unit, though it has the bot's colour."""

Drawn = Mapping[int, Sequence[tuple[int, Drawing]]]
"""Seats and drawings by the turn whose frame the bots saw when they drew: that of their answer, less one."""


def drawn_beside(path: Path, name: str, bots: Sequence[str]) -> Drawn:
    """Return the drawings of the bots (by seat) in the match whose replay is at `path`. Raises KothError."""
    found: dict[int, list[tuple[int, Drawing]]] = defaultdict(list)
    number = number_of(name)
    if number is None or run_of(path) is None:
        return found
    for seat, bot in enumerate(bots):
        for line in noted(path.absolute().parent.parent, number, bot):
            found[line["turn"] - 1] += [(seat, drawing) for drawing in kept_drawings(line.get("draw"))[0]]
    return found


def with_drawings(
    board: tuple[int, int, list[Glyph]], drawings: Iterable[tuple[int, Drawing]], picture: Any, wraps: bool
) -> list[Glyph]:
    """Return a board's glyphs with drawings, which hide no unit: a square with a unit keeps its letter.

    `picture` is the game's `glyphs.py`: its `square_of(a, b)`, if any, converts a bot's coordinates (a, b) to a
    square. With `wraps` the board has no edges. Colours that a terminal does not know become the bot's own.
    """
    width, height, glyphs = board
    taken = {(x, y) for x, y, letter, colour in glyphs if isinstance(colour, int) and letter != SEEN}
    marks = [
        (x % width, y % height, letter, _colour(drawing, seat))
        for seat, drawing in drawings
        for x, y, letter in _letters(drawing, picture, width, height, wraps)
        if wraps or (0 <= x < width and 0 <= y < height)
    ]
    return [*glyphs, *(mark for mark in marks if mark[:2] not in taken)]


def _colour(drawing: Drawing, seat: int) -> int | str:
    color = drawing.get("color", "")
    return color if color in PLAIN or HEX.fullmatch(color) else seat


def _letters(drawing: Drawing, picture: Any, width: int, height: int, wraps: bool) -> Iterator[tuple[int, int, str]]:
    """Yield a drawing's letters with their squares: the sign of its shape, then its text from there (a line: its
    middle) on.
    """
    numbers = drawing.get("line") or drawing.get("square") or drawing["at"]
    square_of = getattr(picture, "square_of", lambda a, b: (a, b))
    ends = [tuple(map(round, square_of(*numbers[at : at + 2]))) for at in range(0, len(numbers), 2)]
    (x, y), (dx, dy) = ends[0], (ends[-1][0] - ends[0][0], ends[-1][1] - ends[0][1])
    if wraps:
        dx, dy = _short(dx, width), _short(dy, height)
    if "at" not in drawing:
        steps = min(max(abs(dx), abs(dy)), width + height)
        sign = LINE if "line" in drawing else SQUARE
        parts = (k / max(steps, 1) for k in range(steps + 1))
        yield from ((x + round(dx * part), y + round(dy * part), sign) for part in parts)
    for k, letter in enumerate(visible(drawing.get("text", ""))):
        yield x + dx // 2 + k, y + dy // 2, letter if cell_len(letter) == 1 else "?"


def _short(way: int, side: int) -> int:
    """Return a distance along an edge of a torus, the short way round."""
    return (way + side // 2) % side - side // 2
