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
def copy_window(board: Array, x: int, y: int, window: Array) -> None:
    """Copy the squares around (x, y) of a board with a halo into the square array `window`.

    The halo is as wide as the window reaches, so the window's first square lies at [y, x].
    """
    size = window.shape[0]
    # Unsigned indices spare the test for negative ones. Seventeen loads before seventeen stores are what
    # the compiler turns into wide moves: several times the speed of any loop or slice over a row.
    left = np.uint32(x)
    top = np.uint32(y)
    if size == 17:
        for r in range(17):
            row = np.uint32(r)
            b = board[top + row]
            w = window[row]
            (
                w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8],
                w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16],
            ) = (
                b[left], b[left + np.uint32(1)], b[left + np.uint32(2)], b[left + np.uint32(3)],
                b[left + np.uint32(4)], b[left + np.uint32(5)], b[left + np.uint32(6)], b[left + np.uint32(7)],
                b[left + np.uint32(8)], b[left + np.uint32(9)], b[left + np.uint32(10)],
                b[left + np.uint32(11)], b[left + np.uint32(12)], b[left + np.uint32(13)],
                b[left + np.uint32(14)], b[left + np.uint32(15)], b[left + np.uint32(16)],
            )  # fmt: skip
    else:
        for r in range(size):
            row = np.uint32(r)
            for c in range(size):
                column = np.uint32(c)
                window[row, column] = board[top + row, left + column]
