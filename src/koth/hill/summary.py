"""The state of a hill as plain dictionaries, for `--json`, tables and pages."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Count, Prefetch, QuerySet

from koth.hill import fits, models
from koth.hill.connection import Hill
from koth.hill.disk import measure_folder
from koth.hill.models import Match, Season, Version
from koth.hill.planning import Day, count_played
from koth.hill.registry import current_season, find_bot
from koth.replay.names import REPLAYS


def status(hill: Hill) -> dict[str, Any]:
    """Return the game, the season, and the numbers of versions and matches in each state."""
    season = current_season()
    day = Day.last()
    last = Match.objects.filter(ended__isnull=False).order_by("-ended").first()
    return {
        "game": hill.game,
        "season": season_summary(season),
        "authors": models.Author.objects.count(),
        "bots": models.Bot.objects.count(),
        "versions": _count_by_state(Version.objects.all(), Version.State),
        "matches": _count_by_state(Match.objects.filter(season=season), Match.State),
        "runners": models.Runner.objects.filter(ended__isnull=True).count(),
        "today": day.matches,
        "matches_a_day": hill.matches_a_day,
        "hours": day.hours,
        "hours_a_day": hill.hours_a_day,
        "replay_bytes": measure_folder(hill.folder / REPLAYS).size,
        "keep_days": hill.keep_days,
        "last": None if last is None else _format_time(last.ended),
    }


def season_summary(season: Season) -> dict[str, Any]:
    """Return a season as a dictionary, which includes the secret only after publication."""
    return {
        "number": season.pk,
        "state": season.state,
        "ruleset": season.ruleset,
        "settings": season.overrides,
        "game_version": season.game_version,
        "commitment": season.commitment,
        "secret": season.secret if season.state == Season.State.PUBLISHED else None,
        "opened": _format_time(season.opened),
        "frozen": _format_time(season.frozen),
        "published": _format_time(season.published),
        "finalists": season.finalists,
    }


def bot_summary(name: str) -> dict[str, Any]:
    """Return a bot's versions, newest first, with their ratings in the season. Raises KothError."""
    bot, season = find_bot(name), current_season()
    rated = fits.latest_ratings(season)
    return {
        "bot": bot.name,
        "author": bot.author.name,
        "rank_by": season.rank_by,
        "versions": [
            {
                "number": version.number,
                "state": version.state,
                "reason": version.reason,
                "digest": version.digest,
                "submitted": _format_time(version.submitted),
                "matches": version.played,
                "rating": rated[version.pk].rating if version.pk in rated else None,
                "score": rated[version.pk].score if version.pk in rated else None,
            }
            for version in count_played(bot.versions.all())
        ],
    }


def match_summaries(bot: str | None, last: int) -> list[dict[str, Any]]:
    """Return the latest matches, newest first; given `bot`, only matches of this bot. Raises KothError."""
    matches = Match.objects.order_by("-pk")
    if bot is not None:
        matches = matches.filter(seats__version__bot=find_bot(bot)).distinct()
    return [_match(match) for match in _with_seats(matches)[:last]]


def match_summary(number: int) -> dict[str, Any] | None:
    """Return a match; None if there is no match of this number."""
    found = _with_seats(Match.objects.filter(pk=number)).first()
    return None if found is None else _match(found)


def _with_seats(matches: QuerySet[Match]) -> QuerySet[Match]:
    seats = models.Seat.objects.select_related("version__bot").defer("version__archive")
    return matches.prefetch_related(Prefetch("seats", seats))


def _match(match: Match) -> dict[str, Any]:
    return {
        "match": match.pk,
        "season": match.season_id,
        "block": match.block,
        "state": match.state,
        "reason": match.reason,
        "why": match.why,
        "turns": match.turns,
        "ended": _format_time(match.ended),
        "seats": [
            {
                "bot": seat.version.bot.name,
                "version": seat.version.number,
                "score": seat.score,
                "faults": {kind: fault["count"] for kind, fault in sorted(seat.faults.items())},
            }
            for seat in match.seats.all()
        ],
    }


def audit(last: int) -> list[dict[str, Any]]:
    """Return the latest actions, newest first."""
    entries = models.AuditEntry.objects.order_by("-pk").values("at", "who", "what", "text")[:last]
    return [{**entry, "at": _format_time(entry["at"])} for entry in entries]


def _count_by_state(rows: Any, states: Any) -> dict[str, int]:
    counts = dict(rows.values_list("state").annotate(Count("pk")).order_by())
    return {state.value: counts.get(state.value, 0) for state in states}


def _format_time(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat(timespec="seconds")
