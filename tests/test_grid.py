"""Boards with a halo, and windows on them."""

from __future__ import annotations

import numpy as np
import pytest

from koth.grid import copy_window, wrap_halo


def torus(side: int, halo: int, dtype: type) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    """Different numbers on every square, without and with a halo yet to be wrapped."""
    squares = np.arange(1, side * side + 1, dtype=dtype).reshape(side, side)
    board = np.full((side + 2 * halo, side + 2 * halo), 255, dtype=dtype)
    board[halo : halo + side, halo : halo + side] = squares
    return squares, board


@pytest.mark.parametrize(("side", "halo"), [(1, 1), (3, 1), (5, 2), (7, 3), (17, 8), (20, 8), (4, 4), (6, 0)])
def test_the_halo_repeats_the_opposite_edges(side: int, halo: int) -> None:
    squares, board = torus(side, halo, np.uint32)
    wrap_halo(board, halo)
    assert (board == np.pad(squares, halo, mode="wrap")).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.int16])
@pytest.mark.parametrize(("side", "halo"), [(5, 1), (7, 3), (19, 8), (17, 8), (12, 4)])
def test_a_window_is_what_lies_around(side: int, halo: int, dtype: type) -> None:
    """For windows of 17 squares, which are copied their own way, and for all others."""
    squares, board = torus(side, halo, dtype)
    wrap_halo(board, halo)
    size = 2 * halo + 1
    for x in range(side):
        for y in range(side):
            windows = np.zeros((2, size, size), dtype)
            copy_window(board, x, y, windows, 1)
            around = np.arange(-halo, halo + 1)
            assert not windows[0].any()
            assert (windows[1] == squares[np.ix_((y + around) % side, (x + around) % side)]).all()
