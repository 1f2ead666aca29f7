"""The final of a season as pages show it, while it is played and afterwards."""

from __future__ import annotations

import functools
from collections.abc import Mapping
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
"""Bots on the podium."""


@dataclass(frozen=True)
class FinalRow:
    """A bot of a final: its cells by column. Without `rank` and `score` before its first match."""

    bot: str
    author: str
    rank: int | None
    score: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Final:
    """A season's final: its table, best first, and the matches in play with their turns.

    `done` matches of `most` are played; it ends earlier once all ranks are settled.
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

    @property
    def podium(self) -> tuple[FinalRow, ...]:
        """The best bots, once there is a match."""
        return tuple(row for row in self.rows if row.rank is not None)[:PODIUM]


def final_of(season: Season) -> Final | None:
    """Return a season's final as it is now; None if its bots are not fixed."""
    if not season.finalists:
        return None
    authors = {bot["name"]: bot["author"] for bot in season.finalists}
    try:
        look: Mapping[str, Any] = _dashboard(settings.HILL, season).look()
    except KothError:  # it waits for its first match
        look = {"standings": [], "columns": [], "playing": [], "done": 0, "total": 0, "notes": [], "explanations": []}
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
    )


def _rows(look: Mapping[str, Any], authors: Mapping[str, str]) -> list[FinalRow]:
    """Return the rows of the table: bots with matches, best first, then the others."""
    keys = [key for key, _ in look["columns"] if key not in ("rank", "bot")]
    rows = [
        FinalRow(
            line["bot"],
            authors.get(line["bot"], ""),
            line["rank"],
            line["texts"]["score"],
            tuple(line["texts"][key] for key in keys),
        )
        for line in look["standings"]
    ]
    played = {row.bot for row in rows}
    return rows + [FinalRow(bot, author, None, "", ()) for bot, author in authors.items() if bot not in played]


@functools.cache
def _dashboard(hill: Hill, season: Season) -> Dashboard:
    """Return the contest of a final. Raises KothError before it has begun."""
    return Dashboard(RunReader(folder_of(hill, season), PUBLIC))


def find_last_final() -> Final | None:
    """Return the newest final of the hill; None before the first one."""
    season = Season.objects.exclude(finalists=[]).order_by("-pk").first()
    return None if season is None else final_of(season)
