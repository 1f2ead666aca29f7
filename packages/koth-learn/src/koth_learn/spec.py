"""The requirements of an exported policy: its game, the shapes of observations, and the choices of actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from koth.encoding import Encoding
from koth.errors import KothError
from koth.game import Array


@dataclass(frozen=True)
class PolicySpec:
    """A game with the options of `make`, the shapes of observations, and the number of choices of each action.

    `seats` lists the numbers of seats with these shapes; empty: all.
    """

    game: str
    seats: list[int]
    ruleset: str | None
    settings: dict[str, Any]
    options: dict[str, Any]
    observations: dict[str, list[int]]
    choices: list[int]

    @classmethod
    def of(
        cls,
        game: str,
        encoding: Encoding,
        ruleset: str | None = None,
        settings: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> PolicySpec:
        """Return the spec of a game with this encoding."""
        shapes = {name: list(field.shape) for name, field in encoding.observations.items()}
        rest = dict(settings or {}), dict(options or {}), shapes, list(encoding.choices)
        return cls(game, [], ruleset, *rest)

    def has_shapes_of(self, encoding: Encoding) -> bool:
        """Return whether observations and choices are those of this encoding."""
        shapes = {name: list(field.shape) for name, field in encoding.observations.items()}
        return (self.observations, self.choices) == (shapes, list(encoding.choices))

    def check(self, game: str, seats: int, encoding: Encoding) -> None:
        """Check that a policy with this spec can play such a match. Raises KothError."""
        if game != self.game:
            raise KothError(f"the policy is made for {self.game}, not for {game}")
        if not self.has_shapes_of(encoding):
            at = f" at {words(self.seats)} seats" if self.seats else ""
            raise KothError(
                f"the policy is made for another match: for observations {self.observations} and choices "
                f"{self.choices}{at}, and this one has {seats} seats: play there with the settings "
                f"{self.settings or 'of the game'}, or export a policy for this match"
            )

    def best(self, worth: Array) -> Array:
        """Return the best choice of each action: int64[rows, actions], from float[rows, choices]."""
        edges = [0, *np.cumsum(self.choices).tolist()]
        return np.stack([worth[:, first:last].argmax(-1) for first, last in pairwise(edges)], -1)


def words(numbers: list[int]) -> str:
    """Return numbers as people list them: "2, 3 or 4"."""
    *some, last = map(str, numbers)
    return f"{', '.join(some)} or {last}" if some else last


def flatten(observations: Mapping[str, Array]) -> Array:
    """Return observations ([rows, ...] each) as vectors, float32[rows, size]: fields in alphabetical order."""
    parts = [observations[name].reshape(len(observations[name]), -1) for name in sorted(observations)]
    return np.concatenate(parts, axis=1, dtype=np.float32, casting="unsafe")
