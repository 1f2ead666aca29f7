"""Where the living stand, as bits of the board's rows: whom a zombie sees, and who is nearest."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.zombies.state import DX, DY, PLAYER, STAY, State
from koth.grid import wrap
from koth.kernel import kernel

TOWARDS = np.zeros((3, 3), np.int64)
"""The move for each step, by 1 + its y and 1 + its x."""
TOWARDS[DY + 1, DX + 1] = np.arange(len(DX))


@kernel(inline=True)
def note_prey(s: State, m: int) -> None:
    """Write a bit for every living player, for every column of the board (halo included) that shows it."""
    side = s.slot_at.shape[1]
    halo = (s.board.shape[1] - side) // 2
    prey, kind, xs, ys = s.prey[m], s.kind[m], s.x[m], s.y[m]
    prey[:] = np.uint64(0)
    for slot in range(s.players[m]):
        if kind[slot] == PLAYER:
            x, y = xs[slot], ys[slot]
            set_bit(prey, y, x + halo)
            if x < halo:
                set_bit(prey, y, x + halo + side)
            if x >= side - halo:
                set_bit(prey, y, x + halo - side)


@kernel
def set_bit(prey: Array, y: int, column: int) -> None:
    """Note one living player in one column."""
    prey[y, column >> 6] |= np.uint64(1) << np.uint64(column & 63)


@kernel(inline=True)
def look_across(prey: Array, reach: int, band: Array) -> None:
    """Write to each row of `band` who stands in the rows of `prey` up to `reach` away from it."""
    rows, seen = prey.reshape(-1), band.reshape(-1)
    words = np.uint64(rows.size)
    seen[:] = np.uint64(0)
    for dy in range(-reach, reach + 1):
        first = np.uint64(dy % prey.shape[0] * prey.shape[1])
        for n in range(words - first):
            seen[np.uint64(n)] |= rows[first + np.uint64(n)]
        for n in range(first):
            seen[words - first + np.uint64(n)] |= rows[np.uint64(n)]


@kernel
def any_prey(band: Array, y: int, first: int, count: int) -> bool:
    """Whether a row has somebody in so many columns from the first on, 64 at a time."""
    for column in range(first, first + count, 64):
        word = column >> 6
        if columns_of(band[y, word], band[y, word + 1], column, first + count - column) != 0:
            return True
    return False


@kernel
def columns_of(left: np.uint64, right: np.uint64, column: int, count: int) -> np.uint64:
    """The bits of so many columns (64 at most) from this one on, the first one lowest; `left` has its word."""
    shift = np.uint64(column & 63)
    bits = left >> shift | (right << np.uint64(1)) << (np.uint64(63) - shift)
    return bits & (~np.uint64(0) >> np.uint64(max(0, 64 - count)))


@kernel
def chase(prey: Array, x: int, y: int, vision: int) -> int:
    """The move from (x, y) towards the nearest living player, who is known to be in sight.

    Ties between equally near players: smallest x offset, then smallest y offset.
    """
    side, word = prey.shape[0], x >> 6
    left, middle, right = np.uint64(0), np.uint64(0), np.uint64(0)  # columns from `word` on of the rows so near
    for distance in range(vision + 1):
        above, below = wrap(y - distance, side), wrap(y + distance, side)
        left |= prey[above, word] | prey[below, word]
        middle |= prey[above, word + 1] | prey[below, word + 1]
        right |= prey[above, word + 2] | prey[below, word + 2]
        first = x + vision - distance
        for column in range(first, first + 2 * distance + 1, 64):
            count = first + 2 * distance + 1 - column
            if column >> 6 == word:
                bits = columns_of(left, middle, column, count)
            elif column >> 6 == word + 1:
                bits = columns_of(middle, right, column, count)
            else:
                bits = columns_of(right, np.uint64(0), column, count)
            if bits != 0:
                while bits & np.uint64(1) == 0:
                    bits >>= np.uint64(1)
                    column += 1
                return move_towards(column - x - vision, first_row(prey, column, y, distance))
    return STAY


@kernel
def first_row(prey: Array, column: int, y: int, distance: int) -> int:
    """The smallest y offset, from `-distance` on, at which a column has somebody."""
    for dy in range(-distance, distance):
        if prey[wrap(y + dy, prey.shape[0]), column >> 6] >> np.uint64(column & 63) & np.uint64(1) != 0:
            return dy
    return distance


@kernel
def move_towards(dx: int, dy: int) -> int:
    """The move whose step has the signs of (dx, dy)."""
    step_x = min(1, max(-1, dx))
    step_y = min(1, max(-1, dy))
    return int(TOWARDS[step_y + 1, step_x + 1])
