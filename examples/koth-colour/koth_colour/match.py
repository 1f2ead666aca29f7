"""One match of Colour Battle: settings, state and rules."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from koth.game import Constants
from koth.plain import Match

MOVES = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0), "stay": (0, 0)}
X, Y, NUMBER = range(3)  # what random numbers are drawn for


@dataclass(frozen=True)
class Settings(Constants):
    """Every constant of the rules."""

    turns: int = 2000
    squares: int = 64

    def __post_init__(self) -> None:
        self.within(turns=(1, 100_000), squares=(1, 400))

    def side(self, seats: int) -> int:
        """Return the side of the canvas for a number of bots."""
        return math.ceil(math.sqrt(self.squares * seats))


class ColourMatch(Match[Settings]):
    """One match. A bot's colour on the canvas is its seat plus one, and 0 is white."""

    side: int
    x: list[int]  # everybody's place, by seat
    y: list[int]
    number: list[int]  # everybody's number, from 1, by seat
    canvas: list[int]  # row by row from the north; the default picture shows it

    def reset(self) -> None:
        """Rule 1."""
        self.side = self.settings.side(self.seats)
        self.x = [self.dice.integer(X, seat, self.side) for seat in range(self.seats)]
        self.y = [self.dice.integer(Y, seat, self.side) for seat in range(self.seats)]
        self.number = self.dice.shuffled(NUMBER, list(range(1, self.seats + 1)))
        self.canvas = [0] * self.side**2

    def shared_observation(self) -> dict[str, Any]:
        """Rule 5."""
        canvas = np.array(self.canvas, np.uint8).reshape(self.side, self.side)
        return {"turn": self.turn, "x": self.x, "y": self.y, "number": self.number, "canvas": canvas}

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        """Rules 2 to 4."""
        for seat, action in actions.items():
            dx, dy = MOVES[action["move"]]
            self.x[seat] = min(max(self.x[seat] + dx, 0), self.side - 1)
            self.y[seat] = min(max(self.y[seat] + dy, 0), self.side - 1)
        squares = [y * self.side + x for x, y in zip(self.x, self.y, strict=True)]
        bots = Counter(squares)
        for seat, square in enumerate(squares):
            self.canvas[square] = self.painted(seat, self.canvas[square]) if bots[square] == 1 else 0

    def painted(self, seat: int, there: int) -> int:
        """Rule 3. Return the colour of a square after a bot has painted it."""
        own = seat + 1
        return (there, 0, own)[(self.number[seat] - self.number[there - 1]) % 3] if there else own

    def is_over(self) -> bool:
        """Rule 6."""
        return self.turn >= self.settings.turns

    def scores(self) -> list[float]:
        """Rule 6. Each bot's share of the canvas, in per cent."""
        counts = np.bincount(self.canvas, minlength=self.seats + 1)
        shares: list[float] = (100 * counts[1:] / self.side**2).tolist()
        return shares
