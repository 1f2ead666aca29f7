"""Counts of pieces on each square, and the square's content for observers, kept up to date with every step."""

from __future__ import annotations

from koth.games.pacman.state import GHOST, PACMAN, PELLET, SEES_GHOST, SEES_PACMAN, State
from koth.kernel import kernel


@kernel(inline=True)
def show_square(s: State, m: int, row: int, col: int) -> None:
    """Rule 32. Write the square's content for observers: a ghost hides a Pac-Man, a Pac-Man hides a pellet."""
    below = SEES_PACMAN if s.pacmen_on[m, row, col] else s.item[m, row, col]
    s.shown[m, row * s.walls.shape[1] + col] = SEES_GHOST if s.ghosts_on[m, row, col] else below


@kernel
def ghost_leaves(s: State, m: int, row: int, col: int) -> None:
    """Take a ghost, NPC or not, from this square."""
    s.ghosts_on[m, row, col] -= 1
    show_square(s, m, row, col)


@kernel
def ghost_comes(s: State, m: int, row: int, col: int) -> None:
    """Put a ghost, NPC or not, on this square."""
    s.ghosts_on[m, row, col] += 1
    s.shown[m, row * s.walls.shape[1] + col] = SEES_GHOST


@kernel
def pacman_leaves(s: State, m: int, row: int, col: int) -> None:
    """Take a living Pac-Man from this square."""
    s.pacmen_on[m, row, col] -= 1
    show_square(s, m, row, col)


@kernel
def pacman_comes(s: State, m: int, row: int, col: int) -> None:
    """Put a living Pac-Man on this square."""
    s.pacmen_on[m, row, col] += 1
    show_square(s, m, row, col)


@kernel
def count_crowds(s: State) -> None:
    """Compute `pellets`, `ghosts_on`, `pacmen_on` and `shown` from the rest of the state."""
    for m in range(s.seed.size):
        s.pellets[m] = 0
        for r in range(s.item.shape[1]):
            for c in range(s.item.shape[1]):
                s.pellets[m] += s.item[m, r, c] == PELLET
                s.ghosts_on[m, r, c] = 0
                s.pacmen_on[m, r, c] = 0
                show_square(s, m, r, c)
        for g in range(s.ghost_kind.shape[1]):
            ghost_comes(s, m, s.ghost_row[m, g], s.ghost_col[m, g])
        for i in range(s.status.shape[1]):
            if s.status[m, i] == PACMAN:
                pacman_comes(s, m, s.row[m, i], s.col[m, i])
            elif s.status[m, i] == GHOST:
                ghost_comes(s, m, s.row[m, i], s.col[m, i])
