"""Standings and what is going on, as pages show them: computed once for all visitors, again after changes."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, Max, Sum
from django.template.loader import render_to_string
from django.utils import timezone

from koth.games import load
from koth.hill.models import Match, Rating, Runner, Season, Version
from koth.hill.registry import current_season
from koth.hill.site.drawn import Band, bands
from koth.hill.site.matches import with_seats
from koth.hill.site.served import Served, served
from koth.hill.table import Line, Standings, standings
from koth.hill.tables import Day

DAY = timedelta(days=1)
LOOK = 1.0
"""Seconds after which the database is looked at again."""
RESTS = 9
"""Standings stay as they are for so many times as long as they took to compute."""
LATEST = 6
"""Matches that are listed as the latest ones, and as those in play."""


@dataclass(frozen=True)
class Row:
    """A line of the standings; `moved` is by how many ranks since yesterday, None for a bot that is new since."""

    line: Line
    moved: int | None
    band: Band | None

    @property
    def lost(self) -> int:
        """Return by how many ranks it fell."""
        return -(self.moved or 0)


@dataclass(frozen=True)
class Shown:
    """What is shown of the hill as it is now; `parts` are pieces of HTML by their ids, `tag` names their content."""

    standings: Standings
    rows: list[Row]
    has_movement: bool
    parts: dict[str, str]
    tag: str


class _Kept:
    """What was computed last, of which hill, and when it may be computed again."""

    def __init__(self, place: Served) -> None:
        self.place = place
        self.shown: Shown | None = None
        self.looked = self.rested = float("-inf")
        self.stamp: tuple[Any, ...] = ()
        self.table: tuple[Standings, list[Row], bool] | None = None


_lock = threading.Lock()
_kept: list[_Kept] = []


def shown() -> Shown:
    """Return what is shown now. One visitor's request computes it anew; the others get what there is meanwhile."""
    known = next((kept for kept in _kept if kept.place is served()), None)
    if known is not None and known.shown is not None and time.monotonic() < known.looked + LOOK:
        return known.shown
    if not _lock.acquire(blocking=known is None or known.shown is None):
        assert known is not None
        assert known.shown is not None
        return known.shown
    try:
        if not _kept or _kept[0].place is not served():
            _kept[:] = [_Kept(served())]
        return _renewed(_kept[0])
    finally:
        _lock.release()


def _renewed(kept: _Kept) -> Shown:
    """Look at the database; compute the standings again if they may have changed, a tenth of the time at most."""
    if kept.shown is not None and time.monotonic() < kept.looked + LOOK:
        return kept.shown  # another visitor was quicker
    season = current_season()
    stamp = _stamp(season)
    if kept.table is None or (stamp != kept.stamp and time.monotonic() >= kept.rested):
        begun = time.monotonic()
        kept.table = _table(season)
        kept.stamp = stamp
        kept.rested = time.monotonic() + RESTS * (time.monotonic() - begun)
    table, rows, has_movement = kept.table
    told = {"standings": table, "rows": rows, "has_movement": has_movement}
    parts = {
        "standings": render_to_string("standings.html", told),
        "happening": render_to_string("happening.html", _happening(season)),
    }
    tag = hashlib.blake2b("".join(parts.values()).encode(), digest_size=8).hexdigest()
    kept.shown = Shown(table, rows, has_movement, parts, tag)
    kept.looked = time.monotonic()
    return kept.shown


def _stamp(season: Season) -> tuple[Any, ...]:
    """Return what changes whenever the standings do."""
    matches = Match.objects.filter(season=season)
    playing = Version.objects.filter(state=Version.State.PLAYING)
    return (
        season.pk,
        season.state,
        matches.filter(state=Match.State.PLAYED).count(),
        matches.aggregate(last=Max("pk"))["last"],
        Rating.objects.filter(season=season).aggregate(last=Max("pk"))["last"],
        *playing.aggregate(count=Count("pk"), sum=Sum("pk")).values(),
    )


def _table(season: Season) -> tuple[Standings, list[Row], bool]:
    table = standings(load(served().hill.game), season)
    before = _ratings_before(season)
    moved = movement([line.bot for line in table.lines], before)
    drawn = bands([(line.rating, line.margin) for line in table.lines])
    rows = [Row(line, moved.get(line.bot), band) for line, band in zip(table.lines, drawn, strict=True)]
    return table, rows, bool(before)


def _ratings_before(season: Season) -> dict[str, float]:
    """Return the ratings that bots had a day ago, each that of its newest version then."""
    then = Match.objects.filter(season=season, state=Match.State.PLAYED, ended__lte=timezone.now() - DAY).count()
    batch = Rating.objects.filter(season=season, matches__lte=then).aggregate(last=Max("matches"))["last"]
    rows = Rating.objects.filter(season=season, matches=batch).order_by("version__number")
    return dict(rows.values_list("version__bot__name", "rating")) if then else {}


def movement(order: Sequence[str], before: dict[str, float]) -> dict[str, int]:
    """Return by how many ranks each bot of the standings rose, among those that were rated before."""
    now = [bot for bot in order if bot in before]
    then = sorted(now, key=lambda bot: -before[bot])
    return {bot: then.index(bot) - place for place, bot in enumerate(now)}


def _happening(season: Season) -> dict[str, Any]:
    """Return what is going on in the hill now."""
    found = Match.objects.filter(season=season).order_by("-pk")
    queue = (Version.State.QUEUED, Version.State.CHECKING)
    return {
        "season": season,
        "playing": with_seats(found.filter(state=Match.State.PLAYING)[:LATEST]),
        "latest": with_seats(found.filter(state=Match.State.PLAYED)[:LATEST]),
        "queued": Version.objects.filter(state__in=queue).count(),
        "today": Day.last().matches,
        "limit": served().hill.matches_a_day,
        "is_run": Runner.objects.filter(ended__isnull=True).exists(),
    }
