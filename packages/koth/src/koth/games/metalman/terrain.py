"""Maps and the directions on them: text files, the shipped ones, and fair random ones by seed."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np

from koth.errors import SettingsError, choices
from koth.game import Array
from koth.grid import inside
from koth.kernel import kernel
from koth.rng import draw

TERRAIN = ("wall", "floor", "highground")
WALL, FLOOR, HIGHGROUND = range(3)
LETTERS = "WFO"
"""The letter of each terrain in map files."""
RANDOM = "random"
SMALLEST, LARGEST = 3, 127
"""The smallest and the largest number of rows, and of columns, of a map."""
MOST_TEXT = 100_000
"""The number of characters of a map file that are read: more than any map has."""

UP, RIGHT, DOWN, LEFT = range(4)
"""Directions, clockwise: indices into `DROW` and `DCOL` of `koth.grid`."""
NONE = 4
"""The code for no step, or for keeping the direction, in an answer."""

# Phases of the random numbers' addresses.
WALLS, HILLS = 0, 1


def corners(rows: int, columns: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the start squares (row, column) of spotter and assassin, clockwise from the top left (rule 2)."""
    bottom, right = rows - 1, columns - 1
    return [
        ((0, 0), (0, 1)),
        ((0, right), (1, right)),
        ((bottom, right), (bottom, right - 1)),
        ((bottom, 0), (bottom - 1, 0)),
    ]


def read(text: str) -> Array:
    """Return uint8[rows, columns], the terrain of a map's text (rule 1). Raises SettingsError with the line."""
    lines = [line.strip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        for place, letter in enumerate(line, 1):
            if letter not in LETTERS:
                raise SettingsError(
                    f"line {number}, column {place}: {letter!r} is not a terrain (W wall, F floor, O highground)"
                )
        if len(line) != len(lines[0]):
            raise SettingsError(f"line {number}: {len(line)} squares, but line 1 has {len(lines[0])}")
        if not SMALLEST <= len(line) <= LARGEST:
            raise SettingsError(f"line {number}: {len(line)} squares, must be {SMALLEST} to {LARGEST}")
    if not SMALLEST <= len(lines) <= LARGEST:
        raise SettingsError(f"line {len(lines)}: the map has {len(lines)} rows, must be {SMALLEST} to {LARGEST}")
    squares = np.array([[LETTERS.index(letter) for letter in line] for line in lines], dtype=np.uint8)
    for corner in corners(*squares.shape):
        for piece, (row, column) in zip(("a spotter", "an assassin"), corner, strict=True):
            if squares[row, column] == WALL:
                raise SettingsError(f"line {row + 1}, column {column + 1}: a wall where {piece} starts")
    return squares


def write(squares: Array) -> str:
    """Return the text of a map, as `read` reads it."""
    return "\n".join("".join(LETTERS[square] for square in row) for row in squares)


def names() -> list[str]:
    """Return the shipped maps by name."""
    folder = resources.files("koth.games.metalman") / "maps"
    return sorted(entry.name.removesuffix(".txt") for entry in folder.iterdir() if entry.name.endswith(".txt"))


def is_file_name(map: str) -> bool:
    """Return whether a map is given by a file's name: it is neither rows, nor a shipped map, nor `random`."""
    return "\n" not in map and map != RANDOM and map not in names()


def resolve(map: str) -> str:
    """Return the value that settings hold for a map: a shipped map's name, `random`, or a file's rows.

    With the rows in place of the file's name a replay can be played again without the file. Raises
    SettingsError for an unknown name and for a map that can't be played.
    """
    if not is_file_name(map):
        return write(read(map)) if "\n" in map else map
    try:
        path = Path(map)
        if not path.is_file() and path.exists():
            raise ValueError  # a folder, a device, a pipe
        with path.open(encoding="utf-8") as file:
            text = file.read(MOST_TEXT)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        known = choices(map, [RANDOM, *names()])
        raise SettingsError(
            f"map {map!r} is not the name of a map, and can't be read as a file: {reason}{known}"
        ) from error
    try:
        return write(read(text))
    except SettingsError as error:
        raise SettingsError(f"map {map}: {error}") from error


def load(map: str) -> Array:
    """Return the terrain of a resolved map other than `random`."""
    if "\n" in map:
        return read(map)
    return read((resources.files("koth.games.metalman") / "maps" / f"{map}.txt").read_text(encoding="utf-8"))


@kernel
def put_in_quarters(squares: Array, row: int, column: int, terrain: int) -> None:
    """Set a square and its images under quarter turns, except squares near a start corner."""
    side = squares.shape[0]
    for _ in range(4):
        if min(row, side - 1 - row) + min(column, side - 1 - column) > 2:
            squares[row, column] = terrain
        row, column = column, side - 1 - row


@kernel
def build_walls(squares: Array, seed: int, attempt: int, bars: int) -> None:
    """Build straight and diagonal bars of walls in one quarter, and their quarter turns in the others."""
    side = squares.shape[0]
    half = (side + 1) // 2
    for bar in range(bars):
        address = (attempt * 4096 + bar) * 8
        row = draw(seed, 0, WALLS, address, half)
        column = draw(seed, 0, WALLS, address + 1, half)
        length = 2 + draw(seed, 0, WALLS, address + 2, max(2, side // 5))
        lean = draw(seed, 0, WALLS, address + 3, 4)
        for k in range(length):
            # Lean 0: down, 1: right, 2 and 3: the two diagonals.
            r = row if lean == 1 else row + k
            c = column if lean == 0 else column - k if lean == 3 else column + k
            if inside(r, c, side, side):
                put_in_quarters(squares, r, c, WALL)


@kernel(allocates=True)
def fill_pockets(squares: Array) -> int:
    """Turn squares from which the centre can't be reached into walls; return how many start squares became walls."""
    side = squares.shape[0]
    width = side + 2
    unreached = np.zeros(width * width, np.uint8)  # 1: no wall, not reached yet. A border of 0 surrounds the map
    for row in range(side):
        for column in range(side):
            unreached[(row + 1) * width + column + 1] = squares[row, column] != WALL
    reach(unreached, width, (side // 2 + 1) * (width + 1))
    for row in range(side):
        for column in range(side):
            pocket = unreached[(row + 1) * width + column + 1] != 0
            squares[row, column] = WALL if pocket else squares[row, column]
    blocked = 0
    last = side - 1
    for k in range(2):
        blocked += squares[0, k] == WALL
        blocked += squares[k, last] == WALL
        blocked += squares[last, last - k] == WALL
        blocked += squares[last - k, 0] == WALL
    return blocked


@kernel(allocates=True)
def reach(unreached: Array, width: int, start: int) -> None:
    """Set `unreached` to 0 on every square that can be reached from `start` (flood fill)."""
    waiting = np.empty(unreached.size + 4, np.int32)
    waiting[0] = start
    unreached[start] = 0
    count = 1
    while count > 0:
        count -= 1
        at = waiting[count]
        for step in (-width, 1, width, -1):
            # No branch, as it would be mispredicted: write each square, count it only if it was unreached.
            waiting[count] = at + step
            count += unreached[at + step]
            unreached[at + step] = 0


@kernel
def random_map(squares: Array, seed: int) -> None:
    """Rule 1. Fill a square map that looks the same from all four corners, each connected to the centre.

    The centre and a few other squares are highground. An attempt that walls a corner off is followed by an attempt
    with fewer walls; without any walls it succeeds, so there is always a map.
    """
    side = squares.shape[0]
    bars = max(1, side * side // 40)
    for attempt in range(bars + 1):
        squares[:, :] = FLOOR
        build_walls(squares, seed, attempt, bars - attempt)
        middle = side // 2
        for row in range(side - 1 - middle, middle + 1):
            for column in range(side - 1 - middle, middle + 1):
                squares[row, column] = HIGHGROUND
        if fill_pockets(squares) == 0:
            break
    for hill in range(side // 10):
        row = draw(seed, 0, HILLS, 2 * hill, side)
        column = draw(seed, 0, HILLS, 2 * hill + 1, side)
        if squares[row, column] != WALL:
            put_in_quarters(squares, row, column, HIGHGROUND)
