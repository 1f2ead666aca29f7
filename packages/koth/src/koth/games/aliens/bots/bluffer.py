"""Puts all points into cleverness: every level shown to enemies is up to six too high. Wants peace.

Bots that only fight weaker enemies leave the bluffer alone; bots that fight everybody do not.
"""

from collections.abc import Sequence

from koth.games.aliens.bot import Alien, Move


class Bluffer(Alien):
    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 0, 0, 0, 0, 10

    def move(self, fields: Sequence[str]) -> Move:
        return Move.NORTHEAST  # with the humans, who are not worse at this, and never fight

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        return enemy[0] + enemy[1] + enemy[2] <= 4  # only an eagle, or somebody as weak
