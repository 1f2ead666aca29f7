"""The question of the game, the kernels that write its observation, and frames for replays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np

from koth.game import Array, Buffers, Field, FrameSpec, Observations, Question, RowIndex, Units, observation_fields
from koth.games.metalman.state import ASSASSIN, PIECES, SPOTTER, Settings, State
from koth.games.metalman.terrain import FLOOR, HIGHGROUND, LEFT, NONE, TERRAIN, UP, WALL
from koth.grid import DCOL, DROW
from koth.kernel import kernel

UNSEEN = -1
STEPS = ("UP", "RIGHT", "DOWN", "LEFT", "STAY")
FACING = ("UP", "RIGHT", "DOWN", "LEFT", "AS BEFORE")
"""Names of the direction codes in an answer."""


class Percepts(NamedTuple):
    """The observation of a player in its turn: rule 15. Axes: H rows, W columns, K players; two pieces of each."""

    board: Annotated[Array, Field("i1", low=-1, high=2, doc="-1 unseen, 0 wall, 1 floor, 2 highground"), "H, W"]
    timer: Annotated[Array, Field("<i4", low=0, doc="rounds until the next collapse")]
    circles: Annotated[Array, Field("<i4", low=0, doc="rings collapsed so far")]
    row: Annotated[Array, Field("<i2", low=0, doc="its spotter's and its assassin's, dead or alive"), "2"]
    column: Annotated[Array, Field("<i2", low=0), "2"]
    facing: Annotated[Array, Field("u1", names=FACING[:4]), "2"]
    alive: Annotated[Array, Field("u1", low=0, high=1), "2"]
    enemy_row: Annotated[Array, Field("<i2", low=-1, doc="of every piece it sees, by player; -1: not seen"), "K, 2"]
    enemy_column: Annotated[Array, Field("<i2", low=-1), "K, 2"]
    enemy_facing: Annotated[Array, Field("<i2", low=-1, high=3, doc="as facing; -1: not seen"), "K, 2"]


def spotter_lives(observed: Mapping[str, Array]) -> Array:
    """Return whether the spotter lives, so that its steps count."""
    return np.asarray(observed["alive"][:, SPOTTER] != 0)


def assassin_lives(observed: Mapping[str, Array]) -> Array:
    """Return whether the assassin lives, so that its steps count."""
    return np.asarray(observed["alive"][:, ASSASSIN] != 0)


def questions(settings: Settings, seats: int) -> dict[str, Question]:
    """Return the one question of the game, asked of one player after another."""
    rows, columns = settings.shape
    return {
        "act": Question(
            "act",
            observation=observation_fields(Percepts, H=rows, W=columns, K=seats),
            answer={
                "spotter_moves": Field(
                    "u1", (settings.spotter_steps,), NONE, names=STEPS, legal=spotter_lives, doc="step by step"
                ),
                "spotter_direction": Field(
                    "u1", default=NONE, names=FACING, legal=spotter_lives, doc="where it faces then"
                ),
                "assassin_moves": Field("u1", (settings.assassin_steps,), NONE, names=STEPS, legal=assassin_lives),
                "assassin_direction": Field("u1", default=NONE, names=FACING, legal=assassin_lives),
            },
            max_rows=1,
            doc="What do the player's two pieces do?",
            step=True,  # replays also hold the board between the turns of a round
        )
    }


@kernel(inline=True)
def to_edge(row: int, column: int, rows: int, columns: int, facing: int) -> int:
    """Return the number of squares between a square and the edge in a direction."""
    up_or_down = row if facing == UP else rows - 1 - row
    across = column if facing == LEFT else columns - 1 - column
    return across if facing & 1 else up_or_down


@kernel(inline=True)
def look_ahead(
    squares: Array, board: Array, rows: int, columns: int, row: int, column: int, facing: int, widths: Array
) -> None:
    """Copy to `board` what a piece sees ahead, `widths[f - 1]` to each side f squares ahead (rules 12 and 13).

    Works through the lines ahead, nearest first. `line` has a bit for each square of a line (bit `middle` is the
    square straight ahead, higher bits lie to its right): set if the square is seen and not a wall.
    """
    most_left = to_edge(row, column, rows, columns, (facing + 3) & 3)
    most_right = to_edge(row, column, rows, columns, (facing + 1) & 3)
    lines = min(widths.size, to_edge(row, column, rows, columns, facing))
    ahead = DROW[facing] * columns + DCOL[facing]
    right = DCOL[facing] * columns - DROW[facing]
    at = row * columns + column
    board[at] = squares[at]
    middle = 31
    ray = 1 << middle
    line = ray
    for f in range(1, lines + 1):
        # A square is seen if two of the line before are open: the one straight behind it (not on the diagonals) and
        # that one's neighbour towards the ray. On the ray itself only the former counts.
        behind = line | 1 << (middle + f) | 1 << (middle - f)
        to_right = behind & (line << 1) & -(ray << 1)
        to_left = behind & (line >> 1) & (ray - 1)
        seen = (line & ray) | to_right | to_left
        line = 0
        at += ahead
        for side in range(-widths[f - 1], widths[f - 1] + 1):
            if seen >> (middle + side) & 1 and -side <= most_left and side <= most_right:
                square = squares[at + side * right]
                board[at + side * right] = square
                line |= int(square != WALL) << (middle + side)


@kernel(inline=True)
def look_around(squares: Array, board: Array, rows: int, columns: int, row: int, column: int, reach: int) -> None:
    """Copy to `board` every square within `reach` steps, whatever walls are between (rule 14)."""
    for r in range(row - reach if row > reach else 0, row + reach + 1 if row + reach < rows else rows):
        rest = reach - abs(r - row)
        end = column + rest + 1
        for c in range(column - rest if column > rest else 0, end if end < columns else columns):
            board[r * columns + c] = squares[r * columns + c]


@kernel
def write_percepts(s: State, seat: int, numbers: Any, index: RowIndex, seen: Percepts) -> int:
    """Write a row for every match in which the player has a living piece; return their number (rule 15)."""
    rows = 0
    squares = s.terrain.shape[1] * s.terrain.shape[2]
    maps = s.terrain.reshape((s.seed.size, squares))
    boards = seen.board.reshape((seen.board.shape[0], squares))
    for m in range(s.seed.size):
        if s.over[m] or not (s.alive[m, seat, SPOTTER] or s.alive[m, seat, ASSASSIN]):
            continue
        index.match[rows] = m
        index.seat[rows] = seat
        seen.timer[rows] = s.timer[m]
        seen.circles[rows] = s.circles[m]
        for piece in range(2):
            seen.row[rows, piece] = s.row[m, seat, piece]
            seen.column[rows, piece] = s.column[m, seat, piece]
            seen.facing[rows, piece] = s.facing[m, seat, piece]
            seen.alive[rows, piece] = s.alive[m, seat, piece]
        write_board(s, m, seat, numbers, maps[m], boards[rows])
        write_enemies(s, m, seat, seen, rows)
        rows += 1
    return rows


@kernel(inline=True)
def write_board(s: State, m: int, seat: int, numbers: Any, squares: Array, board: Array) -> None:
    """Write the squares that one player's living pieces see, UNSEEN elsewhere (rules 12 to 14)."""
    rows, columns = s.terrain.shape[1:]
    for k in range(board.size):
        board[k] = UNSEEN
    for piece in range(2):
        if s.alive[m, seat, piece]:
            row = s.row[m, seat, piece]
            column = s.column[m, seat, piece]
            if piece == SPOTTER and squares[row * columns + column] == HIGHGROUND:
                look_around(squares, board, rows, columns, row, column, numbers.highground_sight)
            else:
                widths = numbers.spotter_sight if piece == SPOTTER else numbers.assassin_sight
                look_ahead(squares, board, rows, columns, row, column, s.facing[m, seat, piece], widths)


@kernel(inline=True)
def write_enemies(s: State, m: int, seat: int, seen: Percepts, i: int) -> None:
    """Write the other players' living pieces on squares that the player sees (rule 15)."""
    for other in range(s.alive.shape[1]):
        for piece in range(2):
            row = s.row[m, other, piece]
            column = s.column[m, other, piece]
            there = (other != seat) & s.alive[m, other, piece] & (seen.board[i, row, column] != UNSEEN)
            seen.enemy_row[i, other, piece] = row if there else -1
            seen.enemy_column[i, other, piece] = column if there else -1
            seen.enemy_facing[i, other, piece] = s.facing[m, other, piece] if there else -1


def observe(settings: Settings, s: State, buffers: Buffers, seat: int) -> Observations:
    """Return the observations of one player in every match in which it has a living piece (rule 15)."""
    return buffers.observations("act", write_percepts(s, seat, settings.numbers, *buffers.arrays("act")))


def players_in_view(settings: Settings, s: State, match: int) -> Array:
    """Return int32[rows * columns]: bit k is set if player k's pieces see the square now."""
    # Players of finished matches observe nothing, but the last frame shows what they see.
    one = State(*(array[match : match + 1] for array in s))._replace(over=np.zeros(1, np.bool_))
    buffers = Buffers(questions(settings, s.alive.shape[1]), 1)
    seen = np.zeros(s.terrain.shape[1:], np.int32)
    for seat in range(s.alive.shape[1]):
        for board in observe(settings, one, buffers, seat).fields["board"]:
            seen |= (board != UNSEEN).astype(np.int32) << seat
    return seen.ravel()


FRAMES = FrameSpec(
    width="columns",
    height="rows",
    codes={"terrain": TERRAIN, "piece": PIECES, "facing": FACING[:4]},
    units=[Units("column", "row", ["facing", "living"], paths=["trail"], links=["captures"], each=2)],
    seen="seen",
    ground={"terrain": FLOOR},
)


def frame(settings: Settings, s: State, match: int) -> dict[str, Any]:
    """Return the board after a round. Pieces are in the order spotter, assassin of player 0, then of player 1 ...

    `living` has a flag for each piece; `alive` has, as in every game, the number of living pieces of each player.
    """
    rows, columns = s.terrain.shape[1:]
    captures = s.captures[match, : int(s.capture_count[match])]  # seat and piece of captor, then of captured
    return {
        "rows": rows,
        "columns": columns,
        "round": int(s.round[match]),
        "timer": int(s.timer[match]),
        "circles": int(s.circles[match]),
        "terrain": s.terrain[match].ravel(),
        "row": s.row[match].ravel(),
        "column": s.column[match].ravel(),
        "facing": s.facing[match].ravel(),
        "living": s.alive[match].ravel().astype(np.uint8),
        "trail": s.trail[match].ravel(),
        "seen": players_in_view(settings, s, match),
        "captures": (2 * captures[:, ::2] + captures[:, 1::2]).tolist(),
        "alive": s.alive[match].sum(axis=1).tolist(),
        "score": shares(s)[match].tolist(),
    }


def shares(s: State) -> Array:
    """Return float64[matches, players]: each player's share of the one point, 0 until the match is won (rule 11)."""
    shared: Array = s.winner / np.maximum(s.winner.sum(axis=1, keepdims=True), 1)
    return shared
