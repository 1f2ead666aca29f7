"""The rules of metalman, phase by phase, in the order of a round."""

from __future__ import annotations

from koth.game import Array
from koth.games.metalman.state import State
from koth.games.metalman.terrain import DOWN, NONE, WALL, corners, random_map
from koth.grid import DCOL, DROW
from koth.kernel import kernel


@kernel
def draw_maps(s: State) -> None:
    """Rule 1. Give every match the random map of its seed."""
    for m in range(s.seed.size):
        random_map(s.terrain[m], s.seed[m])


def set_up_pieces(s: State, seats: int) -> None:
    """Rule 2. Put each player's two pieces side by side in its corner; two players take opposite corners."""
    places = corners(*s.terrain.shape[1:])
    s.alive[:] = True
    for seat in range(seats):
        corner = seat * 2 if seats == 2 else seat
        s.facing[:, seat] = (DOWN + corner) % 4
        for piece in range(2):
            s.row[:, seat, piece], s.column[:, seat, piece] = places[corner][piece]


@kernel(inline=True)
def begin_round(s: State, m: int) -> None:
    """Rule 3. Count the round, and reset the notes of the last round for pictures and events."""
    columns = s.terrain.shape[2]
    s.round[m] += 1
    s.capture_count[m] = 0
    for seat in range(s.alive.shape[1]):
        for piece in range(2):
            s.crushed[m, seat, piece] = False
            for k in range(s.trail.shape[3]):
                s.trail[m, seat, piece, k] = s.row[m, seat, piece] * columns + s.column[m, seat, piece]


@kernel(inline=True)
def walk(s: State, m: int, seat: int, piece: int, steps: Array, dead_in_way: bool) -> None:
    """Rule 4. Move a living piece step by step; an impossible step is used up in place.

    A living partner blocks the way; in the ruleset `original` (`dead_in_way`) a dead partner does, too. Writes the
    square after each step to `trail`, and fills the rest with the last square.
    """
    if not s.alive[m, seat, piece]:
        return
    rows, columns = s.terrain.shape[1:]
    row = int(s.row[m, seat, piece])
    column = int(s.column[m, seat, piece])
    there = s.alive[m, seat, 1 - piece] or dead_in_way
    partner = s.row[m, seat, 1 - piece] * columns + s.column[m, seat, 1 - piece] if there else -1
    for k in range(steps.size):
        step = min(steps[k], NONE)
        r, c = row + DROW[step], column + DCOL[step]
        if 0 <= r < rows and 0 <= c < columns and s.terrain[m, r, c] != WALL and r * columns + c != partner:
            row, column = r, c
        s.trail[m, seat, piece, k + 1] = row * columns + column
    for k in range(steps.size + 1, s.trail.shape[3]):
        s.trail[m, seat, piece, k] = row * columns + column
    s.row[m, seat, piece] = row
    s.column[m, seat, piece] = column


@kernel(inline=True)
def capture(s: State, m: int, seat: int, piece: int) -> None:
    """Rule 5. Capture an enemy on the square where a living piece ended its steps."""
    row = s.row[m, seat, piece]
    column = s.column[m, seat, piece]
    for other in range(s.alive.shape[1]):
        for victim in range(2):
            here = (s.row[m, other, victim] == row) & (s.column[m, other, victim] == column)
            if here and other != seat and s.alive[m, seat, piece] and s.alive[m, other, victim]:
                s.alive[m, other, victim] = False
                note_capture(s, m, seat, piece, other, victim)


@kernel(inline=True)
def note_capture(s: State, m: int, seat: int, piece: int, other: int, victim: int) -> None:
    """Record a capture, for pictures and events."""
    entry = s.capture_count[m]
    s.captures[m, entry, 0] = seat
    s.captures[m, entry, 1] = piece
    s.captures[m, entry, 2] = other
    s.captures[m, entry, 3] = victim
    s.capture_count[m] += 1


@kernel(inline=True)
def turn_piece(s: State, m: int, seat: int, piece: int, direction: int) -> None:
    """Rule 6. Turn the piece, dead or alive, to the answered direction."""
    s.facing[m, seat, piece] = direction if direction < 4 else s.facing[m, seat, piece]


@kernel(inline=True)
def players_alive(s: State, m: int) -> int:
    """Return the number of players with a living piece."""
    count = 0
    for seat in range(s.alive.shape[1]):
        count += s.alive[m, seat, 0] | s.alive[m, seat, 1]
    return count


@kernel(inline=True)
def end_decided(s: State, m: int) -> None:
    """Rule 9. End a match with at most one player left, who has won it."""
    if not s.over[m] and players_alive(s, m) <= 1:
        s.over[m] = True
        for seat in range(s.alive.shape[1]):
            s.winner[m, seat] = s.alive[m, seat, 0] or s.alive[m, seat, 1]


@kernel(inline=True)
def collapse(s: State, m: int, timer: int) -> None:
    """Rule 10. Count down; when the timer runs out, turn the outermost ring left into walls; pieces on the ring die.

    Rule 11. If no player is left after the collapse, the players alive before it share the win.
    """
    s.timer[m] -= 1
    if s.timer[m] > 0:
        return
    rows, columns = s.terrain.shape[1:]
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
        s.winner[m, seat] = s.alive[m, seat, 0] or s.alive[m, seat, 1]  # if all of them die now
        for piece in range(2):
            square = s.terrain[m, s.row[m, seat, piece], s.column[m, seat, piece]]
            if s.alive[m, seat, piece] and square == WALL:
                s.alive[m, seat, piece] = False
                s.crushed[m, seat, piece] = True
    if players_alive(s, m) == 0:
        s.over[m] = True
    else:
        s.winner[m, :] = False
