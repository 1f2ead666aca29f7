"""The standings of a hill: the versions that play now, by rating or by score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from koth.contest.bracket import Bracket, Ranks, build_bracket, seed_bots
from koth.contest.reading import MatchRow
from koth.errors import KothError
from koth.standings.ranking import RankedVersion, Ranking
from koth_hill import fits
from koth_hill.connection import Hill
from koth_hill.models import Match, Rating, Season, Seat, Version
from koth_hill.planning import find_playing, table_size
from koth_hill.scheduler import PLACEMENT_GROUPS


def standings(season: Season, is_final: bool = False) -> Ranking:
    """Return the standings of a season or of its final: the versions that play, with values from the last fit."""
    fit = fits.newest_fit(season, is_final)
    versions = season.find_finalists() if is_final else find_playing()
    rated = {} if fit is None else {rating.version_id: rating for rating in fit.ratings.all()}
    values = {pk: round(getattr(row, season.rank_by), 6) for pk, row in rated.items()}  # equal in every fit
    versions.sort(key=lambda v: (-values.get(v.pk, float("-inf")), v.bot.name))
    lines: list[RankedVersion] = []
    ranked = [version for version in versions if not version.bot.is_boss]
    ranks: dict[int, int] = {}
    for place, version in enumerate(ranked, 1):
        before = ranked[place - 2].pk
        tied = version.pk in values and place > 1 and values.get(before) == values[version.pk]
        ranks[version.pk] = ranks[before] if tied else place
    for version in versions:
        of = rated.get(version.pk, Rating(played=0, groups=0))
        named = ranks.get(version.pk, 0), version.bot.name, version.bot.author.name, version.number
        lines.append(RankedVersion(*named, of.rating, of.margin, of.score, of.played, of.groups >= PLACEMENT_GROUPS))
    return Ranking(
        season.pk,
        season.aggregate,
        season.rank_by,
        fits.count_matches(season, is_final),
        0 if fit is None else fit.matches,
        fit is not None and fit.voids != fits.count_voids(season, is_final),
        lines,
        find_same_sources(versions),
    )


def find_knockout(season: Season, table: Ranking) -> Bracket:
    """Return the knockout of the first bots in a final's standings; empty without a knockout."""
    if season.final_knockout is None:
        return Bracket()
    ranks: Ranks = {line.bot: (0, line.rank) for line in table.standings}
    matches = Match.objects.filter(season=season, round__gt=0).exclude(state=Match.State.UNPLAYED)
    seats = Seat.objects.filter(match__in=matches.exclude(state=Match.State.VOID)).order_by("match_id", "place")
    drawn: defaultdict[int, dict[str, float]] = defaultdict(dict)
    rows: dict[int, MatchRow] = {}
    for number, block, state, bot, score in seats.values_list(
        "match_id", "match__block", "match__state", "version__bot__name", "score"
    ):
        drawn[number][bot] = score
        if state == Match.State.PLAYED:
            rows[number] = MatchRow(number, block, 0, "", "", 0, "", number, 0, drawn[number], {})
    seeded = seed_bots(ranks, season.final_knockout, season.dice(is_final=True).commitment)
    return build_bracket(seeded, table.aggregate, {match: list(bots) for match, bots in drawn.items()}, rows.values())


KEPT = ("rank", "rating", "margin", "score", "matches", "placed")
"""The values of a line that are kept when a season ends."""


def describe_end(season: Season) -> dict[str, Any]:
    """Return the standings of now, to be kept with a season that ends."""
    table, versions = standings(season), {version.bot.name: version.pk for version in find_playing()}
    lines = [{"version": versions[line.bot], **{key: getattr(line, key) for key in KEPT}} for line in table.standings]
    return {"rated": table.rated, "lines": lines}


def final_standings(season: Season) -> Ranking | None:
    """Return the standings with which a season ended; None before its end."""
    if season.standings is None:
        return None
    kept = season.standings["lines"]
    found = Version.objects.select_related("bot__author").defer("archive")
    versions = found.in_bulk([line["version"] for line in kept])
    lines = []
    for line in kept:
        version = versions[line["version"]]
        named = {"bot": version.bot.name, "author": version.bot.author.name, "version": version.number}
        lines.append(RankedVersion(**named, **{key: line[key] for key in KEPT}))
    counts = fits.count_matches(season), season.standings["rated"]
    return Ranking(season.pk, season.aggregate, season.rank_by, *counts, False, lines, [])


def ranking(season: Season) -> Ranking:
    """Return the standings of a season: those of its end, or those of now."""
    return final_standings(season) or standings(season)


def sort_by_rank(lines: Sequence[RankedVersion]) -> list[Version]:
    """Return the versions that play, best first by these standings, new versions last."""
    ranks = {line.bot: place for place, line in enumerate(lines)}
    return sorted(find_playing(), key=lambda version: ranks.get(version.bot.name, len(ranks) + 1))


def count_rivals(hill: Hill, season: Season, versions: int) -> int:
    """Return how many of these versions a match with one more player seats; 0 if there are too few versions."""
    try:
        return table_size(hill, season, versions + 1)[0] - 1
    except KothError:
        return 0


def find_same_sources(versions: list[Version]) -> list[list[str]]:
    """Return the names of bots that have the same files under several names."""
    names: dict[str, list[str]] = {}
    for version in versions:
        names.setdefault(version.digest, []).append(version.bot.name)
    return [sorted(same) for same in names.values() if len(same) > 1]
