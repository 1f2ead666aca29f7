"""A hundred instances with one memory: every meeting shows all of them how strong the planet's aliens are by now.

Class attributes are shared by all instances of a species. Instances that are stronger than most aliens met so far
hunt, other instances keep away.
"""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Hive(Alien):
    met: list[int] = [3] * 50  # the strength of the last fifty enemies of all of us

    def set_ability_points(self, points: list[float]) -> None:
        if self.number % 4:
            points[:] = 4, 4, 0, 2, 0
        else:
            points[:] = 1, 7, 0, 2, 0  # every fourth of us is a warrior

    def is_strong(self) -> bool:
        weaker = sum(strength <= self.strength for strength in Hive.met)
        return weaker * 3 >= len(Hive.met) * 2 and self.hp >= 20

    def move(self, fields: Sequence[str]) -> Move:
        v = self.sight
        sign = 1 if self.is_strong() else -1
        pull_x = pull_y = 0.0
        for x, column in enumerate(fields):
            for y, letter in enumerate(column):
                distance = max(abs(x - v), abs(y - v))
                if letter != " " and distance:
                    pull_x += sign * (x - v) / distance**2
                    pull_y += sign * (y - v) / distance**2
        return Move.in_direction(round(pull_x), round(pull_y))

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        Hive.met = [*Hive.met[1:], enemy[1]]
        return self.is_strong() and enemy[1] <= self.strength
