"""Standings and activity for pages: rendered once for all visitors, and again after changes."""

from __future__ import annotations

import functools
import hashlib
import threading
import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Sum
from django.template.loader import render_to_string

from koth.standings.ranking import Ranking
from koth_hill import fits
from koth_hill.connection import Hill
from koth_hill.models import Match, Season, Version
from koth_hill.planning import count_today, find_shortage
from koth_hill.registry import UNCHECKED_STATES, current_season, is_run
from koth_hill.scheduler import PLACEMENT_GROUPS
from koth_hill.site.card import hill_title
from koth_hill.site.final_table import Final, find_last_final
from koth_hill.site.matches import prefetch_seats
from koth_hill.site.standings_rows import Row, make_rows
from koth_hill.standings import standings

LOOK_SECONDS = 1.0
"""Seconds between two checks of the database."""
LATEST_MATCHES = 6
"""The largest number of latest matches, and of matches in play, in the lists."""


@dataclass(frozen=True)
class Snapshot:
    """The state of the hill on pages; `parts` are pieces of HTML by ids, `tag` is a digest of these pieces."""

    standings: Ranking
    rows: list[Row]
    final: Final | None
    """The last final, of this season or of an earlier one."""
    parts: dict[str, str]
    tag: str


class _SnapshotCache:
    """The last snapshot, and the time when the database was checked."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.shown: Snapshot | None = None
        self.looked = float("-inf")
        self.stamp: tuple[Any, ...] = ()

    def is_fresh(self) -> bool:
        """Return whether the database need not be checked yet."""
        return time.monotonic() < self.looked + LOOK_SECONDS


@functools.cache
def _find_cache(hill: Hill) -> _SnapshotCache:
    return _SnapshotCache()


def snapshot() -> Snapshot:
    """Return the current snapshot. One request renews the snapshot; meanwhile other requests get the last one."""
    cached = _find_cache(settings.HILL)
    if cached.shown is not None and (cached.is_fresh() or cached.lock.locked()):
        return cached.shown
    with cached.lock:
        if cached.shown is None or not cached.is_fresh():  # else another visitor was quicker
            cached.shown = _renew(cached)
            cached.looked = time.monotonic()
        return cached.shown


def _renew(cached: _SnapshotCache) -> Snapshot:
    """Check the database; read the standings again if the stamp has changed."""
    season = current_season()
    stamp = _stamp(season)
    old = cached.shown
    if old is None or stamp != cached.stamp:
        table = standings(season)
        rows = make_rows(table)
        values = {"standings": table, "rows": rows, "placement": PLACEMENT_GROUPS}
        html = render_to_string("standings.html", values)
        cached.stamp = stamp
    else:
        table, rows, html = old.standings, old.rows, old.parts["standings"]
    final = find_last_final(None if old is None else old.final)
    values = {"rows": rows, "final": final, **_read_activity(season)}
    parts = {"standings": html, "happening": render_to_string("happening.html", values)}
    parts["projected"] = render_to_string("projected.html", values)
    if final is not None:
        parts["final"] = render_to_string("final-table.html", values)
        parts["board"] = render_to_string("board.html", values)
        parts["winner"] = render_to_string("winner.html", values)
    tag = hashlib.blake2b("".join(parts.values()).encode(), digest_size=8).hexdigest()
    return Snapshot(table, rows, final, parts, tag)


def _stamp(season: Season) -> tuple[Any, ...]:
    """Return a value that changes whenever the standings do."""
    playing = Version.objects.filter(state=Version.State.PLAYING)
    return (
        season.pk,
        season.state,
        season.fits.aggregate(last=Max("pk"))["last"],
        fits.count_voids(season),
        *playing.aggregate(count=Count("pk"), sum=Sum("pk")).values(),
    )


def _read_activity(season: Season) -> dict[str, Any]:
    found = Match.objects.filter(season=season).order_by("-pk")
    return {
        "season": season,
        "too_few": find_shortage(settings.HILL, season),
        "playing": prefetch_seats(found.filter(state=Match.State.PLAYING)[:LATEST_MATCHES]),
        "latest": prefetch_seats(found.filter(state=Match.State.PLAYED)[:LATEST_MATCHES]),
        "queued": Version.objects.filter(state__in=UNCHECKED_STATES).count(),
        "today": count_today(),
        "limit": settings.HILL.matches_a_day,
        "title": hill_title(),
        "is_run": is_run(),
    }
