"""The prey of a zombie: the nearest living player in sight."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.zombies.state import DX, DY, PLAYER, State
from koth.grid import wrap
from koth.kernel import kernel

TOWARDS = np.zeros((3, 3), np.int64)
"""The move for each step, by 1 + its y and 1 + its x."""
TOWARDS[DY + 1, DX + 1] = np.arange(len(DX))


@kernel(inline=True)
def note_prey(s: State, m: int) -> None:
    """List the living players by row of the board: in `prey`, the players of row y begin at `first_prey[y]`."""
    first, prey, kind, ys = s.first_prey[m], s.prey[m], s.kind[m], s.y[m]
    first[:] = 0
    for slot in range(s.players[m]):
        if kind[slot] == PLAYER:
            first[ys[slot] + 2] += 1
    for row in range(2, first.size):
        first[row] += first[row - 1]
    for slot in range(s.players[m]):
        if kind[slot] == PLAYER:
            prey[first[ys[slot] + 1]] = slot
            first[ys[slot] + 1] += 1


@kernel
def chase(first: Array, prey: Array, xs: Array, x: int, y: int, vision: int) -> int:
    """Return the move from (x, y) towards the nearest living player in sight, -1 if there is none.

    Ties between equally near players: smallest x offset, then smallest y offset.
    """
    side, size = first.size - 2, 2 * vision + 1
    best = far = size**3
    for dy in range(-vision, vision + 1):
        row = wrap(y + dy, side)
        for i in range(first[row], first[row + 1]):
            dx = wrap(xs[prey[i]] - x + vision, side) - vision
            if dx <= vision:
                best = min(best, (max(abs(dx), abs(dy)) * size + dx + vision) * size + dy + vision)
    if best == far:
        return -1
    step_x = min(1, max(-1, best // size % size - vision))
    step_y = min(1, max(-1, best % size - vision))
    return int(TOWARDS[step_y + 1, step_x + 1])
