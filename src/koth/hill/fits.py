"""The fits of a season's ratings and scores in the database; `koth.hill.ratings` computes them."""

from __future__ import annotations

from django.db.models import Max

from koth.hill.models import Fit, Match, Rating, Season
from koth.hill.scheduler import REFIT_SHARE


def count_matches(season: Season) -> int:
    """Return the number of a season's matches that count."""
    return Match.objects.filter(season=season, state=Match.State.PLAYED).count()


def count_voids(season: Season) -> int:
    """Return the number of a season's matches that were played and then made void."""
    return Match.objects.filter(season=season, state=Match.State.VOID, ended__isnull=False).count()


def newest_fit(season: Season) -> Fit | None:
    """Return the last fit of a season; None before the first fit."""
    return season.fits.order_by("-pk").first()


def latest_ratings(season: Season) -> dict[int, Rating]:
    """Return a season's latest ratings by version: from the newest fit, or by score from every version's last fit."""
    rows = Rating.objects.filter(fit__season=season)
    if season.rank_by == "rating":
        rows = rows.filter(fit=newest_fit(season))
    last = rows.order_by().values("version").annotate(last=Max("pk")).values("last")
    return {row.version_id: row for row in Rating.objects.filter(pk__in=last)}


def is_due(season: Season) -> bool:
    """Return whether ratings and scores must be recomputed: a match was made void, or enough matches were added."""
    fit, matches = newest_fit(season), count_matches(season)
    if fit is None:
        return matches > 0
    return count_voids(season) != fit.voids or (
        matches > fit.matches and (matches - fit.matches) * REFIT_SHARE >= fit.matches
    )
