"""Never moves and never wants peace: it has life and strength, and fights every alien that comes."""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Rock(Alien):
    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 5, 5, 0, 0, 0

    def move(self, fields: Sequence[str]) -> Move:
        return Move.STAY

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        return True
