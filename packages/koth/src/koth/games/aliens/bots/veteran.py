"""Careful while young, bold when grown: the more abilities it has taken from others, the more it risks.

A young instance stays where it was born and refuses to fight; one that has survived long enough to be strong hunts.
"""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Veteran(Alien):
    def __init__(self) -> None:
        self.age = 0

    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 6, 3, 1, 0, 0

    def move(self, fields: Sequence[str]) -> Move:
        self.age += 1
        v = self.sight
        if self.boldness() < 1:
            return Move.STAY
        near = [
            (max(abs(x - v), abs(y - v)), x - v, y - v)
            for x, column in enumerate(fields)
            for y, letter in enumerate(column)
            if letter != " " and (x, y) != (v, v)
        ]
        if near:
            _, dx, dy = min(near)
            return Move.in_direction(dx, dy)
        return list(Move)[self.age // 5 % 8]  # walk in wide circles

    def boldness(self) -> float:
        """Return the boldness: 1 when fights need luck; it grows with all abilities, and with time."""
        return sum(self.levels) / 25 + self.age / 1000

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        return enemy[1] + enemy[2] < self.boldness() * (self.strength + self.defense) and self.hp > 2 * enemy[1]
