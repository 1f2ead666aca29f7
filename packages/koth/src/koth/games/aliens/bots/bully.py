"""Strong, with good sight: walks up to whatever is nearest, and fights it if it looks weaker."""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Bully(Alien):
    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 3, 5, 0, 2, 0  # a vision of 3 sees 2 squares: 1.5 is rounded up

    def move(self, fields: Sequence[str]) -> Move:
        v = self.sight
        nearest, way = 99, Move.random_move()
        for x, column in enumerate(fields):
            for y, letter in enumerate(column):
                distance = max(abs(x - v), abs(y - v))
                if letter != " " and 0 < distance < nearest:
                    nearest, way = distance, Move.in_direction(x - v, y - v)
        return way

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        life, strength, _, _ = enemy
        return strength <= self.strength and life <= 2 * self.life
