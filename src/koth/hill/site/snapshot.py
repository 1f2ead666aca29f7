"""Standings and activity for pages: rendered once for all visitors, and again after changes."""

from __future__ import annotations

import functools
import hashlib
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Sum
from django.template.loader import render_to_string
from django.utils import timezone

from koth.hill import fits
from koth.hill.connection import Hill
from koth.hill.models import Match, Runner, Season, Version
from koth.hill.planning import DAY, Day, find_shortage
from koth.hill.registry import UNCHECKED_STATES, current_season
from koth.hill.scheduler import PLACEMENT_TABLES
from koth.hill.site.card import hill_title
from koth.hill.site.final_table import Final, find_last_final
from koth.hill.site.matches import prefetch_seats
from koth.hill.standings import standings
from koth.standings.ranking import RankedVersion, Ranking
from koth.standings.text import rank_text

LOOK_SECONDS = 1.0
"""Seconds between two checks of the database."""
LATEST_MATCHES = 6
"""The largest number of latest matches, and of matches in play, in the lists."""
BAND_WIDTH = 160
"""Width of the picture of an interval."""
REACH = 120.0
"""The rating difference by which the axis extends beyond the ratings (for scores: half their range)."""


@dataclass(frozen=True)
class Band:
    """The picture of a rating or score with its interval: start and length of the bar, position of the dot."""

    start: float
    length: float
    dot: float
    text: str


@dataclass(frozen=True)
class Row:
    """A line of the standings; `moved` is the change of the bot's rank since yesterday, None for a new bot."""

    line: RankedVersion
    moved: int | None
    band: Band | None
    ranked: str
    """The rating, or the score if the season ranks by score."""
    margin: str
    """Half the width of the interval; empty without an interval."""

    @property
    def lost(self) -> int:
        """Return the number of ranks that the bot has lost."""
        return -(self.moved or 0)


@dataclass(frozen=True)
class Snapshot:
    """The state of the hill on pages; `parts` are pieces of HTML by ids, `tag` is a digest of these pieces."""

    standings: Ranking
    rows: list[Row]
    has_movement: bool
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
        table, rows, has_movement = _read_table(season)
        values = {"standings": table, "rows": rows, "has_movement": has_movement, "placement": PLACEMENT_TABLES}
        html = render_to_string("standings.html", values)
        cached.stamp = stamp
    else:
        table, rows, has_movement, html = old.standings, old.rows, old.has_movement, old.parts["standings"]
    final = find_last_final()
    values = {"rows": rows, "final": final, **_read_activity(season)}
    parts = {"standings": html, "happening": render_to_string("happening.html", values)}
    parts["projected"] = render_to_string("projected.html", values)
    if final is not None:
        parts["final"] = render_to_string("final-table.html", values)
        parts["winner"] = render_to_string("winner.html", values)
    tag = hashlib.blake2b("".join(parts.values()).encode(), digest_size=8).hexdigest()
    return Snapshot(table, rows, has_movement, final, parts, tag)


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


def _read_table(season: Season) -> tuple[Ranking, list[Row], bool]:
    table, before = standings(season), _values_before(season)
    return table, make_rows(table, movement([line.bot for line in table.standings], before)), bool(before)


def make_rows(table: Ranking, moved: Mapping[str, int]) -> list[Row]:
    """Return the lines of standings for pages; `moved` has the changes of bots' ranks, if there are any."""
    by = table.rank_by
    drawn = bands([(getattr(line, by), line.margin) for line in table.standings], by)
    return [
        Row(line, moved.get(line.bot), band, rank_text(getattr(line, by), by), rank_text(line.margin, by))
        for line, band in zip(table.standings, drawn, strict=True)
    ]


def axis_reach(ranked: Sequence[float], rank_by: str) -> float:
    """Return by how much the axis extends beyond these ratings or scores; wider intervals are cut."""
    return REACH if rank_by == "rating" else (max(ranked) - min(ranked)) / 2 or 1.0


def bands(ranked: Sequence[tuple[float | None, float | None]], rank_by: str = "rating") -> list[Band | None]:
    """Return the pictures of these ratings or scores with their margins, on one axis; None without an interval."""
    known = [value for value, _ in ranked if value is not None] or [0.0]
    beyond = axis_reach(known, rank_by)
    low, high = min(known) - beyond, max(known) + beyond

    def place(value: float) -> float:
        return round(BAND_WIDTH * (min(max(value, low), high) - low) / (high - low), 1)

    found: list[Band | None] = []
    for value, margin in ranked:
        if value is None or margin is None:
            found.append(None)
            continue
        start, end = place(value - margin), place(value + margin)
        text, *ends = (rank_text(at, rank_by) for at in (value, value - margin, value + margin))
        found.append(Band(start, round(end - start, 1), place(value), f"{text}, between {' and '.join(ends)}"))
    return found


def _values_before(season: Season) -> dict[str, float]:
    """Return the rating or score of each bot a day ago, from the bot's newest version at that time."""
    then = Match.objects.filter(season=season, state=Match.State.PLAYED, ended__lte=timezone.now() - DAY).count()
    fit = season.fits.filter(matches__lte=then).order_by("matches").last() if then else None
    if fit is None:
        return {}
    return dict(fit.ratings.order_by("version__number").values_list("version__bot__name", season.rank_by))


def movement(order: Sequence[str], before: dict[str, float]) -> dict[str, int]:
    """Return the number of ranks that each bot has risen among the bots ranked before."""
    now = [bot for bot in order if bot in before]
    then = sorted(now, key=lambda bot: -before[bot])
    return {bot: then.index(bot) - place for place, bot in enumerate(now)}


def _read_activity(season: Season) -> dict[str, Any]:
    found = Match.objects.filter(season=season).order_by("-pk")
    return {
        "season": season,
        "too_few": find_shortage(settings.HILL, season),
        "playing": prefetch_seats(found.filter(state=Match.State.PLAYING)[:LATEST_MATCHES]),
        "latest": prefetch_seats(found.filter(state=Match.State.PLAYED)[:LATEST_MATCHES]),
        "queued": Version.objects.filter(state__in=UNCHECKED_STATES).count(),
        "today": Day.last().matches,
        "limit": settings.HILL.matches_a_day,
        "title": hill_title(),
        "is_run": Runner.objects.filter(ended__isnull=True).exists(),
    }
