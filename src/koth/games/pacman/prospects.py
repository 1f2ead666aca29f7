"""What lies in each direction, by all that a bot has been told so far: for who learns without pictures.

A bot is told the maze, and sees few squares at a time; here is kept what it saw of the others. Ways are those
of the maze, and a square counts less the further it is.
"""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.pacman.state import DCOL, DROW, FRUIT, NOTHING, PELLET, POWER, STAY, Settings
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
PACMAN, GHOST = 4, 5
"""What a square can show beside what lies there (rule 32)."""
UNKNOWN = 0
"""Of a square that was never seen; of others 1 + what lay there."""


class Prospects:
    """What the Pac-Men of so many matches remember, `most` in each, and float32[choices, features] made of it."""

    def __init__(self, side: int, matches: int, most: int) -> None:
        squares, agents = side * side, matches * most
        self.most, self.side = most, side
        self._ways = np.zeros((matches, squares, STAY), np.int32)
        self._lies = np.zeros((agents, squares), np.uint8)
        self._fear = np.zeros((agents, squares), np.uint8)
        self._been = np.zeros((agents, squares), np.int32)
        self._own = np.zeros((agents, 3), np.int32)
        self._scratch = np.zeros((3, squares), np.int32)

    def begin(self, match: int, walls: Array) -> None:
        """Forget what was; `walls` are the new maze's, one number a square."""
        squares = np.arange(self.side * self.side)
        row, column = squares // self.side, squares % self.side
        for d in range(STAY):
            there = (row + DROW[d]) % self.side * self.side + (column + DCOL[d]) % self.side
            self._ways[match, :, d] = np.where(walls >> d & 1, -1, there)
        for array in (self._lies, self._fear, self._been, self._own):
            array[match * self.most : (match + 1) * self.most] = 0

    def write(self, match: Array, seen: Array, square: Array, content: Array, rows: Array, out: Array) -> None:
        """Take in what these rows are shown, and write what they expect of each choice."""
        told = self._lies, self._fear, self._been, self._own
        remember(seen, square, content, rows, Settings.invincible, *told)
        weigh(match, seen, square, content, rows, self._ways, *told, self._scratch, out)


LOOKS, PROTECTION, LAST = range(3)
"""What is remembered of the piece itself: how often it looked, turns of protection left, its square before."""


@kernel
def remember(
    seen: Array,
    square: Array,
    content: Array,
    rows: Array,
    power: int,
    lies: Array,
    fear: Array,
    been: Array,
    own: Array,
) -> None:
    """Take in what is shown. A Pac-Man has eaten what lay on its square; under a ghost it still lies."""
    start = 0
    for i in range(rows.size):
        agent, me = rows[i], square[start]
        own[agent, LOOKS] += 1
        own[agent, PROTECTION] = max(0, own[agent, PROTECTION] - 1)
        if lies[agent, me] == 1 + POWER and content[start] == 0:
            own[agent, PROTECTION] = power
        for k in range(fear.shape[1]):
            fear[agent, k] = max(1, fear[agent, k]) - 1
        for k in range(start, start + seen[i]):
            at, shown = square[k], content[k]
            fear[agent, at] = 0
            if shown == GHOST:
                fear[agent, at] = AFRAID
            else:
                lies[agent, at] = 1 + (NOTHING if shown == PACMAN else shown)
        lies[agent, me] = 1 + NOTHING
        start += seen[i]


@kernel
def weigh(
    match: Array,
    seen: Array,
    square: Array,
    content: Array,
    rows: Array,
    ways: Array,
    lies: Array,
    fear: Array,
    been: Array,
    own: Array,
    scratch: Array,
    out: Array,
) -> None:
    """Write the features of each choice, for each row; of a dead piece that it is dead, and nothing else."""
    start = 0
    for i in range(rows.size):
        agent, me = rows[i], square[start]
        maze, found = ways[match[i]], out[agent]
        found[:] = 0
        if content[start] == GHOST:
            found[:, DEAD] = 1
        else:
            flee(maze, fear[agent], scratch)
            for choice in range(STAY + 1):
                first = me if choice == STAY else maze[me, choice]
                if first >= 0:
                    look_ahead(me, first, maze, lies[agent], fear[agent], scratch, found[choice])
                    meet(first, me, seen[i], start, square, content, scratch, found[choice])
                    found[choice, OPEN] = 1
                    if been[agent, first]:
                        found[choice, LATELY] = 8 / (7 + own[agent, LOOKS] - been[agent, first])
                    found[choice, BACK] = own[agent, LOOKS] > 1 and first == own[agent, LAST]
                    found[choice, PROTECTED] = own[agent, PROTECTION] / 10
        been[agent, me] = own[agent, LOOKS]
        own[agent, LAST] = me
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
def look_ahead(me: int, first: int, maze: Array, lies: Array, fear: Array, scratch: Array, found: Array) -> None:
    """Add up what lies along this way: what the piece may have first, and what ghosts may bar."""
    ghosts, steps, queue = scratch[GHOST_STEPS], scratch[STEPS], scratch[QUEUE]
    steps[:] = 0
    steps[me] = -1
    steps[first] = 1
    if ghosts[first] <= 1:
        steps[first] = -1 - FAR  # steps below 0 are of squares that a ghost can reach as soon
    queue[0] = first
    head, tail = 0, 1
    depth, last = 1, 1
    while head < tail:
        if head == last:
            depth += 1
            last = tail
        at = queue[head]
        head += 1
        safe = steps[at] > 0
        weight = WEIGHT[depth]
        thing = lies[at]
        if thing == UNKNOWN:
            found[UNSEEN] += 0.25 * weight
        elif thing == 1 + PELLET:
            found[PELLETS] += 0.25 * weight
            found[NEAREST_PELLET] = max(found[NEAREST_PELLET], weight)
        elif thing == 1 + POWER:
            found[NEAREST_POWER] = max(found[NEAREST_POWER], weight)
        elif thing == 1 + FRUIT:
            found[NEAREST_FRUIT] = max(found[NEAREST_FRUIT], weight)
        if fear[at]:
            found[LATE_GHOSTS] += weight * WEIGHT[AFRAID - fear[at]]
        if safe:
            found[ROOM] += 0.04
            found[SAFE_FOOD] += 0.25 * weight * (thing != 1 + NOTHING)
        if depth < FAR:
            for d in range(STAY):
                there = maze[at, d]
                if there >= 0 and steps[there] == 0:
                    steps[there] = depth + 1 if safe and ghosts[there] > depth + 1 else -depth - 1 - FAR
                    queue[tail] = there
                    tail += 1


@kernel
def meet(
    first: int, me: int, seen: int, start: int, square: Array, content: Array, scratch: Array, found: Array
) -> None:
    """Add who is met along this way, of those in sight."""
    steps = scratch[STEPS]
    for k in range(start + 1, start + seen):
        if content[k] < PACMAN or steps[square[k]] == 0 or square[k] == me:
            continue
        depth = steps[square[k]] if steps[square[k]] > 0 else -steps[square[k]] - FAR
        weight = WEIGHT[depth]
        if content[k] == GHOST:
            found[GHOSTS] += 0.5 * weight
            found[NEAREST_GHOST] = max(found[NEAREST_GHOST], weight)
        else:
            found[NEAREST_PACMAN] = max(found[NEAREST_PACMAN], weight)
