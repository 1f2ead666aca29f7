"""The ranking of a permanent contest: the versions that play, by rating or by score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from koth.files.shape import shape_of


@dataclass(frozen=True)
class RankedVersion:
    """A version in the standings; `rank` is 0 for a boss, which plays out of competition.

    `rating` and `score` are None before the version's first match; `rating` is None, too, if the season ranks by
    score. `margin` belongs to the value by which the season ranks.
    """

    rank: int
    bot: str
    author: str
    version: int
    rating: float | None
    margin: float | None
    score: float | None
    matches: int
    placed: bool

    @property
    def place(self) -> str:
        """The rank as tables show it."""
        return str(self.rank) if self.rank else "boss"


@dataclass(frozen=True)
class Ranking:
    """The lines, best first, and groups of bots with the same files."""

    season: int
    aggregate: str
    rank_by: str
    """"rating" or "score"."""
    matches: int
    rated: int
    """The number of matches that the ratings and scores use."""
    is_stale: bool
    """True if a match was made void after the last computation."""
    standings: list[RankedVersion]
    same: list[list[str]]

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Ranking:
        """Return the ranking of a JSON object of the shape `RANKING`; ignore other keys."""
        lines = [RankedVersion(**{key: line[key] for key in LINE}) for line in found["standings"]]
        return cls(**{**{key: found[key] for key in RANKING}, "standings": lines})

    @property
    def notes(self) -> list[str]:
        """The sentences about matches and bots below the standings."""
        stale = f"A match was made void later: the runner computes {self.rank_by}s again."
        same = (f"Byte for byte the same bot: {', '.join(names)}." for names in self.same)
        return [*([stale] if self.is_stale else []), *same]

    @property
    def explanations(self) -> list[str]:
        """The sentences that explain the columns."""
        rating = "Ratings are fitted to all matches of the season: 1000 on average, 400 more are odds of ten to one."
        return [
            *([rating] if self.rank_by == "rating" else []),
            f"An interval holds the true {self.rank_by} in 95 % of cases, at all looks together.",
            f"A bot's score is the {self.aggregate} of its scores in matches.",
        ]


LINE: Mapping[str, Any] = shape_of(RankedVersion)
RANKING: Mapping[str, Any] = shape_of(Ranking)
"""The shapes of a line and of a ranking in JSON."""
