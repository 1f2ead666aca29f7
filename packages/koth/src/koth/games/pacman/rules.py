"""The rules of Pac-Man, phase by phase, in the order of a turn."""

from __future__ import annotations

from koth.game import Array
from koth.games.pacman.crowds import ghost_comes, ghost_leaves, pacman_comes, pacman_leaves
from koth.games.pacman.ghosts import teleport_ghost, teleport_piece
from koth.games.pacman.state import (
    FRUIT,
    GHOST,
    GONE,
    NOTHING,
    PACMAN,
    PELLET,
    POWER,
    STAY,
    State,
)
from koth.grid import DCOL, DROW, wrap
from koth.kernel import kernel


@kernel(inline=True)
def begin_turn(s: State, m: int) -> None:
    """Begin the next turn, and reset the bots' gains in it."""
    s.turn[m] += 1
    for i in range(s.gained.shape[1]):
        s.gained[m, i] = 0
        s.caught_by[m, i] = -1
        s.eaten_by[m, i] = -1
        s.ghosts_eaten[m, i] = 0
        s.fruit_eaten[m, i] = 0


@kernel
def remove_gone(s: State, m: int, gone: Array) -> None:
    """Rule 37. Remove the piece of a dead bot from the board; its score stays."""
    for i in range(s.status.shape[1]):
        if not gone[m, i] or s.status[m, i] == GONE:
            continue
        if s.status[m, i] == PACMAN:
            pacman_leaves(s, m, s.row[m, i], s.col[m, i])
        else:
            ghost_leaves(s, m, s.row[m, i], s.col[m, i])
        s.status[m, i] = GONE
        s.invincible[m, i] = 0
        s.waits[m, i] = False


@kernel(inline=True)
def end_waits(s: State, m: int) -> None:
    """Rule 16. End the wait of the dead Pac-Men that sat out this turn's question."""
    for i in range(s.waits.shape[1]):
        s.waits[m, i] = False


@kernel
def move_pieces(s: State, m: int, row: int, match: Array, seat: Array, move: Array) -> int:
    """Rules 8, 10 and 12. Move the pieces of all asked bots at once; a piece that steps into a wall stays.

    The match's rows begin with `row`; returns the index after them.
    """
    side = s.walls.shape[1]
    while row < match.size and match[row] == m:
        i = seat[row]
        d = move[row]
        row += 1
        if s.status[m, i] == GONE:
            continue
        r = s.row[m, i]
        c = s.col[m, i]
        if d >= STAY or s.walls[m, r, c] >> d & 1:
            s.facing[m, i] = STAY
            continue
        to_r = wrap(r + DROW[d], side)
        to_c = wrap(c + DCOL[d], side)
        if s.status[m, i] == PACMAN:
            pacman_leaves(s, m, r, c)
            pacman_comes(s, m, to_r, to_c)
        else:
            ghost_leaves(s, m, r, c)
            ghost_comes(s, m, to_r, to_c)
        s.row[m, i] = to_r
        s.col[m, i] = to_c
        s.facing[m, i] = d
    return row


@kernel
def invincible_on(s: State, m: int, row: int, col: int) -> int:
    """Return the number of invincible Pac-Men on this square."""
    count = 0
    for i in range(s.status.shape[1]):
        if s.row[m, i] == row and s.col[m, i] == col:
            count += s.status[m, i] == PACMAN and s.invincible[m, i] > 0
    return count


@kernel
def catcher_on(s: State, m: int, row: int, col: int) -> int:
    """Return the ghost that gets the credit for a catch on this square: a bot's ghost if possible, else an NPC's."""
    ghosts = s.ghost_kind.shape[1]
    for j in range(s.status.shape[1]):
        if s.status[m, j] == GHOST and s.row[m, j] == row and s.col[m, j] == col:
            return int(ghosts + j)
    for g in range(ghosts):
        if s.ghost_row[m, g] == row and s.ghost_col[m, g] == col:
            return g
    return -1


@kernel
def encounter(s: State, m: int, address: int, points: int) -> None:
    """Rules 13 to 16. Where Pac-Men and ghosts meet, either the ghosts are eaten or the Pac-Men die.

    All is decided on the board as it is at the beginning: first the squares where ghosts are eaten and the Pac-Men
    that die are marked, then the consequences follow. `address` is the dice address of teleports.
    """
    meetings = 0
    for i in range(s.status.shape[1]):
        meetings += s.status[m, i] == PACMAN and s.ghosts_on[m, s.row[m, i], s.col[m, i]] > 0
    if meetings > 0:
        settle_meetings(s, m, address, points)


@kernel
def mark_eaten(s: State, m: int, row: int, col: int, eater: int) -> None:
    """Rule 14. Mark every ghost on the square; a bot's ghost gets the Pac-Man that ate it: the first of several."""
    ghosts = s.ghost_kind.shape[1]
    for g in range(ghosts):
        if s.ghost_row[m, g] == row and s.ghost_col[m, g] == col:
            s.eaten[m, g] = True
    for j in range(s.status.shape[1]):
        if s.status[m, j] == GHOST and s.row[m, j] == row and s.col[m, j] == col:
            s.eaten[m, ghosts + j] = True
            if s.eaten_by[m, j] < 0:
                s.eaten_by[m, j] = eater


@kernel
def settle_meetings(s: State, m: int, address: int, points: int) -> None:
    """Rules 13 to 16 for a match in which a Pac-Man meets a ghost."""
    ghosts = s.ghost_kind.shape[1]
    pieces = s.status.shape[1]
    dies = s.dies[m]
    eaten = s.eaten[m]
    dies[:] = False
    eaten[:] = False
    for i in range(pieces):
        row = s.row[m, i]
        col = s.col[m, i]
        if s.status[m, i] != PACMAN or s.ghosts_on[m, row, col] == 0:
            continue
        if invincible_on(s, m, row, col) == 0:
            dies[i] = True
            s.caught_by[m, i] = catcher_on(s, m, row, col)
            s.caught_at[m, i] = row * s.walls.shape[1] + col
            continue
        if s.invincible[m, i] > 0:
            gain = points * int(s.ghosts_on[m, row, col])
            s.score[m, i] += gain
            s.gained[m, i] += gain
            s.ghosts_eaten[m, i] += s.ghosts_on[m, row, col]
            mark_eaten(s, m, row, col, i)
    for i in range(pieces):
        if dies[i]:
            pacman_leaves(s, m, s.row[m, i], s.col[m, i])
            ghost_comes(s, m, s.row[m, i], s.col[m, i])
            s.status[m, i] = GHOST
    for g in range(ghosts):
        if eaten[g]:
            teleport_ghost(s, m, g, address)
    for i in range(pieces):
        if eaten[ghosts + i]:
            teleport_piece(s, m, i, address)


@kernel(inline=True)
def eat_items(s: State, m: int, pellet: int, power: int, fruit: int, turns: int) -> None:
    """Rules 17 to 19. Give the item on a square to its only Pac-Man, or to the only invincible one of several.

    If not exactly one of several is invincible, the item is lost. Then invincibility decreases by a turn, except
    where a power pellet has just set it to `turns`.
    """
    for i in range(s.status.shape[1]):
        if s.status[m, i] != PACMAN:
            continue
        row = s.row[m, i]
        col = s.col[m, i]
        item = s.item[m, row, col]
        if item == NOTHING:
            continue
        s.item[m, row, col] = NOTHING
        s.pellets[m] -= item == PELLET
        taker = i
        if s.pacmen_on[m, row, col] > 1:
            taker = only_invincible(s, m, row, col)
        if taker < 0:
            continue
        points = pellet if item == PELLET else fruit if item == FRUIT else power
        s.score[m, taker] += points
        s.gained[m, taker] += points
        s.fruit_eaten[m, taker] += item == FRUIT
        if item == POWER:
            s.invincible[m, taker] = turns + 1  # the turn that wears off below is not counted
    for i in range(s.status.shape[1]):
        if s.invincible[m, i] > 0:
            s.invincible[m, i] -= 1


@kernel(inline=True)
def only_invincible(s: State, m: int, row: int, col: int) -> int:
    """Return the seat of the only invincible Pac-Man on a square; -1 if there are none or several."""
    if invincible_on(s, m, row, col) != 1:
        return -1
    for i in range(s.status.shape[1]):
        if s.row[m, i] == row and s.col[m, i] == col and s.status[m, i] == PACMAN and s.invincible[m, i] > 0:
            return i
    return -1


@kernel(inline=True)
def end_turn(s: State, m: int, turns: int) -> None:
    """Rule 20. End a match without a living Pac-Man, without a plain pellet, or after `turns` turns."""
    living = 0
    for i in range(s.status.shape[1]):
        living += s.status[m, i] == PACMAN
    s.over[m] = living == 0 or s.pellets[m] == 0 or s.turn[m] >= turns
