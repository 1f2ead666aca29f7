"""A policy on arrays: shoot the zombie that comes close, else get away from those in sight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth.encoding import Scripted
from koth.errors import KothError
from koth.game import Array
from koth.games.zombies.planes import ZOMBIES
from koth.games.zombies.prospects import AT_ZOMBIE, PROXIMITY
from koth.games.zombies.state import DX, DY, SHOOT, STAY
from koth.kernel import kernel

CLOSE = 2
"""A zombie that is no further away than this is shot at."""


class Greedy(Scripted):
    """Shoots the nearest zombie when it is close, and else makes the move after which the nearest is furthest."""

    def __init__(self, purpose: Any) -> None:
        super().__init__(purpose)
        if "planes" not in purpose.observations:
            raise KothError("zombies' greedy policy looks at planes, which this view has not")

    def __call__(self, observations: Mapping[str, Array], mask: Array) -> Array:
        actions = np.full(len(mask), STAY, np.int64)
        if "prospects" not in observations:
            choose(observations["planes"], mask, actions)
            return actions
        choose(observations["planes"], np.zeros((len(mask), SHOOT + 1), np.bool_), actions)
        shots = observations["prospects"][:, SHOOT:]
        close = (shots[..., AT_ZOMBIE] * shots[..., PROXIMITY] >= 1 / CLOSE) & mask[:, SHOOT:]
        return np.where(close.any(1), SHOOT + close.argmax(1), actions)


@kernel
def choose(planes: Array, mask: Array, actions: Array) -> None:
    """Write an action for each row."""
    centre = planes.shape[2] // 2
    size = int(np.sqrt(mask.shape[1] - SHOOT))
    for i in range(actions.size):
        nearest, at_y, at_x = centre + 1, 0, 0
        for y in range(-centre, centre + 1):
            for x in range(-centre, centre + 1):
                if planes[i, ZOMBIES, centre + y, centre + x] and max(abs(y), abs(x)) < nearest:
                    nearest, at_y, at_x = max(abs(y), abs(x)), y, x
        shot = SHOOT + (at_y + size // 2) * size + at_x + size // 2
        if nearest <= min(CLOSE, size // 2) and mask[i, shot]:
            actions[i] = shot
            continue
        best = danger(planes[i], 0, 0)
        for k in range(SHOOT):
            taken = False
            for plane in range(planes.shape[1]):
                taken |= planes[i, plane, centre + DY[k], centre + DX[k]] != 0
            there = danger(planes[i], DY[k], DX[k])
            if there < best and not taken:
                best = there
                actions[i] = k


@kernel
def danger(planes: Array, dy: int, dx: int) -> float:
    """How near the zombies are to a square: the nearest count most."""
    centre, sum_of_all = planes.shape[1] // 2, 0.0
    for y in range(-centre, centre + 1):
        for x in range(-centre, centre + 1):
            if planes[ZOMBIES, centre + y, centre + x]:
                sum_of_all += 8.0 ** -max(abs(y - dy), abs(x - dx))
    return sum_of_all
