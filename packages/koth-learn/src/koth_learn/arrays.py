"""The arrays that an environment writes: a row for each agent of every match."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import numpy as np

from koth.game import Array, Field

OBSERVATION = "observation."
FINAL = "final_observation."


class Arrays:
    """Every array that a step writes, by name."""

    def __init__(
        self, observations: Mapping[str, Field], choices: int, matches: int, agents: int, seats: int
    ) -> None:
        each = (matches, agents)
        fields = {name: (field.dtype, (*each, *field.shape)) for name, field in observations.items()}
        spec: dict[str, tuple[str, tuple[int, ...]]] = {
            **{OBSERVATION + name: spec for name, spec in fields.items()},
            **{FINAL + name: spec for name, spec in fields.items()},
            "mask": ("?", (*each, choices)),
            "asked": ("?", each),
            "alive": ("?", each),
            "impossible": ("?", each),
            "rewards": ("<f4", each),
            "terminated": ("?", each),
            "truncated": ("?", each),
            "ended": ("?", (matches,)),
            "turn": ("<i4", (matches,)),
            "final_scores": ("<f8", (matches, seats)),
        }
        self.all = {name: np.zeros(shape, dtype) for name, (dtype, shape) in spec.items()}
        self.observations = self._part(OBSERVATION)
        self.final_observations = self._part(FINAL)

    def of_first(self, agents: int) -> Arrays:
        """Return views of the arrays with only the first agents of each match."""
        other, of_matches = copy(self), ("ended", "turn", "final_scores")
        other.all = {name: array if name in of_matches else array[:, :agents] for name, array in self.all.items()}
        other.observations, other.final_observations = other._part(OBSERVATION), other._part(FINAL)
        return other

    def _part(self, prefix: str) -> dict[str, Array]:
        return {name.removeprefix(prefix): array for name, array in self.all.items() if name.startswith(prefix)}

    def flat(self, name: str) -> Array:
        """Return an array with one axis for all agents of all matches."""
        array = self.all[name]
        return array.reshape(array.shape[0] * array.shape[1], *array.shape[2:])

    def flat_part(self, prefix: str) -> dict[str, Array]:
        """Return the observations (`OBSERVATION` or `FINAL`), flat."""
        return {name: self.flat(prefix + name) for name in self._part(prefix)}

    def __getitem__(self, name: str) -> Array:
        return self.all[name]
