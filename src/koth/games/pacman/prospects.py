"""What lies in each direction, by all that a bot has been told so far: for who learns without pictures.

A bot is told the maze, and sees few squares at a time; here is kept what it saw of the others. Ways are those
of the maze, and a square counts less the further it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from koth.game import Array
from koth.games.pacman.state import FRUIT, NOTHING, PELLET, POWER, SEES_GHOST, SEES_PACMAN, STAY, Settings
from koth.grid import DCOL, DROW
from koth.kernel import kernel

FEATURES = (
    "open", "pellets seen", "nearest pellet seen", "squares never seen", "nearest power pellet", "nearest fruit",
    "nearest ghost in sight", "ghosts in sight", "ghosts seen of late", "nearest Pac-Man in sight",
    "room ahead of all ghosts", "food within that room", "been there lately", "back", "protected", "dead",
)  # fmt: skip
(
    OPEN, PELLETS, NEAREST_PELLET, UNSEEN, NEAREST_POWER, NEAREST_FRUIT, NEAREST_GHOST, GHOSTS, LATE_GHOSTS,
    NEAREST_PACMAN, ROOM, SAFE_FOOD, LATELY, BACK, PROTECTED, DEAD,
) = range(len(FEATURES))  # fmt: skip

FAR = 16
"""Steps that are looked ahead."""
WEIGHT = 0.8 ** np.arange(FAR + 1)
"""How much something counts that is so many steps away."""
AFRAID = 8
"""Looks for which a ghost is remembered that is no longer seen."""
UNKNOWN = 0
"""Of a square that was never seen; of others 1 + what lay there."""


class Memory(NamedTuple):
    """What is kept: of each match the squares next to each, of each piece by square what lies there, how fresh the
    sight of a ghost is, when it was there; and of the piece itself."""

    ways: Array
    lies: Array
    fear: Array
    been: Array
    own: Array
    scratch: Array


class Prospects:
    """What the Pac-Men of so many matches remember, `most` in each, and float32[choices, features] made of it."""

    def __init__(self, side: int, matches: int, most: int) -> None:
        squares, agents = side * side, matches * most
        self.most, self.side = most, side
        self._memory = Memory(
            ways=np.zeros((matches, squares, STAY), np.int32),
            lies=np.zeros((agents, squares), np.uint8),
            fear=np.zeros((agents, squares), np.uint8),
            been=np.zeros((agents, squares), np.int32),
            own=np.zeros((agents, 3), np.int32),
            scratch=np.zeros((3, squares), np.int32),
        )

    def begin(self, match: int, walls: Array) -> None:
        """Forget what was; `walls` are the new maze's, one number a square."""
        memory, squares = self._memory, np.arange(self.side * self.side)
        row, column = squares // self.side, squares % self.side
        for d in range(STAY):
            there = (row + DROW[d]) % self.side * self.side + (column + DCOL[d]) % self.side
            memory.ways[match, :, d] = np.where(walls >> d & 1, -1, there)
        for array in (memory.lies, memory.fear, memory.been, memory.own):
            array[match * self.most : (match + 1) * self.most] = 0

    def write(self, match: Array, seen: Array, square: Array, content: Array, rows: Array, out: Array) -> None:
        """Take in what these rows are shown, and write what they expect of each choice."""
        remember(self._memory, seen, square, content, rows, Settings.invincible)
        weigh(self._memory, match, seen, square, content, rows, out)


LOOKS, PROTECTION, LAST = range(3)
"""What is remembered of the piece itself: how often it looked, turns of protection left, its square before."""


@kernel
def remember(memory: Memory, seen: Array, square: Array, content: Array, rows: Array, power: int) -> None:
    """Take in what is shown. A Pac-Man has eaten what lay on its square; under a ghost it still lies."""
    start = 0
    for i in range(rows.size):
        lies, fear, own, me = memory.lies[rows[i]], memory.fear[rows[i]], memory.own[rows[i]], square[start]
        own[LOOKS] += 1
        own[PROTECTION] = max(0, own[PROTECTION] - 1)
        if lies[me] == 1 + POWER and content[start] == 0:
            own[PROTECTION] = power
        for k in range(fear.size):
            fear[k] = max(1, fear[k]) - 1
        for k in range(start, start + seen[i]):
            at, shown = square[k], content[k]
            fear[at] = 0
            if shown == SEES_GHOST:
                fear[at] = AFRAID
            else:
                lies[at] = 1 + (NOTHING if shown == SEES_PACMAN else shown)
        lies[me] = 1 + NOTHING
        start += seen[i]


@kernel
def weigh(memory: Memory, match: Array, seen: Array, square: Array, content: Array, rows: Array, out: Array) -> None:
    """Write the features of each choice, for each row; of a dead piece that it is dead, and nothing else."""
    start = 0
    for i in range(rows.size):
        agent, me = rows[i], square[start]
        own, been = memory.own[agent], memory.been[agent]
        found = out[agent]
        found[:] = 0
        if content[start] == SEES_GHOST:
            found[:, DEAD] = 1
        else:
            flee(memory.ways[match[i]], memory.fear[agent], memory.scratch)
            for choice in range(STAY + 1):
                first = me if choice == STAY else memory.ways[match[i], me, choice]
                if first >= 0:
                    look_ahead(memory, match[i], agent, me, first, found[choice])
                    meet(me, seen[i], start, square, content, memory.scratch, found[choice])
                    found[choice, OPEN] = 1
                    if been[first]:
                        found[choice, LATELY] = 8 / (7 + own[LOOKS] - been[first])
                    found[choice, BACK] = own[LOOKS] > 1 and first == own[LAST]
                    found[choice, PROTECTED] = own[PROTECTION] / 10
        been[me] = own[LOOKS]
        own[LAST] = me
        start += seen[i]


GHOST_STEPS, STEPS, QUEUE = range(3)
"""Scratch: steps from the nearest ghost to each square, those of the way that is looked at, squares to look at."""


@kernel
def flee(maze: Array, fear: Array, scratch: Array) -> None:
    """Write how many steps each square is from the nearest ghost that is remembered; FAR + 1 at most."""
    steps, queue = scratch[GHOST_STEPS], scratch[QUEUE]
    head, tail = 0, 0
    for k in range(fear.size):
        steps[k] = FAR + 1
        if fear[k] > AFRAID - 4:
            steps[k] = 0
            queue[tail] = k
            tail += 1
    while head < tail:
        at = queue[head]
        head += 1
        if steps[at] < FAR:
            for d in range(STAY):
                there = maze[at, d]
                if there >= 0 and steps[there] > FAR:
                    steps[there] = steps[at] + 1
                    queue[tail] = there
                    tail += 1


@kernel
def look_ahead(memory: Memory, match: int, agent: int, me: int, first: int, found: Array) -> None:
    """Add up what lies along this way: what the piece may have first, and what ghosts may bar."""
    maze, lies, fear = memory.ways[match], memory.lies[agent], memory.fear[agent]
    ghosts, steps, queue = memory.scratch[GHOST_STEPS], memory.scratch[STEPS], memory.scratch[QUEUE]
    steps[:] = 0
    steps[me] = -1
    steps[first] = 1
    if ghosts[first] <= 1:
        steps[first] = -1 - FAR  # steps below 0 are of squares that a ghost can reach as soon
    queue[0] = first
    head, tail = 0, 1
    while head < tail:
        at = queue[head]
        head += 1
        safe = steps[at] > 0
        depth = steps[at] if safe else -steps[at] - FAR
        count_square(depth, lies[at], fear[at], safe, found)
        if depth < FAR:
            for d in range(STAY):
                there = maze[at, d]
                if there >= 0 and steps[there] == 0:
                    steps[there] = depth + 1 if safe and ghosts[there] > depth + 1 else -depth - 1 - FAR
                    queue[tail] = there
                    tail += 1


@kernel
def count_square(depth: int, thing: int, fear: int, safe: bool, found: Array) -> None:
    """Add a square so many steps ahead."""
    weight = WEIGHT[depth]
    if thing == UNKNOWN:
        found[UNSEEN] += 0.25 * weight
    elif thing == 1 + PELLET:
        found[PELLETS] += 0.25 * weight
        found[NEAREST_PELLET] = max(found[NEAREST_PELLET], weight)
    elif thing == 1 + POWER:
        found[NEAREST_POWER] = max(found[NEAREST_POWER], weight)
    elif thing == 1 + FRUIT:
        found[NEAREST_FRUIT] = max(found[NEAREST_FRUIT], weight)
    if fear:
        found[LATE_GHOSTS] += weight * WEIGHT[AFRAID - fear]
    if safe:
        found[ROOM] += 0.04
        found[SAFE_FOOD] += 0.25 * weight * (thing != 1 + NOTHING)


@kernel
def meet(me: int, seen: int, start: int, square: Array, content: Array, scratch: Array, found: Array) -> None:
    """Add who is met along this way, of those in sight."""
    steps = scratch[STEPS]
    for k in range(start + 1, start + seen):
        if content[k] < SEES_PACMAN or steps[square[k]] == 0 or square[k] == me:
            continue
        depth = steps[square[k]] if steps[square[k]] > 0 else -steps[square[k]] - FAR
        weight = WEIGHT[depth]
        if content[k] == SEES_GHOST:
            found[GHOSTS] += 0.5 * weight
            found[NEAREST_GHOST] = max(found[NEAREST_GHOST], weight)
        else:
            found[NEAREST_PACMAN] = max(found[NEAREST_PACMAN], weight)
