"""Where a player's two pieces can go, by all that it has been told so far: for who learns without pictures.

In the fog a bot is told of few squares at a time; what it keeps of that stands in belief.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from koth.game import Array
from koth.games.metalman.belief import NOBODY, Board, Memory, flood, remember
from koth.games.metalman.observation import UNSEEN, Percepts
from koth.games.metalman.state import ASSASSIN, SPOTTER, Settings
from koth.games.metalman.steering import go, goal
from koth.games.metalman.terrain import HIGHGROUND, NONE, WALL
from koth.grid import DCOL, DROW
from koth.kernel import kernel

FEATURES = (
    "open", "the spotter's", "steps", "takes a spotter", "takes an assassin",
    "struck by who is in sight", "struck by who is not", "strikes next who is in sight", "strikes next who is not",
    "nearest enemy in sight", "collapses now", "too far in", "highground", "way to highground", "way to the centre",
    "next to its partner", "never seen", "walls around", "others next to it",
    "partner lives", "enemies left", "players left", "players yet to move",
    "enemies in sight", "collapses so far", "timer",
)  # fmt: skip
(
    OPEN, IS_SPOTTER, FAR, TAKES_SPOTTER, TAKES_ASSASSIN,
    RISK_SEEN, RISK_UNSEEN, PREY_SEEN, PREY_UNSEEN,
    NEAREST, DOOMED, LATE, HILL, TO_HILL, TO_CENTRE,
    PARTNER, UNKNOWN, WALLS, MASS,
    PARTNER_LIVES, LEFT, PLAYERS, TO_MOVE, IN_SIGHT, CIRCLES, TIMER,
) = range(len(FEATURES))  # fmt: skip

NEVER = 99
"""More steps than any way has."""


def places_within(steps: int) -> list[tuple[int, int]]:
    """Rows and columns to every place so many steps away or nearer, the nearest first."""
    square = [(r, c) for r in range(-steps, steps + 1) for c in range(-steps, steps + 1)]
    return sorted((at for at in square if abs(at[0]) + abs(at[1]) <= steps), key=lambda at: abs(at[0]) + abs(at[1]))


class Prospects:
    """What the players of so many matches remember, and float32[choices, features] made of it.

    Choices are where the spotter ends its steps, then where the assassin does: `split` are the spotter's.
    """

    def __init__(self, seats: int, rows: int, columns: int, matches: int, steps: tuple[int, int], timer: int) -> None:
        players, squares = matches * seats, rows * columns
        row, column = np.divmod(np.arange(squares), columns)
        there = [(row + DROW[d], column + DCOL[d]) for d in range(NONE)]
        ways = [np.where((r >= 0) & (r < rows) & (c >= 0) & (c < columns), r * columns + c, -1) for r, c in there]
        choices = [(piece, *place) for piece in (SPOTTER, ASSASSIN) for place in places_within(steps[piece])]
        self.seats, self.split = seats, len(places_within(steps[SPOTTER]))
        i4 = np.int32
        self.board = Board(
            ways=np.stack(ways, 1).astype(i4),
            ring=np.minimum(np.minimum(row, rows - 1 - row), np.minimum(column, columns - 1 - column)).astype(i4),
            choices=np.array(choices, i4),
            most=np.array(steps, i4),
            timer=np.array([timer], i4),
            steps=np.zeros(squares, i4),
            queue=np.zeros(squares, i4),
            to_hill=np.zeros(squares, i4),
            to_centre=np.zeros(squares, i4),
            near=np.zeros((2, 2 * seats), i4),
            heat=np.zeros(squares),
            ground=np.zeros((rows, columns), np.uint8),
            cone=np.zeros((rows, columns), np.int8),
        )
        self.memory = Memory(
            known=np.zeros((players, squares), np.int8),
            maybe=np.zeros((players, 2 * seats, squares), np.bool_),
            counts=np.zeros((players, 2 * seats), i4),
            sighted=np.zeros((players, 2 * seats), i4),
            begun=np.zeros(players, np.bool_),
            place=np.zeros((players, 2), i4),
            lived=np.zeros((players, 2), np.bool_),
        )
        self.open = np.zeros((players, len(choices)), np.bool_)
        """Which choices each player has, by what it was shown last."""
        self._rows = np.zeros(0, np.int64)
        self._sight = tuple(np.array(w, i4) for w in (Settings.spotter_sight, Settings.assassin_sight))

    def begin(self, match: int) -> None:
        """Forget what was."""
        self.memory.begun[match * self.seats : (match + 1) * self.seats] = False

    def write(self, seat: Array, seen: Percepts, rows: Array, out: Array) -> None:
        """Take in what these players are shown, and write what they expect of each choice."""
        remember(self.memory, self.board, seat, seen, rows)
        weigh(self.memory, self.board, seat, seen, rows, out)
        self.open[rows] = out[rows, :, OPEN] > 0
        self._rows = rows.copy()

    def take(self, choice: Array, seen: Percepts, moves: Any, looks: Any) -> None:
        """Write the steps to where they choose to go who were shown something last.

        Their pieces look to where most of those may be whom they don't see.
        """
        go(self.memory, self.board, choice, self.split, seen, self._rows, *moves, *looks, *self._sight)


@kernel
def weigh(memory: Memory, board: Board, seat: Array, seen: Percepts, rows: Array, out: Array) -> None:
    """Write the features of each choice, for each row; of a dead piece only that it stays."""
    columns = seen.board.shape[2]
    for i in range(rows.size):
        agent = rows[i]
        known, found = memory.known[agent], out[agent]
        found[:] = 0
        see_all(memory, agent, seat[i], seen.alive[i], seen.circles[i], seen.timer[i] / board.timer[0], found)
        find_ways(board, known, seen.circles[i], seen.board.shape[1] // 2 * columns + columns // 2)
        for piece in range(2):
            me, partner = memory.place[agent, piece], memory.place[agent, 1 - piece]
            lives, beside = seen.alive[i, piece], partner if seen.alive[i, 1 - piece] else NOBODY
            board.queue[0] = me
            flood(board, known, 1, board.most[piece] if lives else 0, beside, board.steps)
            for k in range(found.shape[0]):
                if board.choices[k, 0] == piece:
                    there = goal(board, k, me, columns)
                    if there >= 0 and board.steps[there] >= 0:
                        found[k, OPEN] = 1
                        found[k, FAR] = board.steps[there] / max(1, board.most[piece])
            for k in range(found.shape[0]):  # again: what follows counts steps anew
                found[k, IS_SPOTTER] = board.choices[k, 0] == SPOTTER
                if board.choices[k, 0] == piece and lives and found[k, OPEN]:
                    there = goal(board, k, me, columns)
                    weigh_place(board, known, seen.circles[i], seen.timer[i], piece, there, found[k])
                    weigh_enemies(memory, board, agent, piece, there, columns, found[k])
                    if beside >= 0:
                        found[k, PARTNER] = 1 / (1 + apart(there, beside, columns))


@kernel
def apart(a: int, b: int, columns: int) -> int:
    """Steps from one square to another, were there no walls."""
    return abs(a // columns - b // columns) + abs(a % columns - b % columns)


@kernel
def see_all(memory: Memory, agent: int, seat: int, alive: Array, circles: int, clock: float, found: Array) -> None:
    """What is the same for all choices."""
    left, players, later, sighted = 0, 0, 0, 0
    for enemy in range(memory.counts.shape[1]):
        lives, partner = memory.counts[agent, enemy] > 0, memory.counts[agent, enemy ^ 1] > 0
        left += lives
        counts = lives and (enemy % 2 == SPOTTER or not partner)
        players += counts
        later += counts and enemy // 2 > seat
        sighted += memory.sighted[agent, enemy] >= 0
    found[:, PARTNER_LIVES] = alive[0] and alive[1]
    found[:, LEFT], found[:, PLAYERS], found[:, TO_MOVE] = left / 6, players / 3, later / 3
    found[:, IN_SIGHT] = sighted / 2
    found[:, CIRCLES], found[:, TIMER] = circles / 10, clock


@kernel
def find_ways(board: Board, known: Array, circles: int, centre: int) -> None:
    """Write how far each square is from highground that holds for a while, and from the centre."""
    board.queue[0] = centre
    flood(board, known, 1, NEVER, NOBODY, board.to_centre)
    tail = 0
    for k in range(known.size):
        board.queue[tail] = k
        tail += known[k] == HIGHGROUND and board.ring[k] > circles
    if tail == 0:  # there is always some near the centre, seen or not
        board.queue[0], tail = centre, 1
    flood(board, known, tail, NEVER, NOBODY, board.to_hill)


@kernel
def weigh_place(board: Board, known: Array, circles: int, timer: int, piece: int, there: int, found: Array) -> None:
    """What a square is like: how long it holds, and how it lies."""
    left = timer + board.timer[0] * (board.ring[there] - circles)
    to_hill = board.to_hill[there] if board.to_hill[there] >= 0 else NEVER
    to_centre = board.to_centre[there] if board.to_centre[there] >= 0 else NEVER
    found[DOOMED] = left <= 1
    found[LATE] = min(max(0, 3 + to_centre / max(1, board.most[piece]) - left), 8) / 4
    found[HILL] = known[there] == HIGHGROUND
    found[TO_HILL], found[TO_CENTRE] = min(to_hill, 20) / 10, min(to_centre, 20) / 10
    found[UNKNOWN] = known[there] == UNSEEN
    for d in range(NONE):
        beside = board.ways[there, d]
        found[WALLS] += 0.25 * (beside < 0 or known[beside] == WALL)


@kernel
def weigh_enemies(
    memory: Memory, board: Board, agent: int, piece: int, there: int, columns: int, found: Array
) -> None:
    """Whom a piece takes on a square, who may strike it there, and whom it may strike from there."""
    near, most = board.near, board.most
    near[:] = 0
    board.queue[0] = there
    tail = flood(board, memory.known[agent], 1, max(most[0], most[1]), NOBODY, board.steps)
    for k in range(tail):
        at = board.queue[k]
        for enemy in range(near.shape[1]):
            here = memory.maybe[agent, enemy, at]
            near[0, enemy] += here and board.steps[at] <= most[enemy % 2]
            near[1, enemy] += here and board.steps[at] <= most[piece]
    spared, hidden = 1.0, 1.0
    for enemy in range(near.shape[1]):
        count, sighted = memory.counts[agent, enemy], memory.sighted[agent, enemy]
        if count == 0:
            continue
        if sighted == there:
            found[TAKES_SPOTTER if enemy % 2 == SPOTTER else TAKES_ASSASSIN] = 1
        elif sighted >= 0:
            spared *= 1 - 0.8 * near[0, enemy]
            found[PREY_SEEN] += 0.5 * near[1, enemy]
            found[NEAREST] = max(found[NEAREST], 1 / apart(there, sighted, columns))
        else:
            hidden *= 1 - 0.8 * near[0, enemy] / count
            found[PREY_UNSEEN] += 0.5 * near[1, enemy] / count
        found[MASS] += 0.5 * near[0, enemy] / count
    found[RISK_SEEN], found[RISK_UNSEEN] = 1 - spared, 1 - hidden
