"""The question of the game, the kernels that write its observation, and frames for replays."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from koth.game import Array, Buffers, Field, FrameSpec, Question, RowIndex, Units, observation_fields
from koth.games.pacman.state import (
    EAST,
    HUNTERS,
    ITEMS,
    MOVES,
    NORTH,
    NOTHING,
    PACMAN,
    SEES_GHOST,
    SEES_PACMAN,
    SOUTH,
    STATUSES,
    STAY,
    WEST,
    Settings,
    State,
)
from koth.grid import CHUNK, DCOL, DROW, wrap
from koth.kernel import copy_values, count_up, kernel

CONTENTS = "XoOFPG"
"""Letters of a square's content, by the codes in `content`: the four items, a Pac-Man, a ghost."""
LETTERS = (
    "X nothing else, o a pellet, O a power pellet, F fruit, P a Pac-Man (on its own square: another one), G a ghost"
)
DIGITS = np.frombuffer(b"0123456789ABCDEF", np.uint8)


class Observation(NamedTuple):
    """The observation of a piece."""

    free: Annotated[Array, Field("?", doc="for each move whether no wall is in its way; X never has one"), "moves"]
    seen: Annotated[Array, Field("<i4", low=1, doc="squares shown, its own included")]
    square: Annotated[Array, Field("<i4", ragged="seen", low=0, doc="row * side + column, its own square first")]
    content: Annotated[Array, Field("u1", ragged="seen", names=CONTENTS, doc=LETTERS)]


def questions(settings: Settings, seats: int) -> dict[str, Question]:
    """Return the one question of the game, asked of the dead first and then of the living."""
    return {
        "move": Question(
            "move",
            observation=observation_fields(Observation, moves=len(MOVES)),
            answer={
                "move": Field(
                    "u1", default=STAY, names=tuple(MOVES), legal="free", doc="north, east, south, west, or none"
                )
            },
            max_rows=seats,
            doc="Where does the piece go? Dead Pac-Men, which play on as ghosts, are asked first.",
            step=True,
        )
    }


def widest(settings: Settings, side: int) -> int:
    """Return the largest number of squares that one piece can see: all rays and diagonals, or a ghost's window."""
    window = min(2 * settings.ghost_sight + 1, side)
    return max(2 * side + 3, window * window)


# Below, boards are flat. `at` is the place in `square` and `content` where a row begins; what looks returns how many
# squares it has written there.


@kernel
def look_as_pacman(
    walls: Array, shown: Array, row: int, col: int, side: int, facing: int, square: Array, content: Array, at: int
) -> int:
    """Rules 29 and 30. Write what a living Pac-Man sees except its own square, in the order of rule 33.

    A ray that goes all the way around has shown the squares of the opposite ray, which is left out then. Otherwise a
    wall separates the two rays, and diagonals lie on no ray: no square is written twice.
    """
    here = row * side + col
    still = facing == STAY
    left = WEST if still else (facing + 3) % 4
    n = at + 1
    full_circles = 0
    for k in range(4 if still else 3):
        d = k if still else (left + k) & 3
        sideways = d & 1
        if full_circles >> sideways & 1:
            continue
        # Everything is computed, and nothing decided on the way: which ray it is can't be guessed.
        low = sideways * row * side
        squares = side if sideways else side * side
        step = DROW[d] * side + DCOL[d]
        seen = here
        while not walls[seen] >> d & 1:
            seen += step
            if seen < low:
                seen += squares
            elif seen >= low + squares:
                seen -= squares
            if seen == here:
                full_circles |= 1 << sideways
                break
            square[n] = seen
            content[n] = shown[seen]
            n += 1
    return look_past_corners(walls, shown, row, col, side, left, 4 if still else 2, square, content, n) - at


@kernel(inline=True)
def look_past_corners(
    walls: Array,
    shown: Array,
    row: int,
    col: int,
    side: int,
    left: int,
    count: int,
    square: Array,
    content: Array,
    n: int,
) -> int:
    """Rule 30. Write `count` squares diagonally ahead, from the one right of `left` on; return the next index."""
    here = row * side + col
    north = here - side if row > 0 else here - side + side * side
    south = here + side if row < side - 1 else col
    to_west = -1 if col > 0 else side - 1
    to_east = 1 if col < side - 1 else 1 - side
    for k in range(count):
        d = (left + k) & 3  # the diagonal lies between this direction and the next one clockwise
        vertical = north if d in (WEST, NORTH) else south
        across = to_west if d in (WEST, SOUTH) else to_east
        v = NORTH if d in (WEST, NORTH) else SOUTH
        h = WEST if d in (WEST, SOUTH) else EAST
        v_first = (walls[here] >> v | walls[vertical] >> h) & 1
        h_first = (walls[here] >> h | walls[here + across] >> v) & 1
        if not (v_first and h_first):
            square[n] = vertical + across
            content[n] = shown[vertical + across]
            n += 1
    return n


@kernel(inline=True)
def look_as_ghost(
    shown: Array, row: int, col: int, side: int, sight: int, square: Array, content: Array, at: int
) -> int:
    """Rule 31. Write what a dead Pac-Man sees except its own square: each square once, row by row.

    In a small maze the window repeats squares; repetitions are left out.
    """
    size = 2 * sight + 1 if 2 * sight + 1 < side else side
    left = (col + side * sight - sight) % side
    r = (row + side * sight - sight) % side
    own = wrap(col - left, side)
    n = at + 1
    for _ in range(size):
        write_run(shown, r * side, left, size, side, square, content, n)
        if r == row:  # what lies behind the own square, listed already, takes its place
            n -= 1
            write_run(shown, r * side, wrap(col + 1, side), size - own - 1, side, square, content, n + own + 1)
        n += size
        r = r + 1 if r + 1 < side else 0
    return n - at


@kernel(inline=True)
def write_run(
    shown: Array, row: int, left: int, count: int, side: int, square: Array, content: Array, at: int
) -> None:
    """Write `count` squares of the row that begins with square `row`, from column `left` on, wrapping at the edge.

    Squares are written in chunks, so up to one chunk of excess follows them, where the next squares will be.
    """
    inside = count if left + count <= side else side - left
    for chunk in range(0, inside, CHUNK):
        count_up(square, at + chunk, row + left + chunk, CHUNK)
        copy_values(shown, row + left + chunk, content, at + chunk, CHUNK)
    for chunk in range(0, count - inside, CHUNK):
        count_up(square, at + inside + chunk, row + chunk, CHUNK)
        copy_values(shown, row + chunk, content, at + inside + chunk, CHUNK)


@kernel
def write_match(
    s: State, m: int, status: int, sight: int, index: RowIndex, seen: Observation, rows: int, total: int
) -> tuple[int, int]:
    """Rules 8 and 10. Write the view of every GHOST that does not wait, or of every PACMAN, in one match.

    Writing begins at row `rows` and square `total`; returns the new `rows` and `total`.
    """
    side = s.walls.shape[1]
    walls = s.walls[m].reshape(side * side)
    for i in range(s.status.shape[1]):
        if s.status[m, i] != status or s.waits[m, i]:
            continue
        row = s.row[m, i]
        col = s.col[m, i]
        index.match[rows] = m
        index.seat[rows] = i
        for move in range(STAY):
            seen.free[rows, move] = walls[row * side + col] >> move & 1 == 0
        seen.free[rows, STAY] = True
        seen.square[total] = row * side + col
        if status == PACMAN:
            seen.content[total] = SEES_PACMAN if s.pacmen_on[m, row, col] > 1 else NOTHING
            n = look_as_pacman(walls, s.shown[m], row, col, side, s.facing[m, i], seen.square, seen.content, total)
        else:
            seen.content[total] = SEES_GHOST
            n = look_as_ghost(s.shown[m], row, col, side, sight, seen.square, seen.content, total)
        seen.seen[rows] = n
        total += n
        rows += 1
    return rows, total


@kernel(allocates=True)
def write_rays(walls: Array, status: Array, row: Array, col: Array, facing: Array, rays: Array) -> None:
    """Rules 29 and 30, for frames: write how far each living Pac-Man sees in eight directions (uint8[players, 8])."""
    side = walls.shape[0]
    flat = walls.reshape(side * side)
    shown = np.zeros(side * side, np.uint8)
    square, content = np.zeros(2 * side + 4, np.int32), np.zeros(2 * side + 4, np.uint8)
    for i in range(status.size):
        if status[i] != PACMAN:
            continue
        n = look_as_pacman(flat, shown, row[i], col[i], side, facing[i], square, content, 0)
        seen = np.zeros((side, side), np.bool_)
        for k in range(1, n):
            seen[square[k] // side, square[k] % side] = True
        for way in range(8):
            down, across = DROW[way // 2], DCOL[way // 2]
            if way & 1:
                down, across = down + DROW[(way // 2 + 1) & 3], across + DCOL[(way // 2 + 1) & 3]
            r, c = (row[i] + down) % side, (col[i] + across) % side
            while seen[r, c] and rays[i, way] < (1 if way & 1 else side):
                rays[i, way] += 1
                r, c = (r + down) % side, (c + across) % side


def arrays(settings: Settings, s: State, buffers: Buffers) -> tuple[RowIndex, Observation]:
    """Return the arrays to which observations are written."""
    # A chunk to spare, and one square more than anybody sees: a ghost's window passes over its own one.
    most = s.status.size * widest(settings, s.walls.shape[1]) + 1 + CHUNK
    return buffers.arrays("move", seen=most)


def walls_line(s: State, match: int) -> str:
    """Rule 34. Return the walls as upper-case hex digits, row by row."""
    return str(DIGITS[s.walls[match]].tobytes(), "ascii")


FRAMES = FrameSpec(
    wraps=True,
    codes={"item": ITEMS, "status": STATUSES, "hunter": HUNTERS, "way": MOVES},
    units=[
        Units("ghost_col", "ghost_row", ["ghost_kind", "ghost_waits", "chasing", "quarry"]),
        Units(
            "col", "row", ["status", "facing", "invincible", "gained", "waits"], each=1, reach="reach", rays="rays"
        ),
    ],
    squares={"item": NOTHING},
)


def frame(settings: Settings, s: State, match: int) -> dict[str, Any]:
    """Return a match without its walls: an entry per square, per NPC ghost, per bot."""
    status = s.status[match]
    rays = np.zeros((status.size, 8), np.uint8)
    write_rays(s.walls[match], status, s.row[match], s.col[match], s.facing[match], rays)
    return {
        "side": int(s.walls.shape[1]),
        "turn": int(s.turn[match]),
        "item": s.item[match].ravel(),
        "ghost_kind": s.ghost_kind[match],
        "ghost_row": s.ghost_row[match],
        "ghost_col": s.ghost_col[match],
        "ghost_waits": s.ghost_waits[match].astype(np.uint8),
        "chasing": s.chasing[match].astype(np.uint8),
        "quarry": s.quarry[match],
        "status": status,
        "row": s.row[match],
        "col": s.col[match],
        "facing": s.facing[match],
        "invincible": s.invincible[match],
        "waits": s.waits[match].astype(np.uint8),
        "gained": s.gained[match],
        "reach": np.array([-1, settings.ghost_sight, 0])[status],
        "rays": rays.ravel(),
        "alive": (status == PACMAN).astype(int).tolist(),
        "score": s.score[match].tolist(),
    }
