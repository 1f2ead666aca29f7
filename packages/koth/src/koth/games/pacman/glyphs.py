"""Pac-Man in letters, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.games.default_glyphs import Glyph
from koth.games.pacman.state import FRUIT, GHOST, GONE, NORTH, PELLET, POWER, WEST

ITEMS: Mapping[int, tuple[str, str]] = {PELLET: ("·", "dim"), POWER: ("o", "white"), FRUIT: ("%", "green")}
COLOURS = ("red", "white", "blue", "yellow")
"""Colours of Blinky, Pinky, Inky and Clyde."""
NPC = "&"
GROUND = " "
LEGEND = {
    "A": "a Pac-Man, by its bot's letter; a small one goes on as a ghost", NPC: "a ghost, in its kind's colour",
    "·": "a pellet", "o": "a power pellet", "%": "fruit", "█": "a wall",
}  # fmt: skip


def glyphs(frame: Mapping[str, Any], match_info: Mapping[str, Any]) -> tuple[int, int, list[Glyph]]:
    """Return width, height, and glyphs, the most important last: x, y, letter, colour.

    Walls have positions of their own: square (row, column) is at (2 * column + 1, 2 * row + 1). A Pac-Man is the
    capital letter of its seat, a dead one the small letter.
    """
    side = match_info["side"]
    found = _walls(side, [int(digit, 16) for digit in match_info["walls"]])
    for square, item in enumerate(frame["item"].tolist()):
        if item in ITEMS:
            row, col = divmod(square, side)
            found.append((2 * col + 1, 2 * row + 1, *ITEMS[item]))
    ghosts = (frame[name].tolist() for name in ("ghost_kind", "ghost_row", "ghost_col"))
    for kind, row, col in zip(*ghosts, strict=True):
        found.append((2 * col + 1, 2 * row + 1, NPC, COLOURS[kind]))
    pieces = zip(*(frame[name].tolist() for name in ("status", "row", "col")), strict=True)
    for seat, (status, row, col) in sorted(enumerate(pieces), key=lambda piece: piece[1][0]):
        if status != GONE:
            letter = chr(65 + seat % 26)
            found.append((2 * col + 1, 2 * row + 1, letter.lower() if status == GHOST else letter, seat))
    return 2 * side + 1, 2 * side + 1, found


def places(x: int, y: int) -> list[tuple[int, int]]:
    """Return the positions of a square and of the walls around it."""
    return [(2 * x + 1 + dx, 2 * y + 1 + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]


def _walls(side: int, walls: list[int]) -> list[Glyph]:
    """Return a block for each piece of wall: between squares, and where walls meet."""
    places = set()
    for row in range(side + 1):
        for col in range(side + 1):
            digit = walls[row % side * side + col % side]
            if digit >> NORTH & 1 and col < side:
                places |= {(2 * col, 2 * row), (2 * col + 1, 2 * row), (2 * col + 2, 2 * row)}
            if digit >> WEST & 1 and row < side:
                places |= {(2 * col, 2 * row), (2 * col, 2 * row + 1), (2 * col, 2 * row + 2)}
    return [(x, y, "█", "ground") for x, y in sorted(places)]
