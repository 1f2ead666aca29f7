"""A species that raises at some squares, gives points that are too many, and answers nonsense at some meetings."""

from koth.games.aliens.bot import Alien, Move


class Mixed(Alien):
    def set_ability_points(self, points):
        if self.number % 10 == 9:
            raise KeyError(self.number)
        points[:] = (5, 5, 5, 0, 0) if self.number % 10 == 8 else (4, 3, 1, 2, 0)

    def move(self, fields):
        others = sum(len(column) - column.count(" ") for column in fields)
        if others % 5 == 4:
            raise ValueError(others)
        return None if others % 7 == 6 else Move.in_direction(self.number % 3 - 1, others % 3 - 1)

    def want_to_fight(self, enemy):
        if sum(enemy) % 9 == 0:
            raise RuntimeError(sum(enemy))
        return "yes" if sum(enemy) % 9 == 1 else enemy[1] < self.strength
