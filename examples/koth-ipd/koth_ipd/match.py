"""One match of the prisoner's dilemma: settings, state and rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from koth.game import Constants
from koth.plain import Match

MOVES = ("C", "D")


@dataclass(frozen=True)
class Settings(Constants):
    """Every constant of the rules."""

    turns: int = 200
    reward: int = 3
    punishment: int = 1
    temptation: int = 5
    sucker: int = 0

    def __post_init__(self) -> None:
        self.within(turns=(1, 10_000), **dict.fromkeys(("reward", "punishment", "temptation", "sucker"), (-100, 100)))


class IpdMatch(Match[Settings]):
    """One match. Its state is these fields."""

    points: list[int]  # by seat, of all turns
    moves: list[str]  # the last move of both

    def reset(self) -> None:
        """Rule 3. No points, and no move yet."""
        self.points, self.moves = [0, 0], ["-", "-"]

    def observe(self, seat: int) -> dict[str, Any]:
        """Rule 3."""
        return {"turn": self.turn, "mine": self.moves[seat], "theirs": self.moves[1 - seat]}

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        """Rules 1 and 2."""
        self.moves = [actions[seat]["move"] for seat in range(self.seats)]
        self.points = [self.points[seat] + self.payoff(*self.moves[:: 1 - 2 * seat]) for seat in range(self.seats)]

    def payoff(self, mine: str, theirs: str) -> int:
        """Rule 2. Return the points of a bot for one turn."""
        if mine == theirs:
            return self.settings.reward if mine == "C" else self.settings.punishment
        return self.settings.temptation if mine == "D" else self.settings.sucker

    def is_over(self) -> bool:
        """Rule 1."""
        return self.turn >= self.settings.turns

    def scores(self) -> list[float]:
        """Rule 4."""
        return [points / max(1, self.turn) for points in self.points]
