"""Sees six squares far, moves towards the emptiest direction, and attacks only what is nearly harmless."""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Scout(Alien):
    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 0, 0, 0, 10, 0

    def move(self, fields: Sequence[str]) -> Move:
        v = self.sight

        def crowd(move: Move) -> float:
            """Return how crowded that side is; near squares count more."""
            total = 0.0
            for x, column in enumerate(fields):
                for y, letter in enumerate(column):
                    dx, dy = x - v, y - v
                    if letter != " " and (dx or dy) and dx * move.x + dy * move.y > 0:
                        total += 1 / max(abs(dx), abs(dy)) ** 2
            return total

        close = sum(5 - column[v - 2 : v + 3].count(" ") for column in fields[v - 2 : v + 3])
        return min((move for move in Move if move is not Move.STAY), key=crowd) if close > 1 else Move.STAY

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        return enemy[0] <= 2 and enemy[1] <= 2  # even base cleverness makes a 1 look like a 2 at times
