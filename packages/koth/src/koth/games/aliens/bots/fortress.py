"""Stays put and relies on its defense: at level 10 it dodges one blow in six, and every victory raises the level.

It leaves its square only for a free one with more free squares around it.
"""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Fortress(Alien):
    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 0, 1, 9, 0, 0

    def move(self, fields: Sequence[str]) -> Move:
        v = self.sight
        if sum(column.count(" ") for column in fields) >= len(fields) ** 2 - 3:
            return Move.STAY
        free = [move for move in Move if fields[v + move.x][v + move.y] == " "]
        return free[0] if free else Move.STAY

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        return enemy[1] < self.defense and self.hp > 3 * enemy[1]
