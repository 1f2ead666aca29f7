"""Steps, edges, the torus and windows: functions on square grids that several games share."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.kernel import copy_values, kernel

DROW = np.array([-1, 0, 1, 0, 0], dtype=np.int32)
DCOL = np.array([0, 1, 0, -1, 0], dtype=np.int32)
"""Steps in rows and columns: up, right, down, left (clockwise), and no step as the fifth."""

CHUNK = 16
"""The number of values copied at once in windows of any size: both arrays need as many spare values at the end."""


@kernel
def wrap_halo(board: Array, halo: int) -> None:
    """Copy the opposite edges of a torus board to the `halo` squares around it.

    `board` has shape (side + 2 * halo, side + 2 * halo); square (x, y) is at [y + halo, x + halo].
    """
    width = board.shape[1]
    side = width - 2 * halo
    for y in range(halo, halo + side):
        copy_values(board, y * width + side, board, y * width, halo)
        copy_values(board, y * width + halo, board, y * width + halo + side, halo)
    copy_values(board, side * width, board, 0, halo * width)
    copy_values(board, halo * width, board, (halo + side) * width, halo * width)


@kernel(inline=True)
def copy_window(board: Array, x: int, y: int, size: int, windows: Array, place: int) -> None:
    """Copy a board's `size` x `size` squares from board[y, x] on to `windows` from `place` on.

    `place` counts through the flat array `windows`. On a board with a halo as wide as a window's reach, the window
    around (x, y) begins at [y, x].
    """
    width = board.shape[1]
    first = y * width + x
    if size == 17:  # constant sizes compile to the widest moves
        for row in range(17):
            copy_values(board, first + row * width, windows, place + row * 17, 17)
    elif size == 11:
        for row in range(11):
            copy_values(board, first + row * width, windows, place + row * 11, 11)
    else:
        for row in range(size):
            copy_values(board, first + row * width, windows, place + row * size, size)


@kernel(inline=True)
def copy_in_chunks(board: Array, x: int, y: int, size: int, windows: Array, place: int) -> None:
    """Copy a window of any size like `copy_window`, in chunks; the last chunk of a row exceeds the window.

    The next row overwrites the excess; a board and `windows` need `CHUNK` spare values at their ends.
    """
    width = board.shape[1]
    for row in range(size):
        for chunk in range(0, size, CHUNK):
            copy_values(board, (y + row) * width + x + chunk, windows, place + row * size + chunk, CHUNK)


@kernel(inline=True)
def inside(row: int, column: int, rows: int, columns: int) -> bool:
    """Return whether a square is on a board without wrapped edges."""
    return (row >= 0) & (row < rows) & (column >= 0) & (column < columns)


@kernel
def wrap(k: int, side: int) -> int:
    """Return a row or column, at most one side away from a torus board, wrapped onto it."""
    if k < 0:
        return k + side
    return k - side if k >= side else k


@kernel
def apart(a: int, b: int, side: int) -> int:
    """Return the distance between two rows or two columns of a torus board."""
    d = abs(a - b)
    return d if 2 * d < side else side - d
