"""The rules of metalman, phase by phase, in the order of a round."""

from __future__ import annotations

from koth.game import Array
from koth.games.metalman.state import State
from koth.games.metalman.terrain import DCOLUMN, DOWN, DROW, WALL, random_map
from koth.kernel import kernel, phase


@kernel
def draw_maps(s: State) -> None:
    """Rule 1. Every match gets the random map of its seed."""
    for m in range(s.seed.size):
        random_map(s.terrain[m], s.seed[m])


@kernel
def set_up_pieces(s: State, seats: int) -> None:
    """Rule 2. Each player's two pieces side by side in its corner; two players take opposite ones."""
    rows, columns = s.terrain.shape[1:]
    for m in range(s.seed.size):
        for seat in range(seats):
            corner = seat * 2 if seats == 2 else seat
            row = rows - 1 if corner >= 2 else 0
            column = columns - 1 if corner == 1 or corner == 2 else 0
            facing = (DOWN + corner) % 4
            beside = (facing + 3) % 4  # the assassin stands on the spotter's left
            for piece in range(2):
                s.row[m, seat, piece] = row + piece * DROW[beside]
                s.column[m, seat, piece] = column + piece * DCOLUMN[beside]
                s.facing[m, seat, piece] = facing
                s.alive[m, seat, piece] = True


@kernel
def begin_round(s: State) -> None:
    """Rule 3. Count the round, and forget what happened in the one before."""
    columns = s.terrain.shape[2]
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        s.round[m] += 1
        s.captured[m] = 0
        for seat in range(s.alive.shape[1]):
            for piece in range(2):
                s.crushed[m, seat, piece] = False
                s.trail[m, seat, piece, :] = s.row[m, seat, piece] * columns + s.column[m, seat, piece]


@phase
def walk_piece(s: State, m: int, seat: int, piece: int, steps: Array, partner_row: int, partner_column: int) -> None:
    """Rule 4. Take the steps one by one; one that can't be taken is used up in place.

    Writes every square stood on to `trail`, the last one up to its end. A partner at (-1, -1) is not in the way.
    """
    rows, columns = s.terrain.shape[1:]
    row = s.row[m, seat, piece]
    column = s.column[m, seat, piece]
    for k in range(s.trail.shape[3] - 1):
        if k < steps.size and steps[k] < 4:
            r = row + DROW[steps[k]]
            c = column + DCOLUMN[steps[k]]
            inside = 0 <= r < rows and 0 <= c < columns
            if inside and s.terrain[m, r, c] != WALL and not (r == partner_row and c == partner_column):
                row = r
                column = c
        s.trail[m, seat, piece, k + 1] = row * columns + column
    s.row[m, seat, piece] = row
    s.column[m, seat, piece] = column


@kernel
def walk(s: State, match: Array, seat: int, piece: int, steps: Array) -> None:
    """Rule 4. The living pieces of one player walk; only a living partner is in the way."""
    for i in range(match.size):
        m = match[i]
        if s.alive[m, seat, piece]:
            there = s.alive[m, seat, 1 - piece]
            partner_row = s.row[m, seat, 1 - piece] if there else -1
            partner_column = s.column[m, seat, 1 - piece] if there else -1
            walk_piece(s, m, seat, piece, steps[i], partner_row, partner_column)


@kernel
def capture(s: State, match: Array, seat: int, piece: int) -> None:
    """Rule 5. An enemy on the square where a living piece ended its steps is captured."""
    for i in range(match.size):
        m = match[i]
        if not s.alive[m, seat, piece]:
            continue
        row = s.row[m, seat, piece]
        column = s.column[m, seat, piece]
        for other in range(s.alive.shape[1]):
            for victim in range(2):
                here = (s.row[m, other, victim] == row) & (s.column[m, other, victim] == column)
                if here and other != seat and s.alive[m, other, victim]:
                    s.alive[m, other, victim] = False
                    note_capture(s, m, seat, piece, other, victim)


@phase
def note_capture(s: State, m: int, seat: int, piece: int, other: int, victim: int) -> None:
    """Keep who took whom, for whoever looks at the round."""
    entry = s.captured[m]
    s.captures[m, entry, 0] = seat
    s.captures[m, entry, 1] = piece
    s.captures[m, entry, 2] = other
    s.captures[m, entry, 3] = victim
    s.captured[m] += 1


@kernel
def turn_pieces(s: State, match: Array, seat: int, piece: int, direction: Array) -> None:
    """Rule 6. The piece, dead or alive, faces the answered direction."""
    for i in range(match.size):
        facing = s.facing[match[i], seat, piece]
        s.facing[match[i], seat, piece] = direction[i] if direction[i] < 4 else facing


@phase
def players_alive(s: State, m: int) -> int:
    """How many players have a living piece."""
    count = 0
    for seat in range(s.alive.shape[1]):
        count += s.alive[m, seat, 0] | s.alive[m, seat, 1]
    return count


@kernel
def end_decided(s: State) -> None:
    """Rule 9. With at most one player left the match is over, and that player has won it."""
    for m in range(s.seed.size):
        if not s.over[m] and players_alive(s, m) <= 1:
            s.over[m] = True
            for seat in range(s.alive.shape[1]):
                s.winner[m, seat] = s.alive[m, seat, 0] or s.alive[m, seat, 1]


@kernel
def collapse(s: State, timer: int) -> None:
    """Rule 10. When the timer runs out the outermost ring left becomes wall, and pieces on it die.

    Rule 11. If nobody is left after that, those who were alive before it share the win.
    """
    rows, columns = s.terrain.shape[1:]
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        s.timer[m] -= 1
        if s.timer[m] > 0:
            continue
        s.timer[m] = timer
        ring = s.circles[m]
        s.circles[m] += 1
        for column in range(ring, columns - ring):
            s.terrain[m, ring, column] = WALL
            s.terrain[m, rows - 1 - ring, column] = WALL
        for row in range(ring, rows - ring):
            s.terrain[m, row, ring] = WALL
            s.terrain[m, row, columns - 1 - ring] = WALL
        for seat in range(s.alive.shape[1]):
            s.winner[m, seat] = s.alive[m, seat, 0] or s.alive[m, seat, 1]
            for piece in range(2):
                square = s.terrain[m, s.row[m, seat, piece], s.column[m, seat, piece]]
                if s.alive[m, seat, piece] and square == WALL:
                    s.alive[m, seat, piece] = False
                    s.crushed[m, seat, piece] = True
        if players_alive(s, m) == 0:
            s.over[m] = True
        else:
            s.winner[m, :] = False
