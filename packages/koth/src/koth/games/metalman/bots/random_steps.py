"""Random steps, random directions. Every bot should beat it."""

import random
from typing import Any

UP, RIGHT, DOWN, LEFT = DIRECTIONS = [[-1, 0], [0, 1], [1, 0], [0, -1]]


class RandomSteps:
    def __init__(self, *start: Any) -> None:
        pass  # it does not care where it is

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        return {
            "Spotter": {"moves": random.choices(DIRECTIONS, k=2), "direction": random.choice(DIRECTIONS)},
            "Assasin": {"moves": random.choices(DIRECTIONS, k=4), "direction": random.choice(DIRECTIONS)},
        }
