"""The NPC ghosts: their phases, quarries, targets and steps; and what happens to an eaten ghost."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.pacman.crowds import ghost_comes, ghost_leaves
from koth.games.pacman.state import (
    CLYDE,
    EAST,
    GHOST,
    GONE,
    INKY,
    NORTH,
    NOWHERE,
    PACMAN,
    PINKY,
    SOUTH,
    STAY,
    WEST,
    State,
)
from koth.grid import DCOL, DROW, apart, wrap
from koth.kernel import kernel
from koth.rng import draw

# Phases of the random numbers' addresses.
QUARRY, PARTNER = 10, 11
AFTER_GHOSTS, AFTER_PACMEN = 12, 13
"""The phases of the dice for teleports after the first and the second encounters of a turn; the index is the ghost.
"""

IN_ORDER = np.array([NORTH, WEST, SOUTH, EAST], dtype=np.uint8)
"""Rule 22. The order of directions: of equally good directions the first is taken."""
CORNERS = np.array([[0, 1], [0, 0], [1, 1], [1, 0]], dtype=np.int32)
"""Rule 24. The corner of each kind of ghost while it does not chase: the first (0) or last (1) row and column."""
FAR = 1 << 40
"""A squared distance that is larger than any on the board."""


@kernel
def distance_to(row: int, col: int, to_row: int, to_col: int, side: int, reach: int) -> int:
    """Return the Manhattan distance on the torus, -1 if the squares are more than `reach` apart in an axis."""
    dr = apart(row, to_row, side)
    dc = apart(col, to_col, side)
    return dr + dc if dr <= reach and dc <= reach else -1


@kernel
def pick_best(distances: Array, sign: int, seed: int, turn: int, phase: int, g: int) -> int:
    """Return the index of the smallest (sign 1) or largest (-1) distance, ties at random, -1 if none is >= 0."""
    best = -1
    ties = 0
    for k in range(distances.size):
        d = distances[k]
        if d >= 0 and (ties == 0 or sign * d < sign * best):
            best = d
            ties = 1
        elif d >= 0 and d == best:
            ties += 1
    if ties == 0:
        return -1
    pick = draw(seed, turn, phase, g, ties) if ties > 1 else 0
    for k in range(distances.size):
        if distances[k] == best:
            if pick == 0:
                return k
            pick -= 1
    return -1


@kernel(inline=True)
def seek_quarry(s: State, m: int, g: int, reach: int, clyde_reach: int) -> int:
    """Rule 25. Return the seat of the nearest living Pac-Man in reach (Clyde: the furthest), -1 if there is none."""
    side = s.walls.shape[1]
    row = s.ghost_row[m, g]
    col = s.ghost_col[m, g]
    is_clyde = s.ghost_kind[m, g] == CLYDE
    within = clyde_reach if is_clyde else reach
    distances = s.distances[m, : s.status.shape[1]]
    for i in range(distances.size):
        distances[i] = -1
        if s.status[m, i] == PACMAN:
            distances[i] = distance_to(row, col, s.row[m, i], s.col[m, i], side, within)
    return pick_best(distances, -1 if is_clyde else 1, s.seed[m], s.turn[m], QUARRY, g)


@kernel(inline=True)
def seek_partner(s: State, m: int, g: int) -> int:
    """Rule 27, Inky. Return the other ghost nearest to this one, NPC or not, -1 if there is none."""
    side = s.walls.shape[1]
    ghosts = s.ghost_kind.shape[1]
    row = s.ghost_row[m, g]
    col = s.ghost_col[m, g]
    distances = s.distances[m]
    for k in range(ghosts):
        distances[k] = distance_to(row, col, s.ghost_row[m, k], s.ghost_col[m, k], side, side)
    distances[g] = -1
    for i in range(s.status.shape[1]):
        distances[ghosts + i] = -1
        if s.status[m, i] == GHOST:
            distances[ghosts + i] = distance_to(row, col, s.row[m, i], s.col[m, i], side, side)
    return pick_best(distances, 1, s.seed[m], s.turn[m], PARTNER, g)


@kernel(inline=True)
def change_phases(s: State, m: int, reach: int, clyde_reach: int) -> None:
    """Rules 21, 23 and 25. End finished phases and begin the next; a ghost with a new phase turns back.

    Write the way back to `step` for ghosts that turn back, NOWHERE for ghosts that must choose.
    """
    for g in range(s.ghost_kind.shape[1]):
        s.step[m, g] = NOWHERE
        if s.left[m, g] == 0:
            s.left[m, g] = s.length[m, g]
            new = True
            if s.chasing[m, g]:
                s.chasing[m, g] = False
                s.quarry[m, g] = -1
                s.partner[m, g] = -1
            else:
                s.quarry[m, g] = seek_quarry(s, m, g, reach, clyde_reach)
                new = s.quarry[m, g] >= 0
                s.chasing[m, g] = new
                if new and s.ghost_kind[m, g] == INKY:
                    s.partner[m, g] = seek_partner(s, m, g)
            if new:
                s.step[m, g] = s.ghost_back[m, g]
        s.left[m, g] -= 1


@kernel
def gap(a: int, b: int, side: int, flat: bool) -> int:
    """Return the square of the distance between two rows or columns, on the flat map or on the torus."""
    d = abs(a - b)
    if not flat:
        d = min(d, side - d)
    return d * d


@kernel(inline=True)
def choose_step(ways: int, row: int, col: int, to_row: int, to_col: int, side: int, flat: bool) -> int:
    """Rule 22. Return the direction among `ways` (a sum of `1 << direction`) that leads nearest to the target."""
    best, least = NORTH, FAR
    for k in range(len(IN_ORDER)):
        way = int(IN_ORDER[k])
        if ways >> way & 1:
            rows = gap(wrap(row + DROW[way], side), to_row, side, flat)
            away = rows + gap(wrap(col + DCOL[way], side), to_col, side, flat)
            if away < least:
                best, least = way, away
    return best


@kernel(inline=True)
def chase_target(s: State, m: int, g: int, pinky_ahead: int, inky_ahead: int) -> tuple[int, int]:
    """Rule 27. Return row and column of the target in a chase."""
    side = s.walls.shape[1]
    ghosts = s.ghost_kind.shape[1]
    i = s.quarry[m, g]
    row = int(s.row[m, i])
    col = int(s.col[m, i])
    kind = s.ghost_kind[m, g]
    facing = s.facing[m, i]
    partner = s.partner[m, g]
    if kind == PINKY:
        row = (row + pinky_ahead * DROW[facing]) % side
        col = (col + pinky_ahead * DCOL[facing]) % side
    elif kind == INKY and partner >= 0 and (partner < ghosts or s.status[m, partner - ghosts] != GONE):
        if partner < ghosts:
            from_row = s.ghost_row[m, partner]
            from_col = s.ghost_col[m, partner]
        else:
            from_row = s.row[m, partner - ghosts]
            from_col = s.col[m, partner - ghosts]
        row = (2 * (row + inky_ahead * DROW[facing]) - from_row) % side
        col = (2 * (col + inky_ahead * DCOL[facing]) - from_col) % side
    return row, col


@kernel(inline=True)
def ghosts_choose(s: State, m: int, pinky_ahead: int, inky_ahead: int) -> None:
    """Rules 7 and 22 to 27. Choose the step of every NPC ghost, from the board at the end of the last turn."""
    side = s.walls.shape[1]
    for g in range(s.ghost_kind.shape[1]):
        if s.ghost_waits[m, g]:
            s.ghost_waits[m, g] = False
            s.step[m, g] = STAY
        elif s.step[m, g] == NOWHERE:
            row = s.ghost_row[m, g]
            col = s.ghost_col[m, g]
            back = s.ghost_back[m, g]
            ways = ~s.walls[m, row, col] & 15 & ~(1 << back)
            quarry = s.quarry[m, g]
            flat = not (s.chasing[m, g] and quarry >= 0 and s.status[m, quarry] == PACMAN)
            to_row = CORNERS[s.ghost_kind[m, g], 0] * (side - 1)
            to_col = CORNERS[s.ghost_kind[m, g], 1] * (side - 1)
            if not flat:
                to_row, to_col = chase_target(s, m, g, pinky_ahead, inky_ahead)
            s.step[m, g] = choose_step(ways, row, col, to_row, to_col, side, flat) if ways else back


@kernel(inline=True)
def move_ghosts(s: State, m: int) -> None:
    """Rule 7. Move the NPC ghosts at once."""
    side = s.walls.shape[1]
    for g in range(s.ghost_kind.shape[1]):
        d = s.step[m, g]
        if d == STAY:
            continue
        row = s.ghost_row[m, g]
        col = s.ghost_col[m, g]
        ghost_leaves(s, m, row, col)
        row = wrap(row + DROW[d], side)
        col = wrap(col + DCOL[d], side)
        ghost_comes(s, m, row, col)
        s.ghost_row[m, g] = row
        s.ghost_col[m, g] = col
        s.ghost_back[m, g] = (d + 2) % 4


@kernel(inline=True)
def teleport_ghost(s: State, m: int, g: int, phase: int) -> None:
    """Rule 16. Put an NPC ghost on a random square, without a previous square; it skips its next turn."""
    side = s.walls.shape[1]
    ghost_leaves(s, m, s.ghost_row[m, g], s.ghost_col[m, g])
    square = draw(s.seed[m], s.turn[m], phase, g, side * side)
    s.ghost_row[m, g] = square // side
    s.ghost_col[m, g] = square % side
    ghost_comes(s, m, s.ghost_row[m, g], s.ghost_col[m, g])
    s.ghost_back[m, g] = NOWHERE
    s.ghost_waits[m, g] = True


@kernel(inline=True)
def teleport_piece(s: State, m: int, i: int, phase: int) -> None:
    """Rule 16. Put a dead Pac-Man on a random square; it skips its next turn."""
    side = s.walls.shape[1]
    ghost_leaves(s, m, s.row[m, i], s.col[m, i])
    square = draw(s.seed[m], s.turn[m], phase, s.ghost_kind.shape[1] + i, side * side)
    s.row[m, i] = square // side
    s.col[m, i] = square % side
    ghost_comes(s, m, s.row[m, i], s.col[m, i])
    s.waits[m, i] = True
