"""The whole state of a match as numbers, for training only: centralised critics and mixers (MAPPO, QMIX)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from koth.game import Array, Game, State


@dataclass(frozen=True)
class GlobalState:
    """The arrays of a game's state that hold numbers and are neither dice nor scratch; `size` counts their values."""

    names: tuple[str, ...]
    size: int

    @classmethod
    def of(cls, game: Game, settings: Any, seats: int) -> GlobalState:
        """Return the numeric part of this game's states."""
        state, hidden = game.initial_state(settings, seats, [0]), {"seed", *game.scratch()}
        shapes = {
            name: array.shape[1:]
            for name, array in zip(state._fields, state, strict=True)
            if name not in hidden and array.dtype.kind in "biuf"
        }
        return cls(tuple(shapes), sum(prod(shape) for shape in shapes.values()))

    def vectors(self, state: State) -> Array:
        """Return float32[matches, size]: the arrays one after another, identity numbers as they are."""
        parts = [getattr(state, name).reshape(len(state[0]), -1) for name in self.names]
        return np.concatenate(parts, axis=1, dtype=np.float32, casting="unsafe")
