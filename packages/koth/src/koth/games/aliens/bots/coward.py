"""Sees far and runs from everybody; an enemy that reaches it is offered peace. If that fails, its many HP help."""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Coward(Alien):
    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 5, 0, 0, 5, 0  # a vision of 6 sees 3 squares

    def move(self, fields: Sequence[str]) -> Move:
        v = self.sight
        others = [
            (x - v, y - v)
            for x, column in enumerate(fields)
            for y, letter in enumerate(column)
            if letter != " " and (x, y) != (v, v)
        ]

        def danger(move: Move) -> float:
            total = 0.0
            for dx, dy in others:
                total += 1 / (1 + max(abs(dx - move.x), abs(dy - move.y))) ** 3
            return total

        # Whoever stays is found sooner or later, but a quiet place is worth staying at: STAY wins all ties.
        quietest: Move = min([Move.STAY, *Move], key=danger)
        return quietest

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        return False
