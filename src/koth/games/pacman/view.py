"""What a Pac-Man and a dead one see, and what there is to see for replays."""

from __future__ import annotations

from typing import Any

import numpy as np

from koth.game import Array, Asks, Field, Question, Views
from koth.games.pacman.state import (
    DCOL,
    DROW,
    NOTHING,
    PACMAN,
    STAY,
    WEST,
    Settings,
    State,
    wrap,
)
from koth.kernel import kernel

CONTENTS = "XoOFPG"
"""Letters of what a square shows: the four items, a Pac-Man, a ghost."""
LETTERS = np.array([ord(letter) for letter in CONTENTS], dtype=np.uint8)
SEES_PACMAN, SEES_GHOST = 4, 5


def questions(settings: Settings, seats: int) -> dict[str, Question]:
    """The one question of the game, asked of the dead first and then of the living."""
    return {
        "move": Question(
            "move",
            view={
                "seen": Field("<i4", doc="squares shown, its own included"),
                "square": Field("<i4", ragged="seen", doc="row * side + column, its own square first"),
                "content": Field("u1", ragged="seen", doc=f"codes of the letters {CONTENTS} (rule 32)"),
            },
            answer={"move": Field("u1", default=STAY, doc="0 N, 1 E, 2 S, 3 W, 4 X")},
            most=seats,
            doc="Where does the piece go: dead Pac-Men, as ghosts, first, then the living?",
        )
    }


def widest(settings: Settings, side: int) -> int:
    """The most squares that one piece can see: four rays and four diagonals, or a ghost's window."""
    window = min(2 * settings.ghost_sight + 1, side)
    return max(2 * side + 3, window * window)


@kernel
def content(item: Array, pacmen_on: Array, ghosts_on: Array, row: int, col: int) -> int:
    """Rule 32. What somebody else's square shows: a ghost before a Pac-Man before an item."""
    if ghosts_on[row, col] > 0:
        return int(LETTERS[SEES_GHOST])
    return int(LETTERS[SEES_PACMAN] if pacmen_on[row, col] > 0 else LETTERS[item[row, col]])


@kernel
def look_along(s: State, m: int, row: int, col: int, d: int, n: int, square: Array, shown: Array) -> int:
    """Rule 29. The squares in one direction until a wall or the own square; the next free place."""
    side = s.walls.shape[1]
    walls = s.walls[m]
    item = s.item[m]
    pacmen_on = s.pacmen_on[m]
    ghosts_on = s.ghosts_on[m]
    wall = 1 << d
    r = row
    c = col
    while not walls[r, c] & wall:
        r = wrap(r + DROW[d], side)
        c = wrap(c + DCOL[d], side)
        if r == row and c == col:
            break
        square[n] = r * side + c
        shown[n] = content(item, pacmen_on, ghosts_on, r, c)
        n += 1
    return n


@kernel
def look_across(s: State, m: int, row: int, col: int, d: int, n: int, square: Array, shown: Array) -> int:
    """Rule 29. The square diagonally between `d` and the next direction clockwise, if either way is open."""
    side = s.walls.shape[1]
    walls = s.walls[m]
    e = (d + 1) % 4
    d_row = wrap(row + DROW[d], side)
    d_col = wrap(col + DCOL[d], side)
    e_row = wrap(row + DROW[e], side)
    e_col = wrap(col + DCOL[e], side)
    d_first = (walls[row, col] >> d | walls[d_row, d_col] >> e) & 1
    e_first = (walls[row, col] >> e | walls[e_row, e_col] >> d) & 1
    if d_first and e_first:
        return n
    r = wrap(d_row + DROW[e], side)
    c = wrap(d_col + DCOL[e], side)
    square[n] = r * side + c
    shown[n] = content(s.item[m], s.pacmen_on[m], s.ghosts_on[m], r, c)
    return n + 1


@kernel
def look_as_pacman(s: State, m: int, i: int, square: Array, shown: Array) -> int:
    """Rules 29 and 30. What a living Pac-Man sees, in the order of rule 33; the number of squares.

    A ray that comes all the way round has shown the squares of the opposite one, which is left out then.
    Otherwise a wall lies between the two, and diagonals lie on no ray: no square is met twice.
    """
    side = s.walls.shape[1]
    row = s.row[m, i]
    col = s.col[m, i]
    square[0] = row * side + col
    shown[0] = LETTERS[SEES_PACMAN] if s.pacmen_on[m, row, col] > 1 else LETTERS[NOTHING]
    still = s.facing[m, i] == STAY
    left = (s.facing[m, i] + 3) % 4
    n = 1
    full_circles = 0
    for k in range(4 if still else 3):
        d = k if still else (left + k) % 4
        axis = 1 << d % 2
        if full_circles & axis:
            continue
        before = n
        n = look_along(s, m, row, col, d, n, square, shown)
        if n - before == side - 1:
            full_circles |= axis
    for k in range(4 if still else 2):
        n = look_across(s, m, row, col, ((WEST if still else left) + k) % 4, n, square, shown)
    return n


@kernel
def look_as_ghost(s: State, m: int, i: int, sight: int, square: Array, shown: Array) -> int:
    """Rule 31. What a dead Pac-Man sees: every square around it once, row by row; the number of squares."""
    side = s.walls.shape[1]
    item = s.item[m]
    pacmen_on = s.pacmen_on[m]
    ghosts_on = s.ghosts_on[m]
    row = s.row[m, i]
    col = s.col[m, i]
    square[0] = row * side + col
    shown[0] = LETTERS[SEES_GHOST]
    n = 1
    size = min(2 * sight + 1, side)  # further on in a small maze the same squares come again
    for k in range(size):
        r = (row + side * (sight + 1) - sight + k) % side
        for j in range(size):
            c = (col + side * (sight + 1) - sight + j) % side
            if r != row or c != col:
                square[n] = r * side + c
                shown[n] = content(item, pacmen_on, ghosts_on, r, c)
                n += 1
    return n


@kernel
def write_views(
    s: State, who: int, sight: int, match: Array, seat: Array, body: Array, seen: Array, square: Array, shown: Array
) -> tuple[int, int]:
    """Write a row for every GHOST that does not wait, or every PACMAN; returns rows and squares written."""
    rows = 0
    total = 0
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        for i in range(s.status.shape[1]):
            if s.status[m, i] != who or s.waits[m, i]:
                continue
            match[rows] = m
            seat[rows] = i
            body[rows] = 0
            if who == PACMAN:
                n = look_as_pacman(s, m, i, square[total:], shown[total:])
            else:
                n = look_as_ghost(s, m, i, sight, square[total:], shown[total:])
            seen[rows] = n
            total += n
            rows += 1
    return rows, total


def see(settings: Settings, s: State, views: Views, who: int) -> Asks:
    """Rules 8 and 10. What the dead (GHOST) or the living (PACMAN) are shown."""
    most = s.status.size * widest(settings, s.walls.shape[1])
    room = views.room("move", square=most, content=most)
    rows, total = write_views(
        s, who, settings.ghost_sight, room["match"], room["seat"], room["body"], room["seen"], room["square"],
        room["content"],
    )  # fmt: skip
    return views.asks("move", rows, square=total, content=total)


def walls_line(s: State, match: int) -> str:
    """Rule 34. The walls as upper-case hex digits, row by row."""
    return "".join(f"{walls:X}" for walls in s.walls[match].ravel().tolist())


def frame(s: State, match: int) -> dict[str, Any]:
    """Everything in one maze but its walls: an entry per square, per NPC ghost, per bot."""
    return {
        "turn": int(s.turn[match]),
        "item": s.item[match].ravel(),
        "ghost_kind": s.ghost_kind[match],
        "ghost_row": s.ghost_row[match],
        "ghost_col": s.ghost_col[match],
        "ghost_waits": s.ghost_waits[match].astype(np.uint8),
        "chasing": s.chasing[match].astype(np.uint8),
        "quarry": s.quarry[match],
        "status": s.status[match],
        "row": s.row[match],
        "col": s.col[match],
        "facing": s.facing[match],
        "invincible": s.invincible[match],
        "waits": s.waits[match].astype(np.uint8),
        "gained": s.gained[match],
        "alive": (s.status[match] == PACMAN).astype(int).tolist(),
        "score": s.score[match].tolist(),
    }
