"""The rules once more, as plainly as can be: objects, dictionaries, one meeting asked at a time.

Only the addresses of the random numbers are shared with the real thing.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from koth.games.aliens.rules import ARRIVAL, BLUR, FIGHT, PAIR, WALK
from koth.games.aliens.state import DX, DY, Settings, State
from koth.rng import draw, word

F = np.float32
Wish = Callable[[int, list[int], list[int]], bool]
"""Whether a slot with these levels wants to fight an enemy of whom it is told these."""


def rounded(value: np.float32) -> int:
    return math.floor(float(value) + 0.5)


class Alien:
    def __init__(self, state: State, slot: int) -> None:
        self.slot = slot
        self.species = int(state.species[0, slot])
        self.x, self.y = int(state.x[0, slot]), int(state.y[0, slot])
        self.hp = int(state.hp[0, slot])
        self.ability = [F(value) for value in state.ability[0, slot]]

    @property
    def levels(self) -> list[int]:
        return [rounded(value) for value in self.ability]


class Reference:
    """One match of aliens."""

    def __init__(self, settings: Settings, state: State, wish: Wish) -> None:
        self.settings = settings
        self.seed, self.clock = int(state.seed[0]), int(state.clock[0])
        self.seats = state.gone.shape[1]
        self.gone = state.gone[0].tolist()
        self.side = math.isqrt(state.count_at.shape[1])
        self.slots = state.hp.shape[1]
        self.aliens = [Alien(state, slot) for slot in range(self.slots)]
        self.wish = wish

    def draw(self, phase: int, index: int, n: int) -> int:
        return int(draw(self.seed, self.clock, phase, index, n))

    def round(self, moves: dict[int, int]) -> None:
        """`moves` of the bots by slot."""
        letters: dict[tuple[int, int], int] = {}
        for alien in self.living():
            letters[alien.x, alien.y] = 1
        steps = {a.slot: self.prey_move(a, letters) if a.species >= self.seats else 8 for a in self.living()}
        steps.update(moves)
        for alien in self.living():
            alien.x = (alien.x + int(DX[steps[alien.slot]])) % self.side
            alien.y = (alien.y + int(DY[steps[alien.slot]])) % self.side
        squares: dict[tuple[int, int], list[Alien]] = {}
        for alien in self.living():
            squares.setdefault((alien.x, alien.y), []).append(alien)
        for pile in squares.values():
            if self.settings.meetings == "pairs":
                self.meet_in_pairs(pile)
            else:
                self.meet_the_first(pile)
        for alien in self.aliens:
            alien.hp = max(alien.hp, 0)
        self.clock += 1

    def living(self) -> list[Alien]:
        return [alien for alien in self.aliens if alien.hp > 0]

    def prey_move(self, alien: Alien, squares: dict[tuple[int, int], int]) -> int:
        kind = alien.species - self.seats
        if kind == 1:
            return self.draw(WALK, alien.slot, 9)
        if kind != 3:
            return {0: 8, 2: 5, 4: 1}[kind]
        sight = rounded(alien.ability[3] / F(2))

        def crowd(move: int) -> int:
            ray = [
                ((alien.x + k * int(DX[move])) % self.side, (alien.y + k * int(DY[move])) % self.side)
                for k in range(1, sight + 1)
            ]
            return sum(square in squares for square in ray)

        return min(range(9), key=crowd)

    def meet_in_pairs(self, pile: list[Alien]) -> None:
        pairs = [(a, b) for i, a in enumerate(pile) for b in pile[i + 1 :]]
        pairs.sort(key=lambda pair: word(self.seed, self.clock, PAIR, pair[0].slot * self.slots + pair[1].slot))
        for a, b in pairs:
            if a.hp > 0 and b.hp > 0:
                wishes = [self.asked(a, b), self.asked(b, a)]
                if any(wishes):
                    self.fight(a, b)

    def meet_the_first(self, pile: list[Alien]) -> None:
        first, *newcomers = sorted(pile, key=lambda a: word(self.seed, self.clock, ARRIVAL, a.slot))
        for newcomer in newcomers:
            wishes = [self.asked(newcomer, first), self.asked(first, newcomer)]
            if any(wishes):
                self.fight(newcomer, first)

    def asked(self, alien: Alien, enemy: Alien) -> bool:
        if alien.species >= self.seats:
            return False
        if self.gone[alien.species]:
            return True
        blur = rounded(enemy.ability[4] / F(2))
        question = (alien.slot * self.slots + enemy.slot) * 4
        told = [enemy.levels[k] + self.draw(BLUR, question + k, blur + 1) for k in range(4)]
        return self.wish(alien.slot, alien.levels, told)

    def fight(self, a: Alien, b: Alien) -> None:
        index = (a.slot * self.slots + b.slot) << 32
        while a.hp > 0 and b.hp > 0:
            for struck, striker, at in ((a, b, index), (b, a, index + 2)):
                if self.draw(FIGHT, at, 50 // min(struck.levels[2], 50) + 1) != 0:
                    struck.hp -= 1 + self.draw(FIGHT, at + 1, striker.levels[1])
            index += 4
        for winner, loser in ((a, b), (b, a)):
            if winner.hp > 0:
                for k, level in enumerate(loser.levels):
                    winner.ability[k] = F(winner.ability[k] + F(level) / F(5))
                winner.hp += 2 * loser.levels[0]
                return
