"""News for an author: failed checks, rivals that overtook, ends of seasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from koth_hill.models import Author, Fit, Rating, Season, Version
from koth_hill.registry import current_season
from koth_hill.site.final_table import final_of

MOST_NEWS = 20
"""The largest number of news in the list."""
LATEST_FITS = 40
"""The number of latest fits of ratings that are searched for overtaking rivals."""


@dataclass(frozen=True)
class News:
    """An event: text, time, and the address of a page about it."""

    at: datetime
    text: str
    url: str


def news_of(author: Author) -> list[News]:
    """Return the latest news of an author, newest first."""
    found = [
        *_find_refusals(author),
        *_find_overtakings(author),
        *_find_season_ends(author),
    ]
    return sorted(found, key=lambda news: news.at, reverse=True)[:MOST_NEWS]


def _find_refusals(author: Author) -> Iterator[News]:
    states = (Version.State.REFUSED, Version.State.SUSPENDED)
    failed = author.versions.filter(state__in=states).select_related("bot").defer("archive")
    for version in failed.order_by("-pk")[:MOST_NEWS]:
        text = f"{version} is {version.state}: {version.reason}"
        yield News(version.submitted, text, reverse("version", args=[version.pk]))


def _find_overtakings(author: Author) -> Iterator[News]:
    """Yield the rivals that are ahead of a bot now and were behind the bot in an earlier of the latest fits."""
    season = current_season()
    fits = list(Fit.objects.filter(season=season, is_final=False).order_by("-pk")[:LATEST_FITS])
    rated: dict[int, dict[str, float]] = {fit.pk: {} for fit in fits}
    rows = Rating.objects.filter(fit__in=fits).order_by("version__number")
    for fit, bot, rating in rows.values_list("fit_id", "version__bot__name", season.rank_by):
        rated[fit][bot] = rating
    playing = Version.objects.filter(state=Version.State.PLAYING)
    names = dict(playing.values_list("bot__name", "bot__author_id"))
    for own in [name for name, of in names.items() if of == author.pk]:
        for rival in [name for name, of in names.items() if of != author.pk]:
            at = _find_overtaking(fits, rated, own, rival)
            if at is not None:
                yield News(at, f"{rival} has overtaken {own}", reverse("bot", args=[rival]))


def _find_overtaking(fits: list[Fit], rated: dict[int, dict[str, float]], own: str, rival: str) -> datetime | None:
    """Return since when a rival is ahead; None if the rival is behind now, or ahead in all `fits` (newest first)."""
    since = None
    for fit in fits:
        ratings = rated[fit.pk]
        if own not in ratings or rival not in ratings:
            return None
        if ratings[rival] <= ratings[own]:
            return since
        since = fit.at
    return None


def _find_season_ends(author: Author) -> Iterator[News]:
    for season in Season.objects.filter(published__isnull=False).order_by("-pk")[:MOST_NEWS]:
        assert season.published is not None
        final = final_of(season)
        lines = final.standings.standings if final else []
        own = [
            f"{line.bot}: rank {line.rank} of {len(lines)} in the final."
            for line in lines
            if line.author == author.name
        ]
        text = " ".join([f"Season {season.pk} has ended.", *own])
        yield News(season.published, text, reverse("season", args=[season.pk]))
