"""Computes before it fights: how many blows will each of us need, dodging included?

An enemy's levels are shown blurred upwards, so a fight that looks even is a good one. HP are not shown at all: they
are assumed to be those of a new alien with that life.
"""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


def blows(hp: float, defense: int, strength: int) -> float:
    """Return the mean number of blows of this strength that an alien survives."""
    hit = 1 - 1 / (50 // max(1, min(defense, 50)) + 1)
    return hp / (hit * (1 + strength) / 2)


class Duelist(Alien):
    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 4, 6, 0, 0, 0

    def move(self, fields: Sequence[str]) -> Move:
        if self.hp < 15:
            return self.away(fields)
        return Move.STAY if self.number % 2 else Move.random_move()  # half of us wait, half of us look around

    def away(self, fields: Sequence[str]) -> Move:
        v = self.sight
        free = [move for move in Move if fields[v + move.x][v + move.y] == " "]
        return free[self.number % len(free)] if free else Move.STAY

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        life, strength, defense, _ = enemy
        mine = blows(self.hp, self.defense, strength)
        its = blows(5 + 5 * life, defense, self.strength)
        return mine > 1.2 * its
