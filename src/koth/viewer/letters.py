"""A frame as lines of coloured characters, as large as they fit; pure functions, tested as text.

A game's folder may hold a `glyphs.py` with `glyphs(frame, match_info) -> (width, height, glyphs)`; a glyph is `(x, y,
letter, colour)`, the colour a seat or one of `PLAIN`, the most important ones last. docs/draw-js.md describes what
else it may have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len, set_cell_size

from koth.errors import visible
from koth.games.default_glyphs import Glyph as Glyph
from koth.viewer.order import ranked
from koth.viewer.palette import Rgb, team_colour

PLAIN: Mapping[str, Rgb] = {
    "ground": (58, 66, 74),
    "dim": (95, 104, 112),
    "green": (127, 160, 100),
    "red": (235, 90, 80),
    "yellow": (240, 200, 80),
    "blue": (90, 150, 235),
    "white": (230, 232, 235),
}
"""Colours of things that belong to no bot."""
RESET = "\x1b[0m"
NAME = 12
"""Characters of a name that are kept by leaving out other columns."""


@dataclass(frozen=True)
class Ink:
    """The encoding of colours: 24 bits, the 256 of old terminals, or none."""

    depth: int

    def front(self, colour: Rgb | None) -> str:
        """Return the escape that writes in this colour (None: the terminal's default)."""
        return self._code(colour, 38)

    def back(self, colour: Rgb | None) -> str:
        """Return the escape for this background colour."""
        return self._code(colour, 48)

    def _code(self, colour: Rgb | None, kind: int) -> str:
        if self.depth == 0:
            return ""
        if colour is None:
            return f"\x1b[{kind + 1}m"
        if self.depth == 24:
            return f"\x1b[{kind};2;{colour[0]};{colour[1]};{colour[2]}m"
        red, green, blue = (round(part / 51) for part in colour)
        return f"\x1b[{kind};5;{16 + 36 * red + 6 * green + blue}m"


def colour_of(name: int | str) -> Rgb:
    """Return a glyph's colour: that of a bot's place, one of `PLAIN`, or "#rrggbb"."""
    if isinstance(name, int):
        return team_colour(name)
    if not name.startswith("#"):
        return PLAIN[name]
    red, green, blue = bytes.fromhex(name[1:])
    return red, green, blue


def board_lines(
    width: int, height: int, glyphs: Iterable[Glyph], columns: int, rows: int, ink: Ink, ground: str = "."
) -> list[str]:
    """Return the board in at most `columns` x `rows` characters; `ground` fills empty squares.

    Letters if they fit; else half blocks, two squares (or more) to a character; without colours always letters, cut
    to fit.
    """
    if ink.depth == 0 or (width <= columns and height <= rows):
        return _letter_lines(width, height, glyphs, columns, rows, ink, ground)
    return _block_lines(width, height, glyphs, columns, rows, ink)


def too_small(width: int, height: int, columns: int, rows: int) -> bool:
    """Return whether not even a half block per square fits, so that a whole board would be unreadable."""
    return (width > columns or height > rows) and (width > columns or height > 2 * rows)


def window(
    width: int, height: int, glyphs: Sequence[Glyph], columns: int, rows: int, focus: int | None
) -> tuple[int, int, list[Glyph]]:
    """Return the part of a board that fits in letters: around the glyphs of colour `focus`, or the middle of the
    board.
    """
    own = [(x, y) for x, y, _, colour in glyphs if colour == focus]
    middle = own[len(own) // 2] if own else (width // 2, height // 2)
    wide, high = min(width, columns), min(height, rows)
    left = min(max(middle[0] - wide // 2, 0), width - wide)
    top = min(max(middle[1] - high // 2, 0), height - high)
    inside = [(x - left, y - top, letter, colour) for x, y, letter, colour in glyphs]
    return wide, high, [glyph for glyph in inside if 0 <= glyph[0] < wide and 0 <= glyph[1] < high]


def _letter_lines(
    width: int, height: int, glyphs: Iterable[Glyph], columns: int, rows: int, ink: Ink, ground: str
) -> list[str]:
    """Return a letter per square, with a space between them if they fit."""
    gap = " " if 2 * width <= columns else ""
    wide, high = min(width, columns), min(height, rows)
    cells = [[(ground, PLAIN["ground"])] * wide for _ in range(high)]
    for x, y, letter, colour in glyphs:
        if x < wide and y < high:
            cells[y][x] = (letter, colour_of(colour))
    return [_line([letter + gap for letter, _ in row], [(c, None) for _, c in row], ink) for row in cells]


def _block_lines(width: int, height: int, glyphs: Iterable[Glyph], columns: int, rows: int, ink: Ink) -> list[str]:
    """Return half blocks: a character shows two points, one above the other; a point is one square or more."""
    shrink = max(-(-width // columns), -(-height // (2 * rows)), 1)
    wide, high = -(-width // shrink), -(-height // shrink)
    points: list[list[Rgb | None]] = [[None] * wide for _ in range(high + high % 2)]
    for x, y, _, colour in glyphs:
        points[y // shrink][x // shrink] = colour_of(colour)
    lines = []
    for upper, lower in zip(points[::2], points[1::2], strict=True):
        pairs = list(zip(upper, lower, strict=True))
        blocks = [" " if pair == (None, None) else "▄" if pair[0] is None else "▀" for pair in pairs]
        inks = [(low, None) if up is None else (up, low) for up, low in pairs]
        lines.append(_line(blocks, inks, ink))
    return lines


def _line(texts: Sequence[str], inks: Sequence[tuple[Rgb | None, Rgb | None]], ink: Ink) -> str:
    """Return the texts in their colours, with an escape only where a colour changes."""
    parts: list[str] = []
    last: tuple[Rgb | None, Rgb | None] = (None, None)
    for text, now in zip(texts, inks, strict=True):
        if text.strip() and now[0] != last[0]:
            parts.append(ink.front(now[0]))
            last = (now[0], last[1])
        if now[1] != last[1]:
            parts.append(ink.back(now[1]))
            last = (last[0], now[1])
        parts.append(text)
    return "".join(parts) + (RESET if ink.depth else "")


def standing_lines(
    names: Sequence[str],
    values: Mapping[str, Sequence[float]],
    columns: int,
    rows: int,
    ink: Ink,
    places: Sequence[int] | None = None,
    letters: Sequence[str] = (),
    order: Sequence[tuple[int, int | None]] | None = None,
) -> list[str]:
    """Return rank, name and values of every bot, best first, in at most `columns` x `rows` characters.

    `places` are the numbers of the bots' colours (default: their seats), `letters` those of the bots on the board,
    `order` the result of `ranked` (default: of these values alone).
    """
    signs = [f"{letter} " for letter in letters] + ["  " if letters else ""] * (len(names) - len(letters))
    columns -= 2 if letters else 0
    keys = list(values)
    widths = {key: max(len(key), *(len(number(v)) for v in values[key])) for key in keys}
    while len(keys) > 1 and columns - 4 - sum(widths[key] + 1 for key in keys) < NAME:
        keys.pop()  # readable names are more useful than further columns
    room = max(columns - 4 - sum(widths[key] + 1 for key in keys), 4)
    head = "  # " + "bot".ljust(room) + "".join(f" {key:>{widths[key]}}" for key in keys)
    head = head[:4] + ("  " if letters else "") + head[4:columns]
    lines = [ink.front(PLAIN["dim"]) + head + (RESET if ink.depth else "")]
    for seat, rank in ranked(values) if order is None else order:
        name = names[seat] if cell_len(names[seat]) <= room else set_cell_size(names[seat], room - 1) + "…"
        numbers = "".join(f" {number(values[key][seat]):>{widths[key]}}" for key in keys)
        text = f"{rank or '':>3} {signs[seat]}{set_cell_size(name, room)}{numbers}"[: columns + (2 if letters else 0)]
        lines.append(ink.front(team_colour(places[seat] if places else seat)) + text + (RESET if ink.depth else ""))
    return lines[:rows]


def number(value: float) -> str:
    """Return a score as text, with a decimal only if it has any."""
    return str(int(value)) if value == int(value) else f"{value:.1f}"


def values_of(frame: Mapping[str, Any], seats: int) -> dict[str, list[float]]:
    """Return the frame's lists with a number per bot, `score` first, by printable names: for standings."""
    found = {
        visible(name): list(value)
        for name, value in frame.items()
        if isinstance(value, list)
        and len(value) == seats
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
    }
    return dict(sorted(found.items(), key=lambda item: item[0] != "score"))
