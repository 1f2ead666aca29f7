"""A policy on arrays: the shortest way to food, past ghosts that are in sight."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from koth.encoding import Scripted
from koth.game import Array
from koth.games.pacman.learn import GHOSTS, PELLETS, SEEN, WALLS
from koth.games.pacman.state import STAY
from koth.grid import DCOL, DROW
from koth.kernel import kernel


class Greedy(Scripted):
    """Goes to the nearest food that it sees; if there is none, to the nearest square that it does not see.

    It enters no square on which a ghost stands, nor one next to it. A dead one stays where it is.
    """

    def __call__(self, observations: Mapping[str, Array], mask: Array) -> Array:
        actions = np.full(len(mask), STAY, np.int64)
        choose(observations["planes"], actions)
        return actions


@kernel(allocates=True)
def choose(planes: Array, actions: Array) -> None:
    """Write an action for each row."""
    size = planes.shape[2]
    queue = np.empty(size * size, np.int64)
    first = np.empty((size, size), np.int64)
    for i in range(actions.size):
        if planes[i, GHOSTS, size // 2, size // 2]:
            continue
        reached = search(planes[i], queue, first)
        found = False
        for wanted in range(2):
            for k in range(1, reached):
                row, column = queue[k] // size, queue[k] % size
                food = False
                for plane in range(PELLETS, PELLETS + 3):
                    food |= planes[i, plane, row, column] != 0
                if not found and (food if wanted == 0 else not planes[i, SEEN, row, column]):
                    actions[i] = first[row, column]
                    found = True


@kernel
def search(planes: Array, queue: Array, first: Array) -> int:
    """Squares in the order of their distance, each with the first step of its way; returns how many they are."""
    size = planes.shape[1]
    first[:] = -1
    queue[0] = size // 2 * size + size // 2
    first[size // 2, size // 2] = STAY
    head, tail = 0, 1
    while head < tail:
        row, column = queue[head] // size, queue[head] % size
        head += 1
        for d in range(STAY):
            r, c = row + DROW[d], column + DCOL[d]
            inside = 0 <= r < size and 0 <= c < size
            if not inside or planes[WALLS + d, row, column] or first[r, c] >= 0 or is_haunted(planes, r, c):
                continue
            first[r, c] = d if head == 1 else first[row, column]
            queue[tail] = r * size + c
            tail += 1
    return tail


@kernel
def is_haunted(planes: Array, row: int, column: int) -> bool:
    """Whether a ghost stands here, or a step away."""
    size = planes.shape[1]
    haunted: bool = planes[GHOSTS, row, column] != 0
    for d in range(STAY):
        r, c = row + DROW[d], column + DCOL[d]
        if 0 <= r < size and 0 <= c < size and not planes[WALLS + d, row, column]:
            haunted |= planes[GHOSTS, r, c] != 0
    return haunted
