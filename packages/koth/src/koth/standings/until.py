"""Stopping rule: end a contest when the bots are separated, or after the allowed number of matches.

A rule that looked after every match and stopped at the first verdict would exceed the error rate. So verdicts are
given at planned looks only, and each look may use a share of the error `ALPHA` in proportion to the blocks it adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np

from koth.errors import KothError
from koth.standings.paired import ALPHA, compare
from koth.standings.scores import Blocks, Scores, estimates

FIRST = 12
"""The least number of blocks of each bot at the first look, even if verdicts are possible earlier."""


@dataclass(frozen=True)
class Goal:
    """The goal of a contest: to settle the first `top` ranks; None: all ranks."""

    top: int | None = None

    @classmethod
    def of(cls, text: str) -> Goal:
        """Parse `settled` or `top=3`. Raises KothError."""
        word, _, number = text.partition("=")
        if text == "settled":
            return cls()
        if word == "top" and number.isdecimal() and int(number) > 0:
            return cls(int(number))
        raise KothError(f"--until takes settled, or top=N (how many ranks have to be settled), not {text!r}")

    def __str__(self) -> str:
        return "settled" if self.top is None else f"top={self.top}"


@dataclass(frozen=True)
class Looks:
    """Planned looks at a contest: the ascending numbers of blocks of each bot at which verdicts may be given."""

    blocks: tuple[int, ...]

    @classmethod
    def of(cls, most: int, least: int) -> Looks:
        """Plan looks from `least` blocks to `most`, each look at about twice the blocks of the look before."""
        least = max(least, FIRST)
        steps = max(round(log2(most / least)), 0) if most > least else 0
        return cls(tuple(round(most * (least / most) ** (step / max(steps, 1))) for step in range(steps, -1, -1)))

    def alpha(self, blocks: int) -> float:
        """Return the error allowed at the first look at or after this number of blocks."""
        at = next((index for index, planned in enumerate(self.blocks) if planned >= blocks), len(self.blocks) - 1)
        before = self.blocks[at - 1] if at else 0
        return ALPHA * (self.blocks[at] - before) / self.blocks[-1]


@dataclass(frozen=True)
class Look:
    """The result of a look after `blocks` blocks of each bot: whether the goal is reached, and open pairs."""

    blocks: int
    settled: bool
    open: tuple[tuple[str, str], ...] = ()

    def as_json(self, goal: str) -> dict[str, Any]:
        """Return the look as JSON."""
        return {
            "goal": goal,
            "settled": self.settled,
            "blocks": self.blocks,
            "open": [list(pair) for pair in self.open],
        }

    def text(self, goal: str) -> str:
        """Return the result in words."""
        whole = "" if goal == "settled" else f" ({goal})"
        if self.settled:
            return f"Settled{whole} after {self.blocks} blocks of each bot."
        more = f", and {len(self.open) - 4:,} more" if len(self.open) > 4 else ""
        pairs = ", ".join(f"{a} and {b}" for a, b in self.open[:4]) + more
        return f"Not settled{whole} after {self.blocks} blocks of each bot: {pairs or 'a bot has not played'}."


def look(scores: Scores, aggregate: str, bots: list[str], goal: Goal, least: int, alpha: float) -> Look:
    """Return whether the goal is reached, by the paired test with the error `alpha`, from `least` blocks on."""
    blocks = Blocks.of(scores, aggregate)
    paired = compare(blocks, aggregate, least, alpha)
    score = estimates(blocks, aggregate)
    ranked = np.flatnonzero(np.isin(np.array(scores.names, dtype=object), bots))
    order = ranked[np.argsort(-score[ranked], kind="stable")].tolist()
    top = len(order) - 1 if goal.top is None else min(goal.top, len(order) - 1)
    wanted = [(order[rank], order[rank + 1]) for rank in range(top)]
    if 0 < top < len(order) - 1:
        wanted += [(order[top - 1], other) for other in order[top + 1 :]]
    pairs = tuple((scores.names[a], scores.names[b]) for a, b in wanted if not paired.significant[a, b])
    played = int(blocks.played[ranked].min()) if len(ranked) else 0
    return Look(played, not pairs and len(order) == len(bots), pairs)
