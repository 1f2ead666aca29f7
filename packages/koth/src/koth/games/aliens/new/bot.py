"""A first bot: walks up to prey, and fights what looks weaker."""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Bot(Alien):
    # There is an object of this class for each of your 100 instances. self.hp, self.strength, self.sight ...
    # say how it is doing; `class` attributes are shared by all of them.

    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 3, 4, 0, 3, 0  # life, strength, defense, vision, cleverness: at most 10 together

    def move(self, fields: Sequence[str]) -> Move:
        v = self.sight  # fields[v][v] is where we stand, fields[v + 1][v] the square to the east
        for x, column in enumerate(fields):
            for y, letter in enumerate(column):
                if letter in "WTEH" and (x, y) != (v, v):
                    return Move.in_direction(x - v, y - v)
        return Move.random_move()

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        life, strength, _defense, _vision = enemy  # each may look higher than it is
        return strength < self.strength and life < 10
