"""A season's final as pages show it, during the final and later."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from koth.contest.bracket import Bracket, Duel
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
    """A bot of a final; `cells` are headings of columns with the bot's texts. Before the bot's first match `rank` is
    None, and texts are empty.
    """

    bot: str
    author: str
    rank: int | None
    score: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Final:
    """A season's final: the look at its contest (`RunState`), the standings as rows, best first, and the knockout.

    The final ends before all planned matches once all ranks are settled; then the bots of the `bracket`, if any, play
    a knockout.
    """

    season: Season
    is_over: bool
    look: Mapping[str, Any]
    rows: tuple[FinalRow, ...]
    bracket: Bracket

    @property
    def columns(self) -> str:
        """The table's columns, for the tag `table`."""
        return "|".join(["rank:number", "bot", *(head for _, head in _columns(self.look))])

    @property
    def playing(self) -> list[tuple[int, int]]:
        """The matches in play: numbers and turns."""
        return [(match_number(one["name"]) or 0, one["turn"]) for one in self.look["playing"]]

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """The rounds of the knockout, as pairs of `sides`: the bots that are known so far."""
        named = zip(self.bracket.names, self.bracket.rounds, strict=True)
        return [{"name": name, "pairs": [self._pair(duel) for duel in duels]} for name, duels in named]

    def _pair(self, duel: Duel) -> dict[str, Any]:
        known = [(bot, score) for bot, score in zip(duel.bots, duel.texts, strict=True) if bot is not None]
        sides = [
            {"bot": bot, "seed": self.bracket.seed(bot), "score": score, "has_won": bot == duel.winner}
            for bot, score in known
        ]
        return {"sides": sides, "is_bye": duel.is_bye, "first": duel.first}

    @property
    def podium(self) -> tuple[FinalRow, ...]:
        """Return the best bots, once all can be compared: by a finished knockout, otherwise by the standings."""
        if first := self.bracket.winner:
            sides = [{bot for duel in duels for bot in duel.bots if bot} for duels in self.bracket.rounds[::-1]]
            lost = [bot for bots in sides for bot in sorted(bots, key=self.bracket.seed)]
            ordered = list(dict.fromkeys([first, *lost]))[: PODIUM + 1]
            ranks = [min(place, PODIUM) for place in range(1, len(ordered) + 1)]
            return tuple(FinalRow(bot, "", rank, "", ()) for bot, rank in zip(ordered, ranks, strict=True))
        return tuple(row for row in self.rows if row.rank is not None)[:PODIUM]


def final_of(season: Season) -> Final | None:
    """Return the current state of a season's final; None before the final's bots are fixed."""
    if not season.finalists:
        return None
    authors = {bot["name"]: bot["author"] for bot in season.finalists}
    try:
        dashboard = _dashboard(settings.HILL, season)
        look: Mapping[str, Any] = dashboard.look()
        bracket = dashboard.bracket
    except KothError:  # it waits for its first match
        empty: dict[str, Any] = {key: [] for key in ("standings", "columns", "playing", "notes", "explanations")}
        look, bracket = {**empty, "done": 0, "total": 0, "knockout": None}, Bracket()
    return Final(season, bool(final_is_over(settings.HILL, season)), look, tuple(_rows(look, authors)), bracket)


def _rows(look: Mapping[str, Any], authors: Mapping[str, str]) -> list[FinalRow]:
    """Return the rows of the standings: bots with matches, best first, then the other bots.

    Leave out ranks while some bots have met no common rivals.
    """
    are_compared = len({line["group"] for line in look["standings"]}) < 2
    lines = look["standings"] if are_compared else sorted(look["standings"], key=lambda line: -line["score"])
    rows = [
        FinalRow(
            line["bot"],
            authors.get(line["bot"], ""),
            line["rank"] if are_compared else None,
            line["texts"]["score"],
            tuple((head, line["texts"][key]) for key, head in _columns(look)),
        )
        for line in lines
    ]
    played = {row.bot for row in rows}
    cells = tuple((head, "") for _, head in _columns(look))
    return rows + [FinalRow(bot, author, None, "", cells) for bot, author in authors.items() if bot not in played]


def _columns(look: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the keys and headings of the columns behind a bot's rank and name."""
    return [(key, head) for key, head in look["columns"] if key not in ("rank", "bot")]


@functools.cache
def _dashboard(hill: Hill, season: Season) -> Dashboard:
    """Return the contest of a final. Raises KothError before it has begun."""
    return Dashboard(RunReader(folder_of(hill, season), PUBLIC), in_means=True)


def find_last_final() -> Final | None:
    """Return the newest final of the hill; None before the first one."""
    season = Season.objects.exclude(finalists=[]).order_by("-pk").first()
    return None if season is None else final_of(season)
