"""The torus and windows on it: what more than one game needs of a square grid."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.kernel import kernel


@kernel
def wrap_halo(board: Array, halo: int) -> None:
    """Repeat the opposite edges of one torus board in the `halo` squares around it.

    `board` has shape (side + 2 * halo, side + 2 * halo); square (x, y) lies at [y + halo, x + halo].
    """
    side = board.shape[0] - 2 * halo
    for y in range(halo, halo + side):
        for k in range(halo):
            board[y, k] = board[y, side + k]
            board[y, halo + side + k] = board[y, halo + k]
    for k in range(halo):
        board[k] = board[side + k]
        board[halo + side + k] = board[halo + k]


@kernel
def copy_window(board: Array, x: int, y: int, windows: Array, i: int) -> None:
    """Copy the squares around (x, y) of a board with a halo into `windows[i]`, a square array.

    The halo is as wide as a window reaches, so the window's first square lies at [y, x].
    """
    size = windows.shape[1]
    w = windows
    n = np.uint32(i)
    # Unsigned indices spare the test for negative ones. Seventeen loads before seventeen stores are what
    # the compiler turns into wide moves: several times the speed of any loop or slice over a row.
    left = np.uint32(x)
    top = np.uint32(y)
    if size == 17:
        for r in range(17):
            row = np.uint32(r)
            line = top + row
            (
                w[n, row, 0], w[n, row, 1], w[n, row, 2], w[n, row, 3], w[n, row, 4], w[n, row, 5],
                w[n, row, 6], w[n, row, 7], w[n, row, 8], w[n, row, 9], w[n, row, 10], w[n, row, 11],
                w[n, row, 12], w[n, row, 13], w[n, row, 14], w[n, row, 15], w[n, row, 16],
            ) = (
                board[line, left], board[line, left + np.uint32(1)], board[line, left + np.uint32(2)],
                board[line, left + np.uint32(3)], board[line, left + np.uint32(4)], board[line, left + np.uint32(5)],
                board[line, left + np.uint32(6)], board[line, left + np.uint32(7)], board[line, left + np.uint32(8)],
                board[line, left + np.uint32(9)], board[line, left + np.uint32(10)],
                board[line, left + np.uint32(11)], board[line, left + np.uint32(12)],
                board[line, left + np.uint32(13)], board[line, left + np.uint32(14)],
                board[line, left + np.uint32(15)], board[line, left + np.uint32(16)],
            )  # fmt: skip
    else:
        for r in range(size):
            row = np.uint32(r)
            for c in range(size):
                column = np.uint32(c)
                w[n, row, column] = board[top + row, left + column]
