"""The ratings and scores of a season's versions, computed of its matches, and kept as they were then."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from django.db import transaction

from koth.game import Array, Game
from koth.hill.fits import is_due, latest, voids
from koth.hill.models import Fit, Match, Rating, Season, Seat, Version
from koth.hill.season_reader import scores_of
from koth.standings.rating import MEAN, ratings_with_margins
from koth.standings.scores import Blocks, Scores, estimates


def catch_up(game: Game) -> None:
    """Compute the ratings of all seasons in which they are due."""
    for season in Season.objects.all():
        if is_due(season):
            rate(game, season)


def rate(game: Game, season: Season) -> None:
    """Compute the ratings and scores of all versions that have played in a season, and keep them.

    Earlier fits to as many matches or more are removed: they were computed with matches that are void now.
    """
    voids_before = voids(season)  # a match that is made void meanwhile has the ratings computed again
    seats = Seat.objects.filter(match__season=season, match__state=Match.State.PLAYED)
    scores = scores_of(seats.order_by("match_id", "place"))
    fit = Fit(season=season, matches=len(scores), voids=voids_before)
    rows = list(_computed(game, fit, scores)) if len(scores) else []
    with transaction.atomic():
        season.fits.filter(matches__gte=len(scores)).delete()
        fit.save()
        Rating.objects.bulk_create(rows)


def _computed(game: Game, fit: Fit, scores: Scores) -> Iterator[Rating]:
    """Yield the rating of each version."""
    versions, before = [int(name) for name in scores.names], latest(fit.season)
    playing = set(Version.objects.filter(pk__in=versions, state=Version.State.PLAYING).values_list("pk", flat=True))
    start = np.array([before[version].rating if version in before else MEAN for version in versions])
    current = np.array([version in playing or not playing for version in versions])
    ratings, margins = ratings_with_margins(scores, np.arange(len(versions)), current, start)
    aggregate = game.contest_defaults.aggregate
    own = estimates(Blocks.of(scores, aggregate), aggregate)
    tables = np.bincount(_seats_of_tables(scores), minlength=len(versions))
    columns = [array.tolist() for array in (ratings, margins, own, scores.games, tables)]
    for version, rating, margin, score, played, table in zip(versions, *columns, strict=True):
        yield Rating(
            fit=fit, version_id=version, rating=rating, margin=margin, score=score, played=played, tables=table
        )


def _seats_of_tables(scores: Scores) -> Array:
    """Return the bots of one match of each block, as places in `scores.names`."""
    _, first = np.unique(scores.block, return_index=True)
    seated = scores.bot[first]
    return seated[seated >= 0]
