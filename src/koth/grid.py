"""The torus and windows on it: what more than one game needs of a square grid."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.kernel import kernel, phase

CHUNK = 16
"""Values that `copy_chunk` copies at once: what it reads and writes has as many to spare."""


def window(x: int, y: int, reach: int, side: int) -> set[tuple[int, int]]:
    """The squares of a torus at most `reach` away from (x, y), for pictures."""
    near = range(-min(reach, side // 2), min(reach, side // 2) + 1)
    return {((x + dx) % side, (y + dy) % side) for dx in near for dy in near}


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
        for x in range(board.shape[1]):
            board[k, x] = board[side + k, x]
            board[halo + side + k, x] = board[halo + k, x]


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


@phase
def copy_chunk(source: Array, start: int, target: Array, place: int) -> None:
    """Copy `CHUNK` values, from `start` on to `place` on: rows are copied in chunks, and the last runs over the end.

    A chunk of constant size, all loads before all stores, is one wide move; unsigned indices spare the test for
    negative ones. That is several times the speed of any loop or slice over a row.
    """
    a = np.uint64(start)
    b = np.uint64(place)
    (
        v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15,
    ) = (
        source[a], source[a + np.uint64(1)], source[a + np.uint64(2)], source[a + np.uint64(3)],
        source[a + np.uint64(4)], source[a + np.uint64(5)], source[a + np.uint64(6)], source[a + np.uint64(7)],
        source[a + np.uint64(8)], source[a + np.uint64(9)], source[a + np.uint64(10)], source[a + np.uint64(11)],
        source[a + np.uint64(12)], source[a + np.uint64(13)], source[a + np.uint64(14)], source[a + np.uint64(15)],
    )  # fmt: skip
    target[b] = v0
    target[b + np.uint64(1)] = v1
    target[b + np.uint64(2)] = v2
    target[b + np.uint64(3)] = v3
    target[b + np.uint64(4)] = v4
    target[b + np.uint64(5)] = v5
    target[b + np.uint64(6)] = v6
    target[b + np.uint64(7)] = v7
    target[b + np.uint64(8)] = v8
    target[b + np.uint64(9)] = v9
    target[b + np.uint64(10)] = v10
    target[b + np.uint64(11)] = v11
    target[b + np.uint64(12)] = v12
    target[b + np.uint64(13)] = v13
    target[b + np.uint64(14)] = v14
    target[b + np.uint64(15)] = v15


@kernel
def wrap(k: int, side: int) -> int:
    """A row or column at most one side away from a torus board, on it."""
    if k < 0:
        return k + side
    return k - side if k >= side else k


@kernel
def apart(a: int, b: int, side: int) -> int:
    """Squares between two rows or two columns of a torus board, the shorter way round."""
    d = abs(a - b)
    return d if 2 * d < side else side - d
