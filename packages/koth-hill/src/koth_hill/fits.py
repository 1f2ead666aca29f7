"""The fits of ratings and scores in the database, of a season or of its final; `koth_hill.ratings` computes them."""

from __future__ import annotations

from django.db.models import Max, QuerySet

from koth_hill.models import Fit, Match, Rating, Season
from koth_hill.scheduler import REFIT_SHARE


def rated_matches(season: Season, is_final: bool = False) -> QuerySet[Match]:
    """Return the matches from which a season's standings are computed, or those of its final."""
    return Match.objects.filter(season=season, round=0 if is_final else None)


def count_matches(season: Season, is_final: bool = False) -> int:
    """Return the number of matches that count."""
    return rated_matches(season, is_final).filter(state=Match.State.PLAYED).count()


def count_voids(season: Season, is_final: bool = False) -> int:
    """Return the number of matches that were played and then made void."""
    return rated_matches(season, is_final).filter(state=Match.State.VOID, ended__isnull=False).count()


def newest_fit(season: Season, is_final: bool = False) -> Fit | None:
    """Return the last fit; None before the first fit."""
    return season.fits.filter(is_final=is_final).order_by("-pk").first()


def latest_ratings(season: Season, is_final: bool = False) -> dict[int, Rating]:
    """Return the latest ratings by version: from the newest fit, or by score from every version's last fit."""
    rows = Rating.objects.filter(fit__season=season, fit__is_final=is_final)
    if season.rank_by == "rating":
        rows = rows.filter(fit=newest_fit(season, is_final))
    last = rows.order_by().values("version").annotate(last=Max("pk")).values("last")
    return {row.version_id: row for row in Rating.objects.filter(pk__in=last)}


def is_due(season: Season, is_final: bool = False) -> bool:
    """Return whether ratings and scores must be recomputed.

    They must be if a match was made void, or if enough matches were added; of a final that is over, all count.
    """
    fit, matches = newest_fit(season, is_final), count_matches(season, is_final)
    if fit is None:
        return matches > 0
    if count_voids(season, is_final) != fit.voids:
        return True
    share = matches if is_final and season.final_ended else REFIT_SHARE
    return matches > fit.matches and (matches - fit.matches) * share >= fit.matches
