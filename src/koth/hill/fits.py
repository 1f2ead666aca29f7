"""The fits of a season's ratings, as the database has them; `koth.hill.ratings` computes them."""

from __future__ import annotations

from koth.hill.models import Fit, Match, Rating, Season
from koth.hill.scheduler import REFIT


def counted(season: Season) -> int:
    """Return how many matches of a season count."""
    return Match.objects.filter(season=season, state=Match.State.PLAYED).count()


def voids(season: Season) -> int:
    """Return how many matches of a season were played and then made void."""
    return Match.objects.filter(season=season, state=Match.State.VOID, ended__isnull=False).count()


def newest(season: Season) -> Fit | None:
    """Return the last fit of a season; None before its first match."""
    return season.fits.order_by("-pk").first()


def latest(season: Season) -> dict[int, Rating]:
    """Return the latest ratings of a season by version."""
    fit = newest(season)
    return {} if fit is None else {rating.version_id: rating for rating in fit.ratings.all()}


def is_due(season: Season) -> bool:
    """Return whether ratings are to be computed: a match was made void, or enough of them were added."""
    fit, matches = newest(season), counted(season)
    if fit is None:
        return matches > 0
    return voids(season) != fit.voids or (matches > fit.matches and (matches - fit.matches) * REFIT >= fit.matches)
