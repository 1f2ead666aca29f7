"""A season's final as pages show it, during the final and later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from koth.contest.bracket import Bracket, Duel
from koth.standings.ranking import Ranking
from koth_hill.finals import find_shown
from koth_hill.models import Match, Season
from koth_hill.site.matches import prefetch_seats
from koth_hill.site.standings_rows import Row, make_rows
from koth_hill.standings import find_knockout, standings

PODIUM = 3
"""The last rank on the podium."""


@dataclass(frozen=True)
class Placed:
    """A bot on the podium; `text` is its rating or score, empty after a knockout."""

    bot: str
    rank: int
    text: str = ""


@dataclass(frozen=True)
class Final:
    """A season's final: its standings, as lines of `rows`, the knockout, and numbers of matches of the standings."""

    season: Season
    standings: Ranking
    rows: Sequence[Row]
    bracket: Bracket
    planned: int
    playing: Sequence[Match]

    @property
    def is_over(self) -> bool:
        """True after the last match, or if the host ended the final."""
        return self.season.final_ended is not None

    @property
    def shown(self) -> Match | None:
        """The match that everybody watches now, at the host's pace."""
        shown = find_shown(self.season)
        return next((match for match in self.playing if match.pk in shown), None)

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
    def podium(self) -> list[Placed]:
        """Return the best bots so far: by a finished knockout, otherwise by the standings."""
        if first := self.bracket.winner:
            sides = [{bot for duel in duels for bot in duel.bots if bot} for duels in self.bracket.rounds[::-1]]
            lost = [bot for bots in sides for bot in sorted(bots, key=self.bracket.seed)]
            ordered = list(dict.fromkeys([first, *lost]))[: PODIUM + 1]
            return [Placed(bot, min(place, PODIUM)) for place, bot in enumerate(ordered, 1)]
        return [Placed(row.line.bot, row.line.rank, row.ranked) for row in self.rows[:PODIUM] if row.line.matches]


def final_of(season: Season) -> Final | None:
    """Return the current state of a season's final; None before it begins."""
    if season.final_matches is None:
        return None
    table = standings(season, is_final=True)
    matches = Match.objects.filter(season=season, round__isnull=False)
    drawn = _count_drawn(season)
    has_knockout = matches.filter(round__gt=0).exists()
    bracket = find_knockout(season, table) if has_knockout else Bracket()
    playing = prefetch_seats(matches.filter(state=Match.State.PLAYING).order_by("pk"))
    return Final(season, table, make_rows(table), bracket, drawn, playing)


def _count_drawn(season: Season) -> int:
    """Return the number of matches of a final's standings that count, or may count."""
    drawn = Match.objects.filter(season=season, round=0)
    return drawn.exclude(state__in=(Match.State.UNPLAYED, Match.State.VOID)).count()


def find_last_final(known: Final | None) -> Final | None:
    """Return the newest final of the hill; None before the first one. `known` is kept while it is published."""
    season = Season.objects.exclude(final_matches=None).order_by("-pk").first()
    if season is None:
        return None
    is_same = known is not None and known.season == season and known.planned == _count_drawn(season)
    is_published = known is not None and known.season.state == season.state == Season.State.PUBLISHED
    return known if is_same and is_published else final_of(season)
