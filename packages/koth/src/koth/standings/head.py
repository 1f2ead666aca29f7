"""Head to head: for every two bots, the numbers of shared matches that each won, and of ties."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from koth.game import Array
from koth.standings.scores import Scores
from koth.standings.signs import meetings


@dataclass(frozen=True)
class HeadToHead:
    """Arrays over pairs of `names`: `met[a, b]` counts shared matches, `more[a, b]` those in which a scored more."""

    names: tuple[str, ...]
    met: Array
    more: Array

    @classmethod
    def of(cls, scores: Scores) -> HeadToHead:
        """Count shared matches in all scores."""
        return cls(scores.names, *meetings(scores.bot, scores.score, len(scores.names)))

    def between(self, one: str, other: str) -> tuple[int, int, int]:
        """Return the numbers of matches in which `one` scored more, the same, and less than `other`."""
        a, b = self.names.index(one), self.names.index(other)
        won, lost = int(self.more[a, b]), int(self.more[b, a])
        return won, int(self.met[a, b]) - won - lost, lost

    def as_json(self, order: Sequence[str], rows: Sequence[str] | None = None) -> dict[str, dict[str, list[int]]]:
        """Return `{bot: {other: [more, equal, less]}}` for bots of `order` that met; `rows` are the outer keys."""
        at = {name: place for place, name in enumerate(self.names)}
        others = np.array([at[name] for name in order], np.int64)
        table: dict[str, dict[str, list[int]]] = {}
        for one in order if rows is None else rows:
            met, won, lost = self.met[at[one], others], self.more[at[one], others], self.more[others, at[one]]
            counts = np.column_stack([won, met - won - lost, lost]).tolist()
            table[one] = {name: row for name, row in zip(order, counts, strict=True) if name != one and any(row)}
        return table


def same_bots(bots: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return groups of names with the same digest, from bots' names and digests."""
    by_digest: dict[str, list[str]] = {}
    for name, digest in bots:
        if digest:
            by_digest.setdefault(digest, []).append(name)
    return [names for names in by_digest.values() if len(names) > 1]
