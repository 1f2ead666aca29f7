"""Aliens for learning: planes of the squares around an instance; actions: its move, and whether it wants to fight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth import encoding
from koth.encoding import Head
from koth.game import Array, Field, Observations, Question
from koth.games.aliens.state import ABILITIES, LETTERS, MOVES, PREY, STAY, State
from koth.kernel import kernel

PLANES = ("seen", "aliens", *PREY)
HALF = 10.0
"""The number that is encoded as 0.5: v becomes v / (v + HALF)."""


class Encoding(encoding.Encoding):
    """Planes of the squares up to `window` away that rule 3 shows, with the instance in the centre.

    `planes` (7, 9, 9), [x, y]: squares seen, aliens, whales, cows, turtles, eagles, humans. `scalars`: the five
    levels, hp, sight, blur, each v as v / (v + 10). The enemy's levels at a meeting are not observed.

    A step is the question `move`. One action of 18: the 9 moves, wanting to fight every alien met in this round; then
    the same moves, wanting peace. All instances get the same `points`, by default equally many for each ability.
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
        planes = Field("i1", (len(PLANES), size, size), low=0, high=1, doc=", ".join(PLANES) + "; [plane, x, y]")
        doc = f"levels of {', '.join(ABILITIES)}; hp, sight, blur; each v as v / (v + {HALF})"
        return {"planes": planes, "scalars": Field("<f4", (8,), low=0, high=1, doc=doc)}

    def _heads(self) -> tuple[Head, ...]:
        return (Head("move", "move", 0, 1, 2 * len(MOVES), 0, STAY),)

    def observe(self, observations: Observations, rows: Array, out: Mapping[str, Array]) -> None:
        observation, scalars = observations.fields, out["scalars"]
        write_window(observation["sight"], observation["window"], rows, out["planes"])
        write_scalars(
            observation["levels"], observation["hp"], observation["sight"], observation["blur"], rows, scalars
        )

    def answer(self, observations: Observations, actions: Array, fields: Mapping[str, Array]) -> None:
        fields["move"][:] = actions[:, 0] % len(MOVES)

    def script(self, observations: Observations, actions: Array, fields: Mapping[str, Array]) -> None:
        if observations.question.name == "points":
            fields["points"][:] = self.points
        else:
            fields["fight"][:] = actions[:, 0] < len(MOVES)

    def read_script(self, observations: Observations, fields: Mapping[str, Array], actions: Array) -> None:
        if observations.question.name == "meet":
            actions[:, 0] = actions[:, 0] % len(MOVES) + np.where(fields["fight"], 0, len(MOVES))


PLANE = np.full(256, -1, np.int8)
PLANE[LETTERS] = [*range(2, 2 + len(PREY)), 1]
"""The index of the plane that marks a letter."""


def unit_scores(settings: Any, state: State, last: Array) -> Array:
    """Return each instance's part of its species' score, float64[matches, agents]: its abilities while it lives."""
    bots = last.shape[1]
    points = state.ability[:, :bots].sum(axis=2, dtype=np.float64)
    return np.where(state.hp[:, :bots] > 0, points, 0.0)


@kernel
def write_window(sight: Array, window: Array, rows: Array, planes: Array) -> None:
    """Write the squares around each instance that it sees."""
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


@kernel
def write_scalars(levels: Array, hp: Array, sight: Array, blur: Array, rows: Array, scalars: Array) -> None:
    """Write each instance's own values: numbers without an upper bound, mapped to [0, 1)."""
    for i in range(rows.size):
        for k in range(5):
            scalars[rows[i], k] = levels[i, k]
        scalars[rows[i], 5], scalars[rows[i], 6], scalars[rows[i], 7] = hp[i], sight[i], blur[i]
        for k in range(8):
            scalars[rows[i], k] /= scalars[rows[i], k] + HALF
