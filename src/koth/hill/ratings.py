"""The ratings of a season's versions, computed of its matches, and kept as they were then."""

from __future__ import annotations

from collections.abc import Iterator, Set

import numpy as np
from django.db import transaction
from django.db.models import Max

from koth.game import Array, Game
from koth.hill.models import Match, Rating, Season, Seat, Version
from koth.hill.scheduler import REFIT
from koth.standings.rating import MEAN, ratings_with_margins
from koth.standings.scores import CELL, Blocks, Scores, estimates


def played_scores(season: Season) -> Scores:
    """Return the scores of a season's matches that count; versions are named by their numbers in the database."""
    rows = Seat.objects.filter(match__season=season, match__state=Match.State.PLAYED).order_by("match_id", "place")
    told = list(rows.values_list("match_id", "match__block", "place", "version_id", "score"))
    names = {version: index for index, version in enumerate(dict.fromkeys(row[3] for row in told))}
    cells = np.array([(match, place, names[version], score) for match, _, place, version, score in told], CELL)
    blocks = np.array(sorted({(match, block) for match, block, *_ in told}), np.int64).reshape(-1, 2)
    return Scores.of_cells(blocks, [str(version) for version in names], cells)


def latest(season: Season) -> dict[int, Rating]:
    """Return the latest ratings of a season by version."""
    last = Rating.objects.filter(season=season).order_by("-pk").first()
    if last is None:
        return {}
    newest = Rating.objects.filter(season=season, matches=last.matches).order_by("pk")
    return {rating.version_id: rating for rating in newest}


def is_due(season: Season) -> bool:
    """Return whether enough matches were added since the ratings were computed."""
    played = Match.objects.filter(season=season, state=Match.State.PLAYED).count()
    before = Rating.objects.filter(season=season).aggregate(most=Max("matches"))["most"] or 0
    return played > before and (played - before) * REFIT >= before


def rate(game: Game, season: Season) -> None:
    """Compute the ratings and scores of all versions that have played in a season, and keep them.

    Earlier ratings over as many matches or more are removed: they were computed with matches that are void now.
    """
    scores = played_scores(season)
    versions = [int(name) for name in scores.names]
    playing = set(Version.objects.filter(pk__in=versions, state=Version.State.PLAYING).values_list("pk", flat=True))
    rows = list(_computed(game, season, scores, playing)) if playing else []
    with transaction.atomic():
        Rating.objects.filter(season=season, matches__gte=len(scores)).delete()
        Rating.objects.bulk_create(rows)


def _computed(game: Game, season: Season, scores: Scores, playing: Set[int]) -> Iterator[Rating]:
    """Yield the rating of each version."""
    versions = [int(name) for name in scores.names]
    before = latest(season)
    start = np.array([before[version].rating if version in before else MEAN for version in versions])
    current = np.array([version in playing for version in versions])
    ratings, margins = ratings_with_margins(scores, np.arange(len(versions)), current, start)
    aggregate = game.contest_defaults.aggregate
    own = estimates(Blocks.of(scores, aggregate), aggregate)
    tables = np.bincount(_seats_of_tables(scores), minlength=len(versions))
    columns = [array.tolist() for array in (ratings, margins, own, scores.games, tables)]
    for version, rating, margin, score, played, table in zip(versions, *columns, strict=True):
        yield Rating(
            season=season, matches=len(scores), version_id=version,
            rating=rating, margin=margin, score=score, played=played, tables=table,
        )  # fmt: skip


def _seats_of_tables(scores: Scores) -> Array:
    """Return the bots of one match of each block, as places in `scores.names`."""
    _, first = np.unique(scores.block, return_index=True)
    seated = scores.bot[first]
    return seated[seated >= 0]
