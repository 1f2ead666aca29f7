"""Boards with a halo, and windows on them."""

from __future__ import annotations

import numpy as np
import pytest

from koth.grid import CHUNK, copy_in_chunks, copy_window, wrap_halo
from koth.kernel import COMPILED, copy_values, count_up


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
def test_a_window_holds_the_squares_around(side: int, halo: int, dtype: type) -> None:
    """For windows of 17 squares, which are copied their own way, and for all others."""
    squares, board = torus(side, halo, dtype)
    wrap_halo(board, halo)
    size = 2 * halo + 1
    for x in range(side):
        for y in range(side):
            windows = np.zeros((2, size, size), dtype)
            copy_window(board, x, y, size, windows, size * size)
            around = np.arange(-halo, halo + 1)
            assert not windows[0].any()
            assert (windows[1] == squares[np.ix_((y + around) % side, (x + around) % side)]).all()


@pytest.mark.parametrize("size", [1, 3, 16, 17, 33])
def test_windows_copied_in_chunks_lie_one_behind_the_other(size: int) -> None:
    board = np.arange(60 * (60 + CHUNK), dtype=np.int32).reshape(60, 60 + CHUNK)
    windows = np.full(3 * size * size + CHUNK, -1, np.int32)
    for k, (x, y) in enumerate([(0, 0), (27, 5), (7, 26)]):
        copy_in_chunks(board, x, y, size, windows, k * size * size)
    for k, (x, y) in enumerate([(0, 0), (27, 5), (7, 26)]):
        window = windows[k * size * size : (k + 1) * size * size].reshape(size, size)
        assert (window == board[y : y + size, x : x + size]).all()


@pytest.mark.skipif(COMPILED, reason="indices are checked in plain Python: run with NUMBA_DISABLE_JIT=1")
def test_uncompiled_the_places_of_wide_moves_are_checked() -> None:
    five, six = np.zeros(5, np.int32), np.zeros(6, np.int32)
    for start, place, count in ((-1, 0, 2), (4, 0, 2), (0, 5, 2), (0, -1, 2), (0, 0, -1)):
        with pytest.raises(IndexError):
            copy_values(five, start, six, place, count)
    for place, count in ((-1, 2), (5, 2)):
        with pytest.raises(IndexError):
            count_up(six, place, 1, count)
    count_up(six, 1, 7, 5)
    assert six.tolist() == [0, 7, 8, 9, 10, 11]
