"""One match of the game: its settings, its state and its rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from koth.game import Constants
from koth.plain import Match

MOVES = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0), "stay": (0, 0)}
PLACE, GOLD = range(2)  # what random numbers are drawn for


@dataclass(frozen=True)
class Settings(Constants):
    """Every constant of the rules: `koth run skeleton --set side=7` changes one."""

    side: int = 11
    turns: int = 60
    gold: int = 6
    wraps: bool = True

    def __post_init__(self) -> None:
        self.within(side=(3, 100), turns=(1, 10_000), gold=(1, 100))


class SkeletonMatch(Match[Settings]):
    """One match. Its state is these fields: only they last from turn to turn."""

    x: list[int]  # everybody's place, by seat; the picture shows it
    y: list[int]
    score: list[int]
    gold: list[tuple[int, int]]  # row by row from the north

    def reset(self) -> None:
        """Rule 1. Put all bots on random squares, and the gold."""
        bots, side = range(self.seats), self.settings.side
        self.x = [self.dice.integer(PLACE, 2 * seat, side) for seat in bots]
        self.y = [self.dice.integer(PLACE, 2 * seat + 1, side) for seat in bots]
        self.score = [0 for _ in bots]
        self.gold = []
        self.put_gold()

    def observe(self, seat: int) -> dict[str, Any]:
        """Rule 6. Return this bot's observation: every field that the question declares."""
        board = [["." for _ in range(self.settings.side)] for _ in range(self.settings.side)]
        for x, y in self.gold:
            board[y][x] = "$"
        return {"turn": self.turn, "x": self.x, "y": self.y, "gold": ["".join(row) for row in board]}

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        """Play rules 2 to 4. `actions` has the answer of every asked bot; an invalid move counts as stay."""
        for seat, action in actions.items():
            dx, dy = MOVES[action["move"]]
            self.x[seat] = (self.x[seat] + dx) % self.settings.side
            self.y[seat] = (self.y[seat] + dy) % self.settings.side
        self.take_gold()
        self.put_gold()

    def is_over(self) -> bool:
        """Rule 5. Return whether the match is over."""
        return self.turn >= self.settings.turns

    def take_gold(self) -> None:
        """Rule 3. Give each bot on gold a point."""
        places = list(zip(self.x, self.y, strict=True))
        for seat, place in enumerate(places):
            self.score[seat] += place in self.gold
        self.gold = [place for place in self.gold if place not in places]

    def put_gold(self) -> None:
        """Rule 4. Add the missing gold; the index gives each draw of a turn its own address."""
        for n in range(self.settings.gold - len(self.gold)):
            x = self.dice.integer(GOLD, 2 * n, self.settings.side)
            y = self.dice.integer(GOLD, 2 * n + 1, self.settings.side)
            if (x, y) not in self.gold:
                self.gold.append((x, y))
