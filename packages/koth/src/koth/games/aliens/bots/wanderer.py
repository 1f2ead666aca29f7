"""Walks at random and tosses a coin at every meeting. A baseline for the others."""

import random
from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Wanderer(Alien):
    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 2, 2, 2, 2, 2

    def move(self, fields: Sequence[str]) -> Move:
        return Move.random_move()

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        return random.random() < 0.5
