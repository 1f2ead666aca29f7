"""Planes and masks of learning, written from the board for all players in one pass."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.zombies.state import BODY, PLAYER, SHOOT, ZOMBIE
from koth.kernel import copy_values, kernel, low_bytes, mark_equal, mark_values

OWN, FOES, ZOMBIES, BODIES = range(4)
PLANES = ("players of its own bot", "players of others", "zombies", "bodies")
WIDE = 64
"""The number of squares that one vector operation examines."""
CHUNK = 32
"""The number of squares of a row that one operation copies; sources and targets need as many values to spare."""
BLOCK = 16
"""The number of windows that are processed together: data written some time ago is read faster."""


@kernel
def write(
    boards: Array, board: Array, left: Array, top: Array,
    seat: Array, legal: Array, rows: Array,
    side: int, reach: int, radius: int,
    low: Array, seen: Array, near: Array,
    picture: Array, mask: Array,
) -> None:  # fmt: skip
    """Write each row's view of the squares around it, and its possible actions.

    `legal` has SHOOT + 1 flags for each row. Picture and mask are flat, and left out if they are empty. `low`, `seen`
    and `near` are scratch: the kinds of actors on a board, the views of a block of rows, and what is within their
    reach.
    """
    for first in range(0, rows.size, BLOCK):
        several = range(min(BLOCK, rows.size - first))
        for i in several:
            row = first + i
            if row == 0 or board[row] != board[row - 1]:
                take_low(boards, board[row], low)
            corner = top[row] * boards.shape[2] + left[row]
            if picture.size:
                take_part(low, boards.shape[2], corner, side, 2 * radius + 1, seen, i)
            if mask.size:
                take_part(low, boards.shape[2], corner, side, 2 * reach + 1, near, i)
        write_pictures(seen, several, first, seat, rows, (2 * radius + 1) ** 2, picture)
        write_masks(near, several, first, legal, rows, (2 * reach + 1) ** 2, mask)


@kernel(inline=True)
def take_low(boards: Array, m: int, low: Array) -> None:
    """Write the low bytes of the identities on the m-th board."""
    count = boards.shape[1] * boards.shape[2]
    first = m * count
    for n in range(0, count - WIDE + 1, WIDE):
        low_bytes(boards, first + n, low, n, WIDE)
    if count >= WIDE:
        low_bytes(boards, first + count - WIDE, low, count - WIDE, WIDE)
    else:
        for n in range(count):
            low_bytes(boards, first + n, low, n, 1)


@kernel(inline=True)
def take_part(low: Array, width: int, corner: int, side: int, size: int, part: Array, i: int) -> None:
    """Write the middle of a window that begins at `corner`, row by row, as the i-th part."""
    first = corner + (side - size) // 2 * (width + 1)
    place = i * size * size
    if size <= CHUNK:
        for row in range(size):
            copy_values(low, first + row * width, part, place + row * size, CHUNK)
    else:
        for row in range(size):
            for chunk in range(0, size, CHUNK):
                copy_values(low, first + row * width + chunk, part, place + row * size + chunk, CHUNK)


@kernel(inline=True)
def write_pictures(
    seen: Array, several: range, first: int, seat: Array, rows: Array, size: int, picture: Array
) -> None:
    """Write the planes of several rows, of `size` squares each."""
    for i in several if picture.size else range(0):
        place = rows[first + i] * size * len(PLANES)
        write_planes(seen, i * size, size, PLAYER + seat[first + i], picture, place)


@kernel(inline=True)
def write_planes(seen: Array, start: int, size: int, own: int, out: Array, place: int) -> None:
    """Write a plane for each kind of identity."""
    mark_one(seen, start, size, own, out, place + OWN * size)
    mark_some(seen, start, size, PLAYER, own, out, place + FOES * size)
    mark_one(seen, start, size, ZOMBIE, out, place + ZOMBIES * size)
    mark_one(seen, start, size, BODY, out, place + BODIES * size)


# The last move goes over some squares twice, where their number is not a multiple of `WIDE`.


@kernel(inline=True)
def mark_one(seen: Array, start: int, size: int, who: int, out: Array, place: int) -> None:
    """Write 1 for each identity with this low byte."""
    for n in range(0, size - WIDE + 1, WIDE):
        mark_equal(seen, start + n, out, place + n, who, WIDE)
    if size >= WIDE:
        mark_equal(seen, start + size - WIDE, out, place + size - WIDE, who, WIDE)
    else:
        for n in range(size):
            mark_equal(seen, start + n, out, place + n, who, 1)


@kernel(inline=True)
def mark_some(seen: Array, start: int, size: int, least: int, but: int, out: Array, place: int) -> None:
    """Write 1 for each low byte that is `least` or more, and not `but`."""
    for n in range(0, size - WIDE + 1, WIDE):
        mark_values(seen, start + n, out, place + n, least, but, WIDE)
    if size >= WIDE:
        mark_values(seen, start + size - WIDE, out, place + size - WIDE, least, but, WIDE)
    else:
        for n in range(size):
            mark_values(seen, start + n, out, place + n, least, but, 1)


@kernel(inline=True)
def write_masks(near: Array, several: range, first: int, legal: Array, rows: Array, size: int, mask: Array) -> None:
    """Write the mask of several rows, with `size` squares within reach."""
    for i in several if mask.size else range(0):
        place = rows[first + i] * (SHOOT + size)
        write_mask(near, i * size, size, legal, (first + i) * (SHOOT + 1), mask, place)


@kernel(inline=True)
def write_mask(near: Array, start: int, size: int, legal: Array, at: int, out: Array, place: int) -> None:
    """Write which actions are possible: legal moves and, if a shot is legal, shots at taken squares."""
    first = np.uint64(place)
    for k in range(SHOOT):
        out[first + np.uint64(k)] = legal[np.uint64(at + k)]
    if legal[np.uint64(at + SHOOT)]:
        mark_some(near, start, size, ZOMBIE, 0, out, place + SHOOT)
    else:
        for k in range(SHOOT, SHOOT + size):
            out[first + np.uint64(k)] = False


@kernel
def take_actions(
    choice: Array,
    boards: Array,
    board: Array,
    left: Array,
    top: Array,
    side: int,
    reach: int,
    action: Array,
    target: Array,
) -> None:
    """Write a choice as a move, or as a shot at the identity on the chosen square."""
    size = 2 * reach + 1
    corner = side // 2 - reach
    for i in range(choice.size):
        shot = choice[i] - SHOOT
        action[i], target[i] = min(choice[i], SHOOT), 0
        if shot >= 0:
            y, x = top[i] + corner + shot // size, left[i] + corner + shot % size
            target[i] = boards[board[i], y, x]


@kernel
def read_actions(
    action: Array,
    target: Array,
    boards: Array,
    board: Array,
    left: Array,
    top: Array,
    side: int,
    reach: int,
    choice: Array,
) -> None:
    """Write the choice that stands for a move, or for a shot at this identity: -1 if it is not in range."""
    size = 2 * reach + 1
    corner = side // 2 - reach
    for i in range(choice.size):
        choice[i] = action[i] if action[i] < SHOOT else -1
        for k in range(size * size if action[i] == SHOOT else 0):
            y, x = top[i] + corner + k // size, left[i] + corner + k % size
            if target[i] != 0 and boards[board[i], y, x] == target[i]:
                choice[i] = SHOOT + k
