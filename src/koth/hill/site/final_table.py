"""The final of a season as pages show it, while it is played and afterwards."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from koth.contest.reading import PUBLIC
from koth.contest.run_reader import RunReader
from koth.errors import KothError
from koth.hill.connection import Hill
from koth.hill.models import Season
from koth.hill.seasons import final_is_over, folder_of
from koth.replay.names import match_number
from koth.viewer.contest import Dashboard

PODIUM = 3
"""The last rank on the podium."""


@dataclass(frozen=True)
class FinalRow:
    """A bot of a final: its cells by column. Without `rank` and `score` before its first match."""

    bot: str
    author: str
    rank: int | None
    score: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class KnockoutSide:
    """A bot of a pair: its rank in the table, its score in the pair's matches, and whether it won them."""

    bot: str
    rank: int
    score: str
    has_won: bool


@dataclass(frozen=True)
class KnockoutPair:
    """A pair of a knockout: the bots that are known, and the number of its first match (None: not drawn)."""

    sides: tuple[KnockoutSide, ...]
    is_bye: bool
    first: int | None

    @property
    def winner(self) -> str | None:
        """The bot that goes on; None before."""
        return next((side.bot for side in self.sides if side.has_won), None)


@dataclass(frozen=True)
class KnockoutRound:
    """A round of a knockout."""

    name: str
    pairs: tuple[KnockoutPair, ...]


@dataclass(frozen=True)
class Final:
    """A season's final: its table, best first, and the matches in play with their turns.

    `done` matches of `most` are played; it ends earlier once all ranks are settled. Then the `rounds` of a knockout
    are played, if there is one.
    """

    season: Season
    is_over: bool
    done: int
    most: int
    heads: tuple[str, ...]
    rows: tuple[FinalRow, ...]
    playing: tuple[tuple[int, int], ...]
    notes: tuple[str, ...]
    explanations: tuple[str, ...]
    has_knockout: bool
    rounds: tuple[KnockoutRound, ...]

    @property
    def podium(self) -> tuple[FinalRow, ...]:
        """The best bots, once they can be compared: by the knockout if it is over, else by the table."""
        if self.rounds and (first := self.rounds[-1].pairs[0].winner):
            sides = [[side for pair in one.pairs for side in pair.sides] for one in self.rounds[::-1]]
            lost = [side.bot for one in sides for side in sorted(one, key=lambda side: side.rank)]
            ordered = list(dict.fromkeys([first, *lost]))[: PODIUM + 1]
            ranks = [min(place, PODIUM) for place in range(1, len(ordered) + 1)]
            return tuple(FinalRow(bot, "", rank, "", ()) for bot, rank in zip(ordered, ranks, strict=True))
        return tuple(row for row in self.rows if row.rank is not None)[:PODIUM]


def final_of(season: Season) -> Final | None:
    """Return a season's final as it is now; None if its bots are not fixed."""
    if not season.finalists:
        return None
    authors = {bot["name"]: bot["author"] for bot in season.finalists}
    try:
        look: Mapping[str, Any] = _dashboard(settings.HILL, season).look()
    except KothError:  # it waits for its first match
        empty: dict[str, Any] = {key: [] for key in ("standings", "columns", "playing", "notes", "explanations")}
        look = {**empty, "done": 0, "total": 0, "knockout": None}
    return Final(
        season,
        bool(final_is_over(settings.HILL, season)),
        look["done"],
        look["total"],
        tuple(head for key, head in look["columns"] if key not in ("rank", "bot")),
        tuple(_rows(look, authors)),
        tuple((match_number(one["name"]) or 0, one["turn"]) for one in look["playing"]),
        tuple(look["notes"]),
        tuple(look["explanations"]),
        look["knockout"] is not None,
        tuple(_rounds(look["knockout"] or {"rounds": []})),
    )


def _rounds(knockout: Mapping[str, Any]) -> Iterator[KnockoutRound]:
    """Yield the rounds of a knockout."""
    for one in knockout["rounds"]:
        pairs = []
        for duel in one["duels"]:
            known = zip(duel["bots"], duel["ranks"], duel["texts"], strict=True)
            sides = [
                KnockoutSide(bot, rank, text, bot == duel["winner"]) for bot, rank, text in known if bot is not None
            ]
            first = None if duel["first"] is None else match_number(duel["first"])
            pairs.append(KnockoutPair(tuple(sides), duel["bye"], first))
        yield KnockoutRound(one["name"], tuple(pairs))


def _rows(look: Mapping[str, Any], authors: Mapping[str, str]) -> list[FinalRow]:
    """Return the rows of the table: bots with matches, best first, then the others.

    While some of them have met no common rivals, there are no ranks.
    """
    are_compared = len({line["group"] for line in look["standings"]}) < 2
    lines = look["standings"] if are_compared else sorted(look["standings"], key=lambda line: -line["score"])
    keys = [key for key, _ in look["columns"] if key not in ("rank", "bot")]
    rows = [
        FinalRow(
            line["bot"],
            authors.get(line["bot"], ""),
            line["rank"] if are_compared else None,
            line["texts"]["score"],
            tuple(line["texts"][key] for key in keys),
        )
        for line in lines
    ]
    played = {row.bot for row in rows}
    cells = ("",) * len(keys)
    return rows + [FinalRow(bot, author, None, "", cells) for bot, author in authors.items() if bot not in played]


@functools.cache
def _dashboard(hill: Hill, season: Season) -> Dashboard:
    """Return the contest of a final. Raises KothError before it has begun."""
    return Dashboard(RunReader(folder_of(hill, season), PUBLIC), in_means=True)


def find_last_final() -> Final | None:
    """Return the newest final of the hill; None before the first one."""
    season = Season.objects.exclude(finalists=[]).order_by("-pk").first()
    return None if season is None else final_of(season)
