"""Policies that need no learning: random ones, and each game's greedy one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from koth.game import Array
from koth.learn.purpose import Purpose

Policy = Callable[..., Array]
"""Actions (int[rows], or int[rows, actions]) for what so many agents observe and the mask of what they may do.

One with a `begin` has a memory: it is told `begin(places)` when matches begin for the agents in these places, and
asked with the places of the rows as a third argument. One with a `reset` is told the environment's seed.
"""


class RandomPolicy:
    """A policy that draws each action uniformly from the possible ones; the same every time from the same seed."""

    def __init__(self, purpose: Purpose, seed: int = 0) -> None:
        self.purpose = purpose
        self._seed = seed
        self.reset(0)

    @classmethod
    def of(cls, arrays: Mapping[str, Array], purpose: Purpose) -> RandomPolicy:
        """What `arrays` told of."""
        return cls(purpose, int(arrays["seed"]))

    def arrays(self) -> dict[str, Array]:
        """All that it consists of."""
        return {"seed": np.array(self._seed)}

    def reset(self, seed: int) -> None:
        """Draw as if it were new; otherwise for another seed of the environment's."""
        self._random = np.random.default_rng((self._seed, seed))

    def __call__(self, observations: Mapping[str, Array], mask: Array) -> Array:
        picks = self._random.random(mask.shape, np.float32) * mask
        return self.purpose.best(picks)
