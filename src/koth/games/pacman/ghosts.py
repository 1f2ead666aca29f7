"""The NPC ghosts: their phases, quarries, targets and steps; and what happens to an eaten ghost."""

from __future__ import annotations

from koth.games.pacman.state import (
    BLINKY,
    CLYDE,
    DCOL,
    DROW,
    GHOST,
    GONE,
    INKY,
    NOWHERE,
    PACMAN,
    PINKY,
    STAY,
    State,
    apart,
    wrap,
)
from koth.kernel import kernel
from koth.rng import draw

# Phases of the random numbers' addresses.
QUARRY, PARTNER = 10, 11
AFTER_GHOSTS, AFTER_PACMEN = 12, 13
"""Teleports after the first and the second encounters of a turn; the index is the ghost."""


@kernel
def distance(s: State, m: int, g: int, row: int, col: int) -> int:
    """Manhattan distance on the torus from an NPC ghost to a square."""
    side = s.walls.shape[1]
    return apart(s.ghost_row[m, g], row, side) + apart(s.ghost_col[m, g], col, side)


@kernel
def in_reach(s: State, m: int, g: int, i: int, reach: int) -> bool:
    """Whether a living Pac-Man is within `reach` squares of an NPC ghost in each axis."""
    side = s.walls.shape[1]
    return (
        s.status[m, i] == PACMAN
        and apart(s.ghost_row[m, g], s.row[m, i], side) <= reach
        and apart(s.ghost_col[m, g], s.col[m, i], side) <= reach
    )


@kernel
def seek_quarry(s: State, m: int, g: int, reach: int, clyde_reach: int) -> int:
    """Rule 25. The seat of the nearest living Pac-Man in reach (Clyde: the furthest), -1: none."""
    sign = 1
    if s.ghost_kind[m, g] == CLYDE:
        sign = -1
        reach = clyde_reach
    best = 0
    ties = 0
    for i in range(s.status.shape[1]):
        if in_reach(s, m, g, i, reach):
            d = sign * distance(s, m, g, s.row[m, i], s.col[m, i])
            if ties == 0 or d < best:
                best = d
                ties = 1
            elif d == best:
                ties += 1
    if ties == 0:
        return -1
    pick = draw(s.seed[m], s.turn[m], QUARRY, g, ties)
    for i in range(s.status.shape[1]):
        if in_reach(s, m, g, i, reach) and sign * distance(s, m, g, s.row[m, i], s.col[m, i]) == best:
            if pick == 0:
                return i
            pick -= 1
    return -1


@kernel
def distance_of_other(s: State, m: int, g: int, other: int) -> int:
    """Manhattan distance from an NPC ghost to any other ghost; -1 if that is itself or no ghost."""
    ghosts = s.ghost_kind.shape[1]
    if other < ghosts:
        return -1 if other == g else distance(s, m, g, s.ghost_row[m, other], s.ghost_col[m, other])
    i = other - ghosts
    return distance(s, m, g, s.row[m, i], s.col[m, i]) if s.status[m, i] == GHOST else -1


@kernel
def seek_partner(s: State, m: int, g: int) -> int:
    """Rule 27, Inky. The other ghost nearest to this one, NPC or not, -1: there is none."""
    everybody = s.ghost_kind.shape[1] + s.status.shape[1]
    best = 0
    ties = 0
    for other in range(everybody):
        d = distance_of_other(s, m, g, other)
        if d >= 0 and (ties == 0 or d < best):
            best = d
            ties = 1
        elif d >= 0 and d == best:
            ties += 1
    if ties == 0:
        return -1
    pick = draw(s.seed[m], s.turn[m], PARTNER, g, ties)
    for other in range(everybody):
        if distance_of_other(s, m, g, other) == best:
            if pick == 0:
                return other
            pick -= 1
    return -1


@kernel
def change_phases(s: State, reach: int, clyde_reach: int) -> None:
    """Rules 21, 23 and 25. A phase that is over gives way to the next; with a new one the ghost turns back.

    Leaves in `step` the way back for those that turn back, NOWHERE for those that are to choose.
    """
    for m in range(s.seed.size):
        if s.over[m]:
            continue
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
def choose_step(s: State, m: int, g: int, row: int, col: int, flat: bool) -> int:
    """Rules 22 and 23. The open direction, not back, whose square is nearest to (row, col); ties N, W, S, E."""
    side = s.walls.shape[1]
    walls = s.walls[m, s.ghost_row[m, g], s.ghost_col[m, g]]
    back = s.ghost_back[m, g]
    best = NOWHERE
    nearest = 0
    for k in range(4):
        d = (4 - k) % 4  # N, W, S, E
        if d == back or walls & (1 << d):
            continue
        dr = abs(wrap(s.ghost_row[m, g] + DROW[d], side) - row)
        dc = abs(wrap(s.ghost_col[m, g] + DCOL[d], side) - col)
        if not flat:
            dr = min(dr, side - dr)
            dc = min(dc, side - dc)
        if best == NOWHERE or dr * dr + dc * dc < nearest:
            best = d
            nearest = dr * dr + dc * dc
    return back if best == NOWHERE else best


@kernel
def chase_step(s: State, m: int, g: int, pinky_ahead: int, inky_ahead: int) -> int:
    """Rule 27. A step towards the target of the chase."""
    side = s.walls.shape[1]
    i = s.quarry[m, g]
    row = s.row[m, i]
    col = s.col[m, i]
    kind = s.ghost_kind[m, g]
    facing = s.facing[m, i]
    if kind == PINKY:
        row = (row + pinky_ahead * DROW[facing]) % side
        col = (col + pinky_ahead * DCOL[facing]) % side
    partner = s.partner[m, g]
    ghosts = s.ghost_kind.shape[1]
    if kind == INKY and partner >= 0 and (partner < ghosts or s.status[m, partner - ghosts] != GONE):
        if partner < ghosts:
            from_row = s.ghost_row[m, partner]
            from_col = s.ghost_col[m, partner]
        else:
            from_row = s.row[m, partner - ghosts]
            from_col = s.col[m, partner - ghosts]
        row = (2 * (row + inky_ahead * DROW[facing]) - from_row) % side
        col = (2 * (col + inky_ahead * DCOL[facing]) - from_col) % side
    return choose_step(s, m, g, row, col, False)


@kernel
def ghosts_choose(s: State, pinky_ahead: int, inky_ahead: int) -> None:
    """Rules 7 and 22 to 27. Every NPC ghost chooses its step on the board as the last turn left it."""
    last = s.walls.shape[1] - 1
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        for g in range(s.ghost_kind.shape[1]):
            if s.ghost_waits[m, g]:
                s.ghost_waits[m, g] = False
                s.step[m, g] = STAY
            elif s.step[m, g] == NOWHERE:
                if s.chasing[m, g] and s.status[m, s.quarry[m, g]] == PACMAN:
                    s.step[m, g] = chase_step(s, m, g, pinky_ahead, inky_ahead)
                else:
                    kind = s.ghost_kind[m, g]
                    top = kind in (BLINKY, PINKY)
                    west = kind in (PINKY, CLYDE)
                    s.step[m, g] = choose_step(s, m, g, 0 if top else last, 0 if west else last, True)


@kernel
def move_ghosts(s: State) -> None:
    """Rule 7. The NPC ghosts step at once."""
    side = s.walls.shape[1]
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        for g in range(s.ghost_kind.shape[1]):
            d = s.step[m, g]
            if d == STAY:
                continue
            row = s.ghost_row[m, g]
            col = s.ghost_col[m, g]
            s.ghosts_on[m, row, col] -= 1
            row = wrap(row + DROW[d], side)
            col = wrap(col + DCOL[d], side)
            s.ghosts_on[m, row, col] += 1
            s.ghost_row[m, g] = row
            s.ghost_col[m, g] = col
            s.ghost_back[m, g] = (d + 2) % 4


@kernel
def teleport_ghost(s: State, m: int, g: int, phase: int) -> None:
    """Rule 16. An NPC ghost lands on a random square, came from nowhere, and sits out its next turn."""
    side = s.walls.shape[1]
    s.ghosts_on[m, s.ghost_row[m, g], s.ghost_col[m, g]] -= 1
    square = draw(s.seed[m], s.turn[m], phase, g, side * side)
    s.ghost_row[m, g] = square // side
    s.ghost_col[m, g] = square % side
    s.ghosts_on[m, s.ghost_row[m, g], s.ghost_col[m, g]] += 1
    s.ghost_back[m, g] = NOWHERE
    s.ghost_waits[m, g] = True


@kernel
def teleport_piece(s: State, m: int, i: int, phase: int) -> None:
    """Rule 16. A dead Pac-Man lands on a random square and sits out its next turn."""
    side = s.walls.shape[1]
    s.ghosts_on[m, s.row[m, i], s.col[m, i]] -= 1
    square = draw(s.seed[m], s.turn[m], phase, s.ghost_kind.shape[1] + i, side * side)
    s.row[m, i] = square // side
    s.col[m, i] = square % side
    s.ghosts_on[m, s.row[m, i], s.col[m, i]] += 1
    s.waits[m, i] = True
