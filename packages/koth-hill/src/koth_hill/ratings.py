"""Ratings and scores of a season's versions, computed from the season's matches and stored with the time.

A rating uses all matches. A season that ranks by score uses a match only while all its versions play: otherwise a
version's mean would depend on when the version came.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from django.db import transaction

from koth.game import Array, Game
from koth.standings.looks import scores_with_margins
from koth.standings.paired import least_blocks
from koth.standings.rating import MEAN, ratings_with_margins
from koth.standings.scores import Blocks, Scores, estimates
from koth_hill.fits import count_voids, is_due, latest_ratings, rated_matches
from koth_hill.models import Fit, Match, Rating, Season, Seat, Version
from koth_hill.season_reader import scores_of


def catch_up(game: Game) -> None:
    """Compute the ratings of all seasons and finals whose ratings are due."""
    for season in Season.objects.all():
        for is_final in (False, True):
            if is_due(season, is_final):
                rate(game, season, is_final)


def rate(game: Game, season: Season, is_final: bool = False) -> None:
    """Compute and store the ratings and scores of all versions that have played in a season, or in its final.

    Remove earlier fits to as many matches or more: these used matches that are void now.
    """
    voids_before = count_voids(season, is_final)  # a match made void meanwhile has the ratings computed again
    seats = Seat.objects.filter(match__in=rated_matches(season, is_final).filter(state=Match.State.PLAYED))
    scores = scores_of(seats.order_by("match_id", "place"))
    fit = Fit(season=season, is_final=is_final, matches=len(scores), voids=voids_before)
    compute = partial(_fit_scores, game) if season.rank_by == "score" else _fit_ratings
    rows = list(compute(fit, scores)) if len(scores) else []
    with transaction.atomic():
        season.fits.filter(is_final=is_final, matches__gte=len(scores)).delete()
        fit.save()
        Rating.objects.bulk_create(rows)


def _fit_ratings(fit: Fit, scores: Scores) -> Iterator[Rating]:
    versions, before = [int(name) for name in scores.names], latest_ratings(fit.season, fit.is_final)
    start = np.array([before[version].rating if version in before else MEAN for version in versions])
    rated = ratings_with_margins(scores, np.arange(len(versions)), _are_playing(fit, scores), start)
    aggregate = fit.season.aggregate
    blocks = Blocks.of(scores, aggregate)
    columns = [array.tolist() for array in (*rated, estimates(blocks, aggregate), blocks.matches_each, blocks.played)]
    for version, rating, margin, score, played, groups in zip(versions, *columns, strict=True):
        yield Rating(
            fit=fit, version_id=version, rating=rating, margin=margin, score=score, played=played, groups=groups
        )


def _fit_scores(game: Game, fit: Fit, scores: Scores) -> Iterator[Rating]:
    """Yield the score of each version, computed from the matches between versions that play."""
    current = np.append(_are_playing(fit, scores), True)  # the last one for empty seats, -1
    counts = np.flatnonzero(current[scores.bot].all(axis=1))
    scores = scores.take(counts).drop_absent()
    aggregate = fit.season.aggregate
    blocks = Blocks.of(scores, aggregate)
    found = scores_with_margins(blocks, aggregate, least_blocks(game.contest_defaults, 2))
    columns = [array.tolist() for array in (*found, blocks.matches_each, blocks.played)]
    for name, score, margin, played, groups in zip(scores.names, *columns, strict=True):
        known = None if np.isnan(margin) else margin
        yield Rating(fit=fit, version_id=int(name), margin=known, score=score, played=played, groups=groups)


def _are_playing(fit: Fit, scores: Scores) -> Array:
    """Return bool[bots]: whether the version plays; all True if none plays, and in a final."""
    versions = [int(name) for name in scores.names]
    if fit.is_final:
        return np.ones(len(versions), bool)
    playing = set(Version.objects.filter(pk__in=versions, state=Version.State.PLAYING).values_list("pk", flat=True))
    return np.array([version in playing or not playing for version in versions])
