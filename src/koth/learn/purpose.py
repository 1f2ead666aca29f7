"""What a policy is made for: the game, what its agents observe, and what they may do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from koth.encoding import Encoding
from koth.errors import KothError
from koth.game import Array


@dataclass(frozen=True)
class Purpose:
    """A game as `make` is told of it, the shapes of its observations and the choices of each action."""

    game: str
    seats: int
    ruleset: str | None
    settings: dict[str, Any]
    options: dict[str, Any]
    observations: dict[str, list[int]]
    choices: list[int]

    @classmethod
    def of(
        cls,
        game: str,
        seats: int,
        encoding: Encoding,
        ruleset: str | None = None,
        settings: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Purpose:
        """Of a game that is encoded so."""
        shapes = {name: list(field.shape) for name, field in encoding.observations.items()}
        return cls(game, seats, ruleset, dict(settings or {}), dict(options or {}), shapes, list(encoding.choices))

    @classmethod
    def read(cls, text: str) -> Purpose:
        """What `text` wrote."""
        return cls(**json.loads(text))

    @property
    def text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @property
    def places(self) -> list[int]:
        """Where each action's choices begin in a mask, and where the last one's end."""
        return [0, *np.cumsum(self.choices).tolist()]

    def best(self, worth: Array) -> Array:
        """int64[rows], or [rows, actions]: of each action the choice that is worth most, by float[rows, choices]."""
        actions = [worth[..., first:last].argmax(-1) for first, last in pairwise(self.places)]
        return actions[0] if len(actions) == 1 else np.stack(actions, -1)

    def fits(self, other: Purpose) -> None:
        """Raises KothError where a policy that is made for this can't be used for the other."""
        for word in ("game", "observations", "choices"):
            own, theirs = getattr(self, word), getattr(other, word)
            if own != theirs:
                raise KothError(f"the policy is made for another match: {word} {own}, not {theirs}")
