"""When a contest may stop: its bots are told apart, or as many games were played as are allowed.

A rule that looks after every match and stops when it likes what it sees would be wrong far more often than it says.
So it looks at fixed times only, and the chance of a mistake is spent over all looks and all pairs of bots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from koth.errors import KothError
from koth.standings.intervals import ERROR
from koth.standings.pairs import compare
from koth.standings.scores import Blocks, Scores, estimates

FIRST = 12
"""So many whole blocks for each bot are played before the first look; each later one has twice as many."""


@dataclass(frozen=True)
class Goal:
    """What has to be settled: the order of the first `top`, and that they are the first; None: everybody's."""

    top: int | None = None

    @classmethod
    def of(cls, text: str) -> Goal:
        """`settled` or `top=3`. Raises KothError."""
        word, _, number = text.partition("=")
        if text == "settled":
            return cls()
        if word == "top" and number.isdecimal() and int(number) > 0:
            return cls(int(number))
        raise KothError(f"--until takes settled, or top=N (how many places have to be settled), not {text!r}")

    def __str__(self) -> str:
        return "settled" if self.top is None else f"top={self.top}"


@dataclass(frozen=True)
class Look:
    """What was seen at one look: whether the goal is reached, and which neighbours are not told apart yet."""

    blocks: int
    settled: bool
    open: tuple[tuple[str, str], ...] = ()

    def as_json(self, goal: str) -> dict[str, Any]:
        """The look as JSON."""
        return {
            "goal": goal,
            "settled": self.settled,
            "blocks": self.blocks,
            "open": [list(two) for two in self.open],
        }

    def text(self, goal: str) -> str:
        """What was seen, in words."""
        if self.settled:
            return f"Settled ({goal}) after {self.blocks} blocks for each bot."
        left = ", ".join(f"{a} and {b}" for a, b in self.open[:4]) + (" ..." if len(self.open) > 4 else "")
        return f"Not settled ({goal}) after {self.blocks} blocks for each bot: {left or 'somebody has not played'}."


def looks(most: int) -> list[int]:
    """After how many blocks of each bot to look, if `most` may be played: 12, 24, 48 ... and at the end."""
    found = []
    at = FIRST
    while at < most:
        found.append(at)
        at *= 2
    return [*found, most]


def look(scores: Scores, aggregate: str, bots: list[str], goal: Goal, times: int) -> Look:
    """Look at whole blocks of a contest that is looked at so many `times` in all.

    In at most 5 % of contests any two of `bots` are told apart wrongly at any of the looks: Student's t on the
    differences by block (for medians and wins the sign test), with the error divided by looks and pairs.
    """
    blocks = Blocks.of(scores, aggregate)
    pairs = compare(blocks, aggregate, ERROR / times / max(len(bots) * (len(bots) - 1) // 2, 1), 2)
    score = estimates(blocks, aggregate)
    own = np.flatnonzero(np.isin(np.array(scores.names, dtype=object), bots))
    order = own[np.argsort(-score[own], kind="stable")].tolist()
    top = len(order) - 1 if goal.top is None else min(goal.top, len(order) - 1)
    wanted = [(order[place], order[place + 1]) for place in range(top)]
    if 0 < top < len(order) - 1:
        wanted += [(order[top - 1], other) for other in order[top + 1 :]]
    left = tuple((scores.names[a], scores.names[b]) for a, b in wanted if not pairs.apart[a, b])
    return Look(int(blocks.played[own].min()) if len(own) else 0, not left and len(order) == len(bots), left)
