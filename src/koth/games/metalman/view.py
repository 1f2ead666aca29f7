"""What a player's pieces see, and what there is to see for replays."""

from __future__ import annotations

from typing import Any

import numpy as np

from koth.game import Array, Asks, Field, Question, Views
from koth.games.metalman.state import ASSASSIN, SPOTTER, Settings, State
from koth.games.metalman.terrain import DCOLUMN, DROW, HIGHGROUND, NONE, WALL
from koth.kernel import kernel

UNSEEN = -1


def questions(settings: Settings, seats: int) -> dict[str, Question]:
    """The one question of the game, asked of one player after another: what do your pieces do?"""
    return {
        "act": Question(
            "act",
            view={
                "board": Field("i1", settings.shape, doc="terrain: -1 unseen, 0 wall, 1 floor, 2 highground"),
                "timer": Field("<i4", doc="rounds until the next collapse"),
                "circles": Field("<i4", doc="rings collapsed so far"),
                "row": Field("<i2", (2,), doc="its spotter's and its assassin's, dead or alive"),
                "column": Field("<i2", (2,)),
                "facing": Field("u1", (2,), doc="0 UP, 1 RIGHT, 2 DOWN, 3 LEFT"),
                "alive": Field("u1", (2,)),
                "enemy_row": Field("<i2", (seats, 2), doc="of every piece it sees, by player; -1: not seen"),
                "enemy_column": Field("<i2", (seats, 2)),
                "enemy_facing": Field("<i2", (seats, 2)),
            },
            answer={
                "spotter_moves": Field("u1", (settings.spotter_steps,), default=NONE, doc="directions, 4: none"),
                "spotter_direction": Field("u1", default=NONE, doc="where it faces then, 4: as before"),
                "assassin_moves": Field("u1", (settings.assassin_steps,), default=NONE),
                "assassin_direction": Field("u1", default=NONE),
            },
            most=1,
            doc="What do the player's two pieces do?",
            step=True,
        )
    }


@kernel
def look_ahead(terrain: Array, board: Array, row: int, column: int, facing: int, widths: Array) -> None:
    """Rules 12 and 13. Copy to `board` what a piece sees ahead, `widths[f - 1]` to each side f squares ahead.

    Works through the lines ahead, nearest first. A line is kept as bits, one per square (the one straight
    ahead in the middle, those to its right above it): set where it is open, that is seen and no wall.
    """
    rows, columns = terrain.shape
    ahead_row, ahead_column = DROW[facing], DCOLUMN[facing]
    right_row, right_column = ahead_column, -ahead_row
    board[row, column] = terrain[row, column]
    middle = 31
    ray = 1 << middle
    line = ray
    for f in range(1, widths.size + 1):
        # The square straight behind must be open, except for the two on the diagonals; beside the ray, the
        # one diagonally behind must be open too.
        behind = line | 1 << (middle + f) | 1 << (middle - f)
        seen = line & ray | behind & line << 1 & -(ray << 1) | behind & line >> 1 & (ray - 1)
        line = 0
        for s in range(-widths[f - 1], widths[f - 1] + 1):
            r = row + f * ahead_row + s * right_row
            c = column + f * ahead_column + s * right_column
            if seen >> (middle + s) & 1 and 0 <= r < rows and 0 <= c < columns:
                board[r, c] = terrain[r, c]
                if terrain[r, c] != WALL:
                    line |= 1 << (middle + s)


@kernel
def look_around(terrain: Array, board: Array, row: int, column: int, reach: int) -> None:
    """Rule 14. Copy to `board` every square within `reach` steps as if there were no walls."""
    rows, columns = terrain.shape
    for r in range(max(0, row - reach), min(rows, row + reach + 1)):
        rest = reach - abs(r - row)
        for c in range(max(0, column - rest), min(columns, column + rest + 1)):
            board[r, c] = terrain[r, c]


@kernel
def write_own(
    s: State,
    seat: int,
    match: Array,
    timer: Array,
    circles: Array,
    own_row: Array,
    own_column: Array,
    own_facing: Array,
    own_alive: Array,
) -> int:
    """Rule 15. Write what one player knows without looking, a row for every match in which it moves now."""
    rows = 0
    for m in range(s.seed.size):
        if s.over[m] or not (s.alive[m, seat, SPOTTER] or s.alive[m, seat, ASSASSIN]):
            continue
        match[rows] = m
        timer[rows] = s.timer[m]
        circles[rows] = s.circles[m]
        for piece in range(2):
            own_row[rows, piece] = s.row[m, seat, piece]
            own_column[rows, piece] = s.column[m, seat, piece]
            own_facing[rows, piece] = s.facing[m, seat, piece]
            own_alive[rows, piece] = s.alive[m, seat, piece]
        rows += 1
    return rows


@kernel
def write_boards(
    s: State, seat: int, match: Array, board: Array, spotter_sight: Array, assassin_sight: Array, highground: int
) -> None:
    """Rules 12 to 14. Write what one player's living pieces see in each of these matches, UNSEEN elsewhere."""
    # The state is not handed on from inside this loop: that would cost more than the looking.
    for i in range(match.size):
        m = match[i]
        board[i, :, :] = UNSEEN
        if s.alive[m, seat, SPOTTER]:
            row = s.row[m, seat, SPOTTER]
            column = s.column[m, seat, SPOTTER]
            if s.terrain[m, row, column] == HIGHGROUND:
                look_around(s.terrain[m], board[i], row, column, highground)
            else:
                look_ahead(s.terrain[m], board[i], row, column, s.facing[m, seat, SPOTTER], spotter_sight)
        if s.alive[m, seat, ASSASSIN]:
            row = s.row[m, seat, ASSASSIN]
            column = s.column[m, seat, ASSASSIN]
            look_ahead(s.terrain[m], board[i], row, column, s.facing[m, seat, ASSASSIN], assassin_sight)


@kernel
def write_enemies(
    s: State, seat: int, match: Array, board: Array, enemy_row: Array, enemy_column: Array, enemy_facing: Array
) -> None:
    """Rule 15. Write the other players' living pieces on squares that the player sees."""
    for i in range(match.size):
        m = match[i]
        for other in range(s.alive.shape[1]):
            for piece in range(2):
                row = s.row[m, other, piece]
                column = s.column[m, other, piece]
                if other != seat and s.alive[m, other, piece] and board[i, row, column] != UNSEEN:
                    enemy_row[i, other, piece] = row
                    enemy_column[i, other, piece] = column
                    enemy_facing[i, other, piece] = s.facing[m, other, piece]
                else:
                    enemy_row[i, other, piece] = -1
                    enemy_column[i, other, piece] = -1
                    enemy_facing[i, other, piece] = -1


def sights(settings: Settings) -> tuple[Array, Array, int]:
    """The reach of the pieces, as the kernels take it."""
    return (
        np.array(settings.spotter_sight, dtype=np.int64),
        np.array(settings.assassin_sight, dtype=np.int64),
        settings.highground_sight,
    )


def see(settings: Settings, s: State, views: Views, seat: int) -> Asks:
    """Rule 15. Ask one player in every match in which it has a living piece."""
    room = views.room("act")
    rows = write_own(
        s,
        seat,
        room["match"],
        room["timer"],
        room["circles"],
        room["row"],
        room["column"],
        room["facing"],
        room["alive"],
    )
    room["seat"][:rows] = seat
    match, board = room["match"][:rows], room["board"]
    write_boards(s, seat, match, board, *sights(settings))
    write_enemies(s, seat, match, board, room["enemy_row"], room["enemy_column"], room["enemy_facing"])
    return views.asks("act", rows)


def seen_by(settings: Settings, s: State, match: int) -> Array:
    """int32[rows * columns]: bit k is set where player k's pieces see the square as the board stands."""
    board = np.empty((1, *s.terrain.shape[1:]), np.int8)
    seen = np.zeros(board.shape, np.int32)
    for seat in range(s.alive.shape[1]):
        write_boards(s, seat, np.array([match], np.int32), board, *sights(settings))
        seen |= (board != UNSEEN).astype(np.int32) << seat
    return seen.ravel()


def frame(settings: Settings, s: State, match: int) -> dict[str, Any]:
    """Everything on one board after a round. Pieces lie in the order spotter, assassin of player 0, then 1 ..."""
    rows, columns = s.terrain.shape[1:]
    captures = s.captures[match, : int(s.captured[match])]
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
        "seen": seen_by(settings, s, match),
        "captures": [
            {"seat": seat, "piece": piece, "victim": victim, "lost": lost}
            for seat, piece, victim, lost in captures.tolist()
        ],
        "crushed": [[int(seat), int(piece)] for seat, piece in np.argwhere(s.crushed[match])],
        "alive": s.alive[match].sum(axis=1).tolist(),
        "score": shares(s)[match].tolist(),
    }


def shares(s: State) -> Array:
    """Rule 11. float64[matches, players]: each player's share of the win's one point, 0 while nobody has won."""
    shared: Array = s.winner / np.maximum(s.winner.sum(axis=1, keepdims=True), 1)
    return shared
