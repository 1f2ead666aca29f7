"""Pac-Man in letters, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.games.pacman.notation import KINDS
from koth.games.pacman.state import FRUIT, GHOST, GONE, NORTH, PELLET, POWER, WEST

Glyph = tuple[int, int, str, int | str]

ITEMS: Mapping[int, tuple[str, str]] = {PELLET: ("·", "dim"), POWER: ("o", "white"), FRUIT: ("%", "green")}
COLOURS = ("red", "white", "blue", "yellow")
"""Of Blinky, Pinky, Inky and Clyde."""


def glyphs(frame: Mapping[str, Any], facts: Mapping[str, Any]) -> tuple[int, int, list[Glyph]]:
    """Width, height, and glyphs, those that matter most last: x, y, letter, colour.

    Walls have places of their own: square (row, column) lies at (2 * column + 1, 2 * row + 1). A Pac-Man is
    the capital letter of its seat, a dead one the small one; an NPC ghost has its kind's letter.
    """
    side = facts["side"]
    found = _walls(side, [int(digit, 16) for digit in facts["walls"]])
    for square, item in enumerate(frame["item"].tolist()):
        if item in ITEMS:
            row, col = divmod(square, side)
            found.append((2 * col + 1, 2 * row + 1, *ITEMS[item]))
    ghosts = (frame[name].tolist() for name in ("ghost_kind", "ghost_row", "ghost_col"))
    for kind, row, col in zip(*ghosts, strict=True):
        found.append((2 * col + 1, 2 * row + 1, KINDS[kind], COLOURS[kind]))
    pieces = zip(*(frame[name].tolist() for name in ("status", "row", "col")), strict=True)
    for seat, (status, row, col) in sorted(enumerate(pieces), key=lambda piece: piece[1][0]):
        if status != GONE:
            letter = chr(65 + seat % 26)
            found.append((2 * col + 1, 2 * row + 1, letter.lower() if status == GHOST else letter, seat))
    return 2 * side + 1, 2 * side + 1, found


def _walls(side: int, walls: list[int]) -> list[Glyph]:
    """A block for each piece of wall: between squares, and where pieces meet."""
    places = set()
    for row in range(side + 1):
        for col in range(side + 1):
            digit = walls[row % side * side + col % side]
            if digit >> NORTH & 1 and col < side:
                places |= {(2 * col, 2 * row), (2 * col + 1, 2 * row), (2 * col + 2, 2 * row)}
            if digit >> WEST & 1 and row < side:
                places |= {(2 * col, 2 * row), (2 * col, 2 * row + 1), (2 * col, 2 * row + 2)}
    return [(x, y, "█", "ground") for x, y in sorted(places)]


def sees(
    frame: Mapping[str, Any], seat: int, facts: Mapping[str, Any], settings: Mapping[str, Any]
) -> set[tuple[int, int]]:
    """The places of the squares that a bot sees, with the walls around them (rules 31 to 33)."""
    side, walls = facts["side"], [int(digit, 16) for digit in facts["walls"]]
    status, row, col = (int(frame[name][seat]) for name in ("status", "row", "col"))
    if status == GONE:
        squares: set[tuple[int, int]] = set()
    elif status == GHOST:
        near = range(-min(settings["ghost_sight"], side // 2), min(settings["ghost_sight"], side // 2) + 1)
        squares = {((row + dy) % side, (col + dx) % side) for dy in near for dx in near}
    else:
        squares = _as_pacman(side, walls, (row, col), int(frame["facing"][seat]))
    return {(2 * c + 1 + dx, 2 * r + 1 + dy) for r, c in squares for dx in (-1, 0, 1) for dy in (-1, 0, 1)}


def _as_pacman(side: int, walls: list[int], here: tuple[int, int], facing: int) -> set[tuple[int, int]]:
    """Along the rays to the left, ahead and to the right (all four when still), and round the corners ahead."""

    def is_open(square: tuple[int, int], way: int) -> bool:
        return not walls[square[0] * side + square[1]] >> way & 1

    def beside(square: tuple[int, int], way: int) -> tuple[int, int]:
        return (square[0] + (-1, 0, 1, 0)[way]) % side, (square[1] + (0, 1, 0, -1)[way]) % side

    found = {here}
    for way in range(4) if facing > WEST else [(facing + 3) % 4, facing, (facing + 1) % 4]:
        at = here
        while is_open(at, way) and beside(at, way) != here:
            at = beside(at, way)
            found.add(at)
    for way in range(4) if facing > WEST else [(facing + 3) % 4, facing]:
        other = (way + 1) % 4
        if any(is_open(here, a) and is_open(beside(here, a), b) for a, b in ((way, other), (other, way))):
            found.add(beside(beside(here, way), other))
    return found
