"""Small boards, so that tests are about learning and not about waiting."""

from __future__ import annotations

from typing import Any

import numpy as np

from koth.game import Array
from koth.rng import word
from koth_learn import Environment, make

SMALL: dict[str, dict[str, Any]] = {
    "zombies": {"seats": 2, "settings": {"players": 4, "density": 0.05}},
    "pacman": {"seats": 3, "settings": {"turns": 30}},
    "metalman": {"seats": 3},
    "aliens": {"seats": 2, "settings": {"instances": 5, "prey": 4, "rounds": 12}},
}

SINGLE: dict[str, dict[str, Any]] = {
    "zombies": {"seats": 2, "settings": {"players": 1}, "opponents": {1: "@runner"}},
    "pacman": {"seats": 2, "settings": {"turns": 30}, "opponents": {1: "@random_walk"}},
    "metalman": {"seats": 2, "opponents": {1: "@random_steps"}},
    "aliens": {"seats": 2, "settings": {"instances": 1, "prey": 4, "rounds": 12}, "opponents": {1: "@wanderer"}},
}
"""A match of one agent in each game, against a sample."""


def small(name: str, matches: int = 3, **options: Any) -> Environment:
    """A few small matches of this game."""
    return make(name, matches, **{**SMALL[name], **options})


class Addressed:
    """Possible actions that depend on nothing but how often a match was asked, and on the agent."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.count = np.zeros(environment.matches, np.int64)

    def __call__(self) -> Array:
        env = self.environment
        actions = np.zeros((env.matches, env.agents, len(env.choices)), np.int64)
        for m in np.flatnonzero(env.arrays["asked"].any(axis=1)).tolist():
            self.count[m] += 1
            for a in np.flatnonzero(env.arrays["asked"][m]).tolist():
                for k, (first, last) in enumerate(
                    zip(env.encoding.places[:-1], env.encoding.places[1:], strict=True)
                ):
                    possible = np.flatnonzero(env.arrays["mask"][m, a, first:last])
                    actions[m, a, k] = possible[word(7, int(self.count[m]), k, a) % len(possible)]
        return actions.reshape(env.action_shape)
