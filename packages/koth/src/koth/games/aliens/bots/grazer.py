"""Hunts prey, which never wants to fight but gives full rewards, and avoids other aliens.

It recognises prey by its levels: one ability of 11 and the rest of 1, all of them shown up to one too high. Cows are
left alone until it is strong itself.
"""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Grazer(Alien):
    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 2, 4, 0, 4, 0  # a vision of 5 sees 3 squares

    def move(self, fields: Sequence[str]) -> Move:
        v = self.sight
        meals = "WTEH" if self.strength < 9 else "WTEHC"
        seen = [
            (x - v, y - v, letter)
            for x, column in enumerate(fields)
            for y, letter in enumerate(column)
            if letter != " " and (x, y) != (v, v)
        ]

        def worth(move: Move) -> float:
            total = 0.0
            for dx, dy, letter in seen:
                distance = max(abs(dx - move.x), abs(dy - move.y))
                total += (1 if letter in meals else -2) / (1 + distance) ** 2
            return total

        best = max(Move, key=worth)
        return best if seen else Move.SOUTHEAST  # nobody in sight: look elsewhere, and meet turtles head-on

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        return sum(level <= 2 for level in enemy) >= 3 and (enemy[1] <= 2 or self.strength >= 9)
