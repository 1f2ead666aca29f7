"""A policy on arrays: catch who is seen, else go where the map closes in last."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from koth.encoding import Scripted
from koth.game import Array
from koth.games.metalman.learn import ENEMIES, PIECES, WALLS
from koth.games.metalman.prospects import places_within
from koth.games.metalman.state import Settings
from koth.games.metalman.terrain import NONE
from koth.grid import DCOL, DROW
from koth.kernel import kernel

ALIVE, PLACES = 2, 3
"""Where the scalars have a piece's life and its row and column: for the spotter, three further on the assassin's."""

STEPS = "spotter_steps", "assassin_steps"
"""The settings that say how far the pieces go."""


class Greedy(Scripted):
    """Both pieces take the shortest way to the nearest enemy in sight, or to the centre; there they turn around."""

    def __call__(self, observations: Mapping[str, Array], mask: Array) -> Array:
        steps = [int(self.purpose.settings.get(name, getattr(Settings, name))) for name in STEPS]
        actions = np.full((len(mask), sum(steps) + 2), NONE, np.int64)
        choose(observations["planes"], observations["scalars"], steps[0], actions)
        if "prospects" not in observations:
            return actions
        parts = actions[:, : steps[0]], actions[:, steps[0] + 1 : -1]
        return np.stack([goals(part, places_within(most)) for part, most in zip(parts, steps, strict=True)], 1)


def goals(steps: Array, places: list[tuple[int, int]]) -> Array:
    """Which of these places, in rows and columns from the first one, each row of steps leads to."""
    there = np.stack((DROW[steps].sum(1), DCOL[steps].sum(1)), 1)
    found: Array = (there[:, None] == np.array(places)).all(2).argmax(1)
    return found


@kernel(allocates=True)
def choose(planes: Array, scalars: Array, spotter_steps: int, actions: Array) -> None:
    """Write the actions of each row."""
    rows, columns = planes.shape[2], planes.shape[3]
    distance = np.empty((rows, columns), np.int64)
    queue = np.empty(rows * columns, np.int64)
    for i in range(actions.shape[0]):
        for piece in range(2):
            if scalars[i, ALIVE + 3 * piece] == 0:
                continue
            row, column = int(scalars[i, PLACES + 3 * piece]), int(scalars[i, PLACES + 3 * piece + 1])
            first = 0 if piece == 0 else spotter_steps + 1
            last = spotter_steps if piece == 0 else actions.shape[1] - 1
            facing = int(planes[i, PIECES + piece, row, column]) - 1
            spread(planes[i], row, column, distance, queue)
            target = nearest_enemy(planes[i], distance)
            spread(planes[i], target // columns, target % columns, distance, queue)
            actions[i, last] = (facing + 1) % 4
            for k in range(first, last):
                step = NONE
                for d in range(4):
                    r, c = row + DROW[d], column + DCOL[d]
                    if 0 <= r < rows and 0 <= c < columns and 0 <= distance[r, c] < distance[row, column]:
                        step = d
                if step == NONE:
                    break
                row, column = row + DROW[step], column + DCOL[step]
                actions[i, k] = step
                actions[i, last] = step


@kernel
def spread(planes: Array, row: int, column: int, distance: Array, queue: Array) -> None:
    """Steps from one square to every other, -1 where no way is; what is not seen is taken for open."""
    rows, columns = distance.shape
    distance[:] = -1
    distance[row, column] = 0
    queue[0] = row * columns + column
    head, tail = 0, 1
    while head < tail:
        at, head = queue[head], head + 1
        for d in range(4):
            r, c = at // columns + DROW[d], at % columns + DCOL[d]
            if 0 <= r < rows and 0 <= c < columns and distance[r, c] < 0 and not planes[WALLS, r, c]:
                distance[r, c] = distance[at // columns, at % columns] + 1
                queue[tail] = r * columns + c
                tail += 1


@kernel
def nearest_enemy(planes: Array, distance: Array) -> int:
    """The square (row * columns + column) of the nearest enemy in sight; the map's centre if there is none."""
    rows, columns = distance.shape
    best = rows * columns
    found: int = rows // 2 * columns + columns // 2
    for r in range(rows):
        for c in range(columns):
            enemy = planes[ENEMIES, r, c] | planes[ENEMIES + 1, r, c]
            if enemy and 0 <= distance[r, c] < best:
                best, found = distance[r, c], r * columns + c
    return found
