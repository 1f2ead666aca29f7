"""A policy on arrays: hunt the weak prey, keep away from the rest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from koth.encoding import Scripted
from koth.game import Array
from koth.games.aliens.state import DX, DY, STAY
from koth.kernel import kernel

ALIENS, WHALES, COWS, TURTLES = 1, 2, 3, 4
"""Planes; from the turtles on it is prey that hits as hard as it was born."""
HP, LEAST = 5, 8
"""Where the scalars have its HP, and how many it must have to want a fight."""


class Greedy(Scripted):
    """Goes to the nearest turtle, eagle or human, not next to aliens, and fights while it has HP to lose."""

    def __call__(self, observations: Mapping[str, Array], mask: Array) -> Array:
        actions = np.zeros((len(mask), 2), np.int64)
        choose(observations["planes"], actions)
        actions[:, 1] = observations["scalars"][:, HP] >= LEAST
        return actions


@kernel
def choose(planes: Array, actions: Array) -> None:
    """Write where each row goes."""
    for i in range(actions.shape[0]):
        best = worth(planes[i], 0, 0)
        actions[i, 0] = STAY
        for k in range(DX.size):
            there = worth(planes[i], DX[k], DY[k])
            if there > best:
                best = there
                actions[i, 0] = k


@kernel
def worth(planes: Array, dx: int, dy: int) -> float:
    """How good a square is to go to: near to what can be hunted, away from what can't."""
    centre, sum_of_all = planes.shape[1] // 2, 0.0
    for x in range(-centre, centre + 1):
        for y in range(-centre, centre + 1):
            if x == 0 and y == 0:
                continue
            near = 4.0 ** -max(abs(x - dx), abs(y - dy))
            for plane in range(ALIENS, planes.shape[0]):
                if planes[plane, centre + x, centre + y]:
                    sum_of_all += near if plane >= TURTLES else -4.0 * near
    return sum_of_all
