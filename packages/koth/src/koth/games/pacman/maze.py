"""The maze: Prim's algorithm, then every dead end opened, and all items and pieces placed in it."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.pacman.crowds import count_crowds
from koth.games.pacman.state import (
    FRUIT,
    NOTHING,
    NOWHERE,
    PELLET,
    POWER,
    State,
)
from koth.grid import DCOL, DROW, wrap
from koth.kernel import kernel
from koth.rng import draw

# Phases of the random numbers' addresses, all of turn 0.
FIRST, CARVE, SHUFFLE, BRAID, PLACE, KIND, LENGTH = 0, 1, 2, 3, 4, 5, 6


@kernel
def open_wall(walls: Array, row: int, col: int, d: int) -> None:
    """Open one square's wall on both of its sides; the maze wraps."""
    side = walls.shape[0]
    walls[row, col] &= ~(1 << d) & 15
    walls[wrap(row + DROW[d], side), wrap(col + DCOL[d], side)] &= ~(1 << ((d + 2) % 4)) & 15


@kernel(allocates=True)
def carve(walls: Array, seed: int) -> None:
    """Rule 2. Randomised Prim: make a tree of corridors through every square, with the outer walls closed."""
    side = walls.shape[0]
    squares = side * side
    walls[:] = 15
    inside = np.zeros(squares, np.bool_)
    # Walls (square * 4 + direction) that led out of the maze when their square joined it. Those that have
    # come to lie within it since are drawn in vain, so what is drawn is uniform among the others.
    edge = np.empty(4 * squares, np.int32)
    ahead = np.array([-side, 1, side, -1])  # squares of the board to the next one in each direction
    count = 0
    draws = 0
    square = draw(seed, 0, FIRST, 0, squares)
    joined = 1
    while True:
        inside[square] = True
        row = square // side
        col = square - row * side
        for d in range(4):
            r = row + DROW[d]
            c = col + DCOL[d]
            if 0 <= r < side and 0 <= c < side and not inside[square + ahead[d]]:
                edge[count] = square * 4 + d
                count += 1
        if joined == squares:
            break
        while True:
            k = draw(seed, 0, CARVE, draws, count)
            draws += 1
            wall = edge[k]
            count -= 1
            edge[k] = edge[count]
            square = (wall >> 2) + ahead[wall & 3]
            if not inside[square]:
                break
        row = (wall >> 2) // side
        open_wall(walls, row, (wall >> 2) - row * side, wall & 3)
        joined += 1


@kernel
def is_dead_end(walls: int) -> bool:
    """Return whether a square has three walls."""
    return walls == 7 or walls == 11 or walls == 13 or walls == 14


@kernel(allocates=True)
def braid(walls: Array, seed: int) -> None:
    """Rule 3. Open dead ends, in random order, towards another dead end if one is next to them."""
    side = walls.shape[0]
    ends = np.empty(side * side, np.int32)
    count = 0
    for row in range(side):
        for col in range(side):
            if is_dead_end(walls[row, col]):
                ends[count] = row * side + col
                count += 1
    for k in range(count - 1, 0, -1):
        other = draw(seed, 0, SHUFFLE, k, k + 1)
        ends[k], ends[other] = ends[other], ends[k]
    closed = np.empty(4, np.int32)
    for k in range(count):
        row = ends[k] // side
        col = ends[k] % side
        if not is_dead_end(walls[row, col]):
            continue
        n = 0
        for d in range(4):
            r = wrap(row + DROW[d], side)
            c = wrap(col + DCOL[d], side)
            if walls[row, col] & (1 << d) and is_dead_end(walls[r, c]):
                closed[n] = d
                n += 1
        if n == 0:
            for d in range(4):
                if walls[row, col] & (1 << d):
                    closed[n] = d
                    n += 1
        open_wall(walls, row, col, closed[draw(seed, 0, BRAID, k, n)])


@kernel
def make_mazes(s: State) -> None:
    """Apply rules 2 and 3 to every match."""
    for m in range(s.seed.size):
        carve(s.walls[m], s.seed[m])
        braid(s.walls[m], s.seed[m])


@kernel
def block(blocked: Array, walls: Array, square: int) -> None:
    """Mark this square and the squares connected to it: no Pac-Man may start there."""
    side = walls.shape[0]
    row = square // side
    col = square % side
    blocked[square] = True
    for d in range(4):
        if not walls[row, col] & (1 << d):
            blocked[wrap(row + DROW[d], side) * side + wrap(col + DCOL[d], side)] = True


@kernel(inline=True)
def put(s: State, m: int, k: int, power: int, things: int, square: int) -> None:
    """Put the k-th thing on this square: ghosts come first, then power pellets, fruit, and the Pac-Men."""
    row = square // s.walls.shape[1]
    col = square % s.walls.shape[1]
    ghosts = s.ghost_kind.shape[1]
    item = NOTHING
    if k < ghosts:
        s.ghost_row[m, k] = row
        s.ghost_col[m, k] = col
    elif k < things:
        item = POWER if k < ghosts + power else FRUIT
    else:
        s.row[m, k - things] = row
        s.col[m, k - things] = col
    s.item[m, row, col] = item


@kernel(inline=True)
def draw_characters(s: State, m: int, least: int, most: int) -> None:
    """Rules 5 and 21. Draw each ghost's kind, and the lengths of its phases."""
    for g in range(s.ghost_kind.shape[1]):
        s.ghost_kind[m, g] = draw(s.seed[m], 0, KIND, g, 4)
        s.ghost_back[m, g] = NOWHERE
        s.length[m, g] = least + draw(s.seed[m], 0, LENGTH, g, most - least + 1)
        s.left[m, g] = s.length[m, g]


@kernel(allocates=True)
def place_everything(s: State, power: int, fruit: int, least: int, most: int) -> int:
    """Rules 5 and 6. Put ghosts, `power` pellets and `fruit` on different squares, then the Pac-Men.

    Squares come from one shuffle, drawn as far as needed. A square where no Pac-Man may start never becomes an
    allowed one, so the next allowed square of the shuffle is uniform among the allowed ones. Returns the first match
    in which no square is left for a Pac-Man, or -1.
    """
    side = s.walls.shape[1]
    squares = side * side
    ghosts = s.ghost_kind.shape[1]
    pacmen = s.status.shape[1]
    things = ghosts + power + fruit
    for m in range(s.seed.size):
        order = np.arange(squares)
        blocked = np.zeros(squares, np.bool_)
        s.item[m] = PELLET
        placed = 0
        for k in range(squares):
            if placed == things + pacmen:
                break
            other = k + draw(s.seed[m], 0, PLACE, k, squares - k)
            order[k], order[other] = order[other], order[k]
            square = order[k]
            if placed >= things and blocked[square]:
                continue
            put(s, m, placed, power, things, square)
            block(blocked, s.walls[m], square)
            placed += 1
        if placed < things + pacmen:
            return m
        draw_characters(s, m, least, most)
    count_crowds(s)
    return -1
