"""Aliens for learning: a window of planes around the instance; where it goes, and whether it wants to fight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth import encoding
from koth.encoding import Head
from koth.game import Array, Field, Observations, Question
from koth.games.aliens.state import ABILITIES, LETTERS, MOVES, PREY, STAY
from koth.kernel import kernel

PLANES = ("seen", "aliens", *PREY)


class Encoding(encoding.Encoding):
    """What rule 3 shows of the squares up to `window` away, itself in the centre.

    A step is the question where it goes. Of its two actions the second says whether it wants to fight, whomever it
    meets in this round. Points are set by a rule: `points`, the same for all instances, or as many for each ability.
    """

    def __init__(
        self,
        match_info: Mapping[str, Any],
        questions: Mapping[str, Question],
        matches: int,
        *,
        window: int = 4,
        points: tuple[float, ...] | None = None,
    ) -> None:
        self.reach = window
        self.points = points or (match_info["points"] / len(ABILITIES),) * len(ABILITIES)
        super().__init__(match_info, questions, matches)

    def _steps(self) -> tuple[str, ...]:
        return ("move",)

    def _observations(self) -> Mapping[str, Field]:
        size = 2 * self.reach + 1
        planes = Field("u1", (len(PLANES), size, size), low=0, high=1, doc=", ".join(PLANES) + "; [plane, x, y]")
        doc = f"levels of {', '.join(ABILITIES)}; hp, sight, blur"
        return {"planes": planes, "scalars": Field("<f4", (8,), low=0, doc=doc)}

    def _heads(self) -> tuple[Head, ...]:
        return Head("move", "move", 0, 1, len(MOVES), 0, STAY), Head("meet", "fight", 1, 2, 2, 0, 1)

    def observe(self, observations: Observations, rows: Array, out: Mapping[str, Array]) -> None:
        observation, scalars = observations.fields, out["scalars"]
        write_window(observation["sight"], observation["window"], rows, out["planes"])
        scalars[rows, :5] = observation["levels"]
        for k, name in enumerate(("hp", "sight", "blur"), 5):
            scalars[rows, k] = observation[name]

    def possible(self, observations: Observations, rows: Array, mask: Array) -> None:
        """Everything."""
        mask[rows] = True

    def script(self, observations: Observations, actions: Array, fields: Mapping[str, Array]) -> None:
        if observations.question.name == "points":
            fields["points"][:] = self.points
        else:
            fields["fight"][:] = actions[:, 1]


PLANE = np.full(256, -1, np.int8)
PLANE[LETTERS] = [*range(2, 2 + len(PREY)), 1]
"""Which plane a letter is marked in."""


@kernel
def write_window(sight: Array, window: Array, rows: Array, planes: Array) -> None:
    """Who is seen on the squares around each instance."""
    reach = planes.shape[2] // 2
    start = 0
    for i in range(rows.size):
        at, size = planes[rows[i]], 2 * sight[i] + 1
        at[:] = 0
        near = min(reach, sight[i])
        for x in range(-near, near + 1):
            for y in range(-near, near + 1):
                plane = PLANE[window[start + (x + sight[i]) * size + y + sight[i]]]
                at[0, reach + x, reach + y] = 1
                if plane > 0:
                    at[plane, reach + x, reach + y] = 1
        start += size * size
