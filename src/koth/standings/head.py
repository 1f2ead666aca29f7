"""Head to head: in how many of the matches that two bots share the one scored more, less, or as much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from koth.game import Array
from koth.standings.paired import meetings
from koth.standings.scores import Scores


@dataclass(frozen=True)
class HeadToHead:
    """`met[a, b]` and `more[a, b]` of `names`: matches that two share, and those in which the first scored more."""

    names: tuple[str, ...]
    met: Array
    more: Array

    @classmethod
    def of(cls, scores: Scores) -> HeadToHead:
        """From all matches."""
        return cls(scores.names, *meetings(scores.bot, scores.score, len(scores.names)))

    def between(self, one: str, other: str) -> tuple[int, int, int]:
        """Matches in which `one` scored more, as much, and less than `other`."""
        a, b = self.names.index(one), self.names.index(other)
        won, lost = int(self.more[a, b]), int(self.more[b, a])
        return won, int(self.met[a, b]) - won - lost, lost

    def as_json(self, order: Sequence[str], rows: Sequence[str] | None = None) -> dict[str, dict[str, list[int]]]:
        """`{bot: {other: [more, equal, less]}}` for those of `order` who met; `rows`: of these bots only."""
        at = {name: place for place, name in enumerate(self.names)}
        others = np.array([at[name] for name in order], np.int64)
        told: dict[str, dict[str, list[int]]] = {}
        for one in order if rows is None else rows:
            met, won, lost = self.met[at[one], others], self.more[at[one], others], self.more[others, at[one]]
            counts = np.column_stack([won, met - won - lost, lost]).tolist()
            told[one] = {name: row for name, row in zip(order, counts, strict=True) if name != one and any(row)}
        return told


def same_bots(bots: list[dict[str, Any]]) -> list[list[str]]:
    """The names of bots that are byte for byte the same (as `run.json` lists them), in groups."""
    by_digest: dict[str, list[str]] = {}
    for bot in bots:
        if bot.get("hash"):
            by_digest.setdefault(bot["hash"], []).append(bot["name"])
    return [names for names in by_digest.values() if len(names) > 1]
