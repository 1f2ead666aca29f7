"""The state of a hill as a dictionary, for the API and pages."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import Count

from koth.replay.names import REPLAYS
from koth_hill import models
from koth_hill.connection import Hill
from koth_hill.models import Match, Season, Version
from koth_hill.planning import count_today
from koth_hill.registry import current_season, is_run


def status(hill: Hill) -> dict[str, Any]:
    """Return the game, the season, and the numbers of versions and matches in each state."""
    season = current_season()
    last = Match.objects.filter(ended__isnull=False).order_by("-ended").first()
    return {
        "game": hill.game,
        "season": season_summary(season),
        "authors": models.Author.objects.count(),
        "bots": models.Bot.objects.count(),
        "versions": _count_by_state(Version.objects.all(), Version.State),
        "matches": _count_by_state(Match.objects.filter(season=season), Match.State),
        "is_run": is_run(),
        "today": count_today(),
        "matches_a_day": hill.matches_a_day,
        "replay_bytes": _measure_folder(hill.folder / REPLAYS),
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
        "finalists": [
            {"name": one.bot.name, "author": one.bot.author.name, "version": one.number, "digest": one.digest}
            for one in season.find_finalists()
        ],
    }


def _count_by_state(rows: Any, states: Any) -> dict[str, int]:
    counts = dict(rows.values_list("state").annotate(Count("pk")).order_by())
    return {state.value: counts.get(state.value, 0) for state in states}


def _measure_folder(folder: Path) -> int:
    """Return the bytes in the files of a folder; ignore files that vanish meanwhile."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                size += os.lstat(os.path.join(place, name)).st_size
    return size


def _format_time(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat(timespec="seconds")
