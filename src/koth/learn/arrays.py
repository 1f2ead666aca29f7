"""What an environment tells: arrays of its own or the caller's, one line per agent of every match."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from koth.errors import KothError
from koth.game import Array, Field

OBSERVATION = "observation."
FINAL = "final_observation."


class Arrays:
    """Every array that a step writes; `given` are the caller's, by name (all names: `spec`).

    Raises KothError for a caller's array that there is none of, or of another dtype or shape.
    """

    def __init__(
        self,
        observations: Mapping[str, Field],
        choices: int,
        matches: int,
        agents: int,
        seats: int,
        given: Mapping[str, Array],
    ) -> None:
        self.spec = spec_of(observations, choices, matches, agents, seats)
        unknown = sorted(set(given) - set(self.spec))
        if unknown:
            raise KothError(f"there is no array {unknown[0]!r} to write; there are {', '.join(self.spec)}")
        self.all = {name: _one(name, *spec, given.get(name)) for name, spec in self.spec.items()}
        self.observations = self._part(OBSERVATION)
        self.final_observations = self._part(FINAL)

    def _part(self, prefix: str) -> dict[str, Array]:
        return {name.removeprefix(prefix): array for name, array in self.all.items() if name.startswith(prefix)}

    def flat(self, name: str) -> Array:
        """An array with one axis for all agents of all matches."""
        array = self.all[name]
        return array.reshape(array.shape[0] * array.shape[1], *array.shape[2:])

    def flat_part(self, prefix: str) -> dict[str, Array]:
        """The observations (`OBSERVATION` or `FINAL`), flat."""
        return {name: self.flat(prefix + name) for name in self._part(prefix)}

    def __getitem__(self, name: str) -> Array:
        return self.all[name]


def spec_of(
    observations: Mapping[str, Field], choices: int, matches: int, agents: int, seats: int
) -> dict[str, tuple[str, tuple[int, ...]]]:
    """dtype and shape of every array, by name."""
    each = (matches, agents)
    fields = {name: (field.dtype, (*each, *field.shape)) for name, field in observations.items()}
    return {
        **{OBSERVATION + name: spec for name, spec in fields.items()},
        **{FINAL + name: spec for name, spec in fields.items()},
        "mask": ("?", (*each, choices)),
        "asked": ("?", each),
        "alive": ("?", each),
        "rewards": ("<f4", each),
        "terminated": ("?", each),
        "truncated": ("?", each),
        "ended": ("?", (matches,)),
        "turn": ("<i4", (matches,)),
        "final_scores": ("<f8", (matches, seats)),
    }


def _one(name: str, dtype: str, shape: tuple[int, ...], given: Array | None) -> Array:
    if given is None:
        return np.zeros(shape, dtype)
    if given.dtype != np.dtype(dtype) or given.shape != shape or not given.flags.c_contiguous:
        raise KothError(f"{name} must be a contiguous {np.dtype(dtype)}{shape}, not {given.dtype}{given.shape}")
    given[...] = 0
    return given
