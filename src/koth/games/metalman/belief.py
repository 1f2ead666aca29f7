"""What a player knows: the map that it saw, and where every piece of the others may be by now.

A piece out of sight is within its reach of where it may have been before, and on no square that is seen to be empty.
"""

from __future__ import annotations

from typing import NamedTuple

from koth.game import Array
from koth.games.metalman.observation import UNSEEN, Percepts
from koth.games.metalman.rules import start_of
from koth.games.metalman.terrain import NONE, WALL
from koth.kernel import kernel

NOBODY = -1


class Memory(NamedTuple):
    """What is kept of each player: the map, -1 where it was never seen; of each piece of the others where it may be,
    on how many squares, and where it is seen now; and of its own pieces where they were and whether they lived."""

    known: Array
    maybe: Array
    counts: Array
    sighted: Array
    begun: Array
    place: Array
    lived: Array


class Board(NamedTuple):
    """What never changes, and room to count in: of each square the next ones, and how far from the edge it is; of
    each choice whose it is, and rows and columns to where it leads; each piece's steps in a turn."""

    ways: Array
    ring: Array
    choices: Array
    most: Array
    timer: Array
    steps: Array
    queue: Array
    to_hill: Array
    to_centre: Array
    near: Array
    heat: Array
    ground: Array
    cone: Array


@kernel
def flood(board: Board, known: Array, tail: int, most: int, blocked: int, steps: Array) -> int:
    """Write how far each square is from the first `tail` ones in the queue, `most` steps at most, else -1.

    What was never seen is taken for open. The squares that are reached stand in the queue then, nearest first;
    returns how many they are.
    """
    queue = board.queue
    steps[:] = -1
    for k in range(tail):
        steps[queue[k]] = 0
    head = 0
    while head < tail:
        at = queue[head]
        head += 1
        if steps[at] < most:
            for d in range(NONE):
                there = board.ways[at, d]
                if there >= 0 and steps[there] < 0 and known[there] != WALL and there != blocked:
                    steps[there] = steps[at] + 1
                    queue[tail] = there
                    tail += 1
    return tail


@kernel
def spread(board: Board, known: Array, maybe: Array, most: int) -> int:
    """Write to the queue where somebody may be after so many steps; returns how many squares they are."""
    tail = 0
    for k in range(maybe.size):
        board.queue[tail] = k
        tail += maybe[k]
    return flood(board, known, tail, most, NOBODY, board.steps)


@kernel
def expect_all(memory: Memory, agent: int, seat: int, rows: int, columns: int) -> None:
    """A match begins: the others stand in their corners."""
    memory.begun[agent] = True
    memory.known[agent, :] = UNSEEN
    memory.maybe[agent] = False
    memory.lived[agent, :] = False
    memory.sighted[agent, :] = NOBODY
    seats = memory.counts.shape[1] // 2
    for other in range(seats):
        for piece in range(2):
            row, column, _ = start_of(other, seats, piece, rows, columns)
            memory.counts[agent, 2 * other + piece] = other != seat
            memory.maybe[agent, 2 * other + piece, row * columns + column] = other != seat


@kernel
def remember(memory: Memory, board: Board, seat: Array, seen: Percepts, rows: Array) -> None:
    """Take in what is shown, and where everybody may be. Who can be nowhere any more is dead."""
    columns = seen.board.shape[2]
    for i in range(rows.size):
        agent = rows[i]
        if not memory.begun[agent]:
            expect_all(memory, agent, seat[i], seen.board.shape[1], columns)
        known = memory.known[agent]
        shown = seen.board[i].reshape(known.size)
        for k in range(known.size):
            if board.ring[k] < seen.circles[i]:
                known[k] = WALL
            elif shown[k] != UNSEEN:
                known[k] = shown[k]
        for enemy in range(memory.counts.shape[1]):
            bury(memory, agent, enemy, seen.row[i], seen.column[i], columns)
            if memory.counts[agent, enemy]:
                follow(memory, board, agent, enemy, shown)
            row, column = seen.enemy_row[i, enemy // 2, enemy % 2], seen.enemy_column[i, enemy // 2, enemy % 2]
            memory.sighted[agent, enemy] = row * columns + column if row >= 0 else NOBODY
            if row >= 0:
                memory.maybe[agent, enemy] = False
                memory.maybe[agent, enemy, row * columns + column] = True
                memory.counts[agent, enemy] = 1
        for piece in range(2):
            memory.place[agent, piece] = seen.row[i, piece] * columns + seen.column[i, piece]
            memory.lived[agent, piece] = seen.alive[i, piece]


@kernel
def bury(memory: Memory, agent: int, enemy: int, row: Array, column: Array, columns: int) -> None:
    """A piece is dead on whose square one of its own has ended its last steps."""
    for piece in range(2):
        if memory.lived[agent, piece] and memory.sighted[agent, enemy] == row[piece] * columns + column[piece]:
            memory.counts[agent, enemy] = 0


@kernel
def follow(memory: Memory, board: Board, agent: int, enemy: int, shown: Array) -> None:
    """A piece has moved since the last look, and is on no square that is seen: there it would be shown."""
    known, maybe = memory.known[agent], memory.maybe[agent, enemy]
    tail = spread(board, known, maybe, board.most[enemy % 2])
    maybe[:] = False
    count = 0
    for k in range(tail):
        at = board.queue[k]
        there = shown[at] == UNSEEN and known[at] != WALL
        maybe[at] = there
        count += there
    memory.counts[agent, enemy] = count
