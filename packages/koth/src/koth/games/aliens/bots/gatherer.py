"""Lives on prey, recognises its own kind, and computes every fight in advance: it wants only the safe ones.

Whales never strike hard and pay 22 HP: an alien that needs fewer blows than that lives on them. All instances
remember together (class attributes) how strong strangers have become, how often strangers attacked after an offer of
peace, and the levels of their own kind, so that they let each other pass.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

from koth.games.aliens.bot import Alien, Move

Levels = tuple[int, ...]
DRIFT = {"W": (0, 0), "T": (-1, 1), "H": (1, -1), "E": (0, 0), "C": (0, 0)}
"""Where prey goes next: turtles south-west, humans north-east; other prey is unpredictable."""
WHALE, COW = (11, 1, 1, 1), (1, 11, 1, 1)
CERTAIN = 0.97
"""The least probability of victory with which a fight is wanted."""
KEEP = 0.35
"""The least part of the HP that must be left after a fight; `LEAST` is the least number."""
LEAST = 8


def blows(hp: float, defense: int, strength: int) -> tuple[float, float]:
    """Return the mean and the variance of the number of blows that an alien survives (rule 5)."""
    hit = 1 - 1 / (50 // max(1, min(defense, 50)) + 1)
    mean = hit * (1 + strength) / 2
    variance = hit * (strength + 1) * (2 * strength + 1) / 6 - mean**2
    return hp / mean + 0.5, hp * variance / mean**3


class Gatherer(Alien):
    round = 0
    family: ClassVar[dict[int, Levels]] = {}
    """The levels of each of us when it last moved."""
    kin: ClassVar[set[Levels]] = set()
    met: list[int] = [15] * 60
    """The total levels of the last sixty strangers that we met."""
    attacks: list[bool] = [True] * 60
    """For each of these strangers, whether it attacked us after an offer of peace."""
    offers: ClassVar[dict[int, tuple[int, int]]] = {}
    """Our instances that offered peace: in which round, with how many HP."""

    def __init__(self) -> None:
        self.age = 0

    def set_ability_points(self, points: list[float]) -> None:
        points[:] = 2, 6, 0, 2, 0  # 20 HP last for a whale: 60 HP are 16 blows of a strength of 7

    # Moving

    def move(self, fields: Sequence[str]) -> Move:
        self.age += 1
        if self.age > Gatherer.round:
            self.begin_round()
        Gatherer.family[self.number] = tuple(self.levels[:4])
        if self.number in Gatherer.offers:
            self.learn(self.hp < Gatherer.offers.pop(self.number)[1])
        v = self.sight
        seen = [
            (x - v, y - v, letter)
            for x, column in enumerate(fields)
            if not column.isspace()
            for y, letter in enumerate(column)
            if letter != " " and (x, y) != (v, v)
        ]
        if not seen:  # a quiet place is worth staying at for a while
            return Move.STAY if self.age % 3 else list(Move)[(self.number + self.age // 12) % 8]
        pulls = [(*self.next_square(*each), self.pull(each[2])) for each in seen]

        def worth(move: Move) -> float:
            total = 0.0
            for x, y, pull in pulls:
                far = 1 + max(abs(x - move.x), abs(y - move.y))
                total += pull / (far**2 if pull > 0 else far**3)
            return total

        best: Move = max([Move.STAY, *Move], key=worth)
        return best

    def begin_round(self) -> None:
        """Begin a round: an instance that offered peace two rounds ago and was not asked since is dead."""
        Gatherer.round = self.age
        for number, (when, _) in list(Gatherer.offers.items()):
            if when < self.age - 1:
                del Gatherer.offers[number]
                Gatherer.family.pop(number, None)
                self.learn(True)
        Gatherer.kin = set(Gatherer.family.values())

    @staticmethod
    def learn(attacked: bool) -> None:
        Gatherer.attacks = [*Gatherer.attacks[1:], attacked]

    @staticmethod
    def next_square(x: int, y: int, letter: str) -> tuple[int, int]:
        """Return where a neighbour will be after this round, as far as its kind is predictable."""
        dx, dy = DRIFT.get(letter, (0, 0))
        return x + dx, y + dy

    def pull(self, letter: str) -> float:
        """Return the value of meeting this letter: prey counts where it is safe, aliens where we are strong."""
        if letter == "A":
            mighty = sorted(Gatherer.met)[len(Gatherer.met) * 4 // 5]
            if self.life + self.strength + self.defense > mighty and self.hp > 25:
                return 0.5
            return -0.4 - 0.8 * sum(Gatherer.attacks) / len(Gatherer.attacks)
        if letter == "C" and not self.is_safe(COW):
            return -0.5
        if letter == "W" and not self.is_safe(WHALE):
            return 0.0
        return 1.0

    # Fighting

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        if self.may_be_kin(enemy):
            return False
        Gatherer.met = [*Gatherer.met[1:], sum(enemy[:3])]
        wanted = self.is_safe(enemy)
        if not wanted and max(enemy) < 11:  # prey does not fight of itself, and says nothing of the others
            Gatherer.offers[self.number] = self.age, self.hp
        return wanted

    def may_be_kin(self, enemy: Sequence[int]) -> bool:
        """Return whether these levels may be those of one of us: each is shown up to one too high."""
        life, strength, defense, vision = enemy
        return any(
            (life - (k & 1), strength - (k >> 1 & 1), defense - (k >> 2 & 1), vision - (k >> 3)) in Gatherer.kin
            for k in range(16)
        )

    def is_safe(self, enemy: Sequence[int]) -> bool:
        """Return whether a fight is almost surely won, with enough HP left after it and its reward."""
        life, strength, defense, _ = enemy
        mine, spread = blows(self.hp, self.defense, strength)
        its, more = blows(5 + 5 * life, defense, self.strength)  # HP are not shown: those of a fresh one
        sure = 0.5 * (1 + math.erf((mine - its) / math.sqrt(2 * (spread + more + 0.3))))
        left = self.hp * (1 - its / mine) + 2 * life
        return sure > CERTAIN and left >= min(self.hp, max(LEAST, KEEP * self.hp))
