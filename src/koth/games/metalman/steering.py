"""How pieces go where a player has chosen to go, and where they look then."""

from __future__ import annotations

from koth.game import Array
from koth.games.metalman.belief import NOBODY, Board, Memory, flood, spread
from koth.games.metalman.observation import UNSEEN, Percepts, look_ahead
from koth.games.metalman.state import ASSASSIN, SPOTTER
from koth.games.metalman.terrain import FLOOR, NONE
from koth.kernel import kernel


@kernel
def goal(board: Board, choice: int, me: int, columns: int) -> int:
    """The square to which a choice leads, -1 off the map."""
    row, column = me // columns + board.choices[choice, 1], me % columns + board.choices[choice, 2]
    there = row * columns + column
    on_map = row >= 0 and 0 <= column < columns and there < board.ring.size
    return there if on_map else -1


@kernel
def go(
    memory: Memory, board: Board, choice: Array, split: int, seen: Percepts, rows: Array,
    spotter_moves: Array, assassin_moves: Array, spotter_looks: Array, assassin_looks: Array,
    spotter_sight: Array, assassin_sight: Array,
) -> None:  # fmt: skip
    """See `Prospects.take`. A square that the partner has taken since, or bars the way to, is not gone to."""
    columns = seen.board.shape[2]
    for i in range(rows.size):
        agent = rows[i]
        known, place, alive = memory.known[agent], memory.place[agent], seen.alive[i]
        heat_up(memory, board, agent)
        end = place[SPOTTER]
        if alive[SPOTTER]:
            partner = place[ASSASSIN] if alive[ASSASSIN] else NOBODY
            there = goal(board, choice[i, 0], place[SPOTTER], columns)
            end = walk_to(board, known, place[SPOTTER], there, partner, spotter_moves[i])
            spotter_looks[i] = watch(board, SPOTTER, end, columns, spotter_sight)
        if alive[ASSASSIN]:
            there = goal(board, split + choice[i, 1], place[ASSASSIN], columns)
            partner = end if alive[SPOTTER] else NOBODY
            end = walk_to(board, known, place[ASSASSIN], there, partner, assassin_moves[i])
            assassin_looks[i] = watch(board, ASSASSIN, end, columns, assassin_sight)


@kernel
def walk_to(board: Board, known: Array, start: int, there: int, partner: int, moves: Array) -> int:
    """Write the steps of a shortest way, none if there is none so short; returns the square where they end."""
    board.queue[0] = start
    flood(board, known, 1, moves.size, partner, board.steps)
    if there < 0 or board.steps[there] < 0:
        return start
    at = there
    for k in range(board.steps[there] - 1, -1, -1):
        before = at
        for d in range(NONE):
            back = board.ways[before, (d + 2) % NONE]
            if back >= 0 and board.steps[back] == k:
                moves[k], at = d, back
    return there


@kernel
def heat_up(memory: Memory, board: Board, agent: int) -> None:
    """Write how likely somebody is on each square after its next steps; and the ground, open where none was seen."""
    known, heat, ground = memory.known[agent], board.heat, board.ground.reshape(board.heat.size)
    heat[:] = 0.01
    for k in range(known.size):
        ground[k] = FLOOR if known[k] == UNSEEN else known[k]
    for enemy in range(memory.counts.shape[1]):
        if memory.counts[agent, enemy]:
            tail = spread(board, known, memory.maybe[agent, enemy], board.most[enemy % 2])
            for k in range(tail):
                heat[board.queue[k]] += 1 / tail


@kernel
def watch(board: Board, piece: int, at: int, columns: int, widths: Array) -> int:
    """The direction in which most may be seen from a square; what is seen so need not be seen twice."""
    best, most = 0, -1.0
    row, column = at // columns, at % columns
    for facing in range(NONE):
        sees = sum_seen(board, row, column, facing, widths, False)
        if sees > most:
            best, most = facing, sees
    sum_seen(board, row, column, best, widths, True)
    return best


@kernel
def sum_seen(board: Board, row: int, column: int, facing: int, widths: Array, cools: bool) -> float:
    """How much heat a piece sees; with `cools` it is gone then."""
    rows, columns = board.cone.shape
    shown, total = board.cone.reshape(board.heat.size), 0.0
    shown[:] = UNSEEN
    look_ahead(board.ground.reshape(shown.size), shown, rows, columns, row, column, facing, widths)
    for k in range(shown.size):
        if shown[k] != UNSEEN:
            total += board.heat[k]
            if cools:
                board.heat[k] = 0
    return total
