"""The runner's part of a season's final: which matches are played next, and when the final is over."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from koth.contest.schedule import ScheduledMatch, schedule_contest, schedule_round
from koth.contest.seating import seating
from koth.game import Game
from koth_hill import ratings
from koth_hill.connection import Hill
from koth_hill.models import Match, Season, Seat, Version
from koth_hill.planning import SeasonLayout, find_playing
from koth_hill.registry import RUNNER, count_unchecked, end_final, log_action
from koth_hill.standings import find_knockout, standings


def schedule_next(hill: Hill, game: Game, season: Season) -> bool:
    """Schedule the next matches of a final once all earlier ones are over; return whether there are new matches.

    First come all matches of the final's standings, then each round of the knockout; after the last round the final
    is over. Raises KothError if there are too few bots.
    """
    season.refresh_from_db()
    matches = Match.objects.filter(season=season, round__isnull=False)
    if season.final_ended or matches.filter(state__in=(Match.State.SCHEDULED, Match.State.PLAYING)).exists():
        return False
    if not season.finalists:
        return not count_unchecked() and _begin(hill, season)
    if not matches.filter(round__gt=0).exists():  # the seeds of the knockout stay
        ratings.rate(game, season, is_final=True)
    if not _schedule_round(hill, season):
        end_final(RUNNER)
        return False
    return True


def find_shown(season: Season) -> set[int]:
    """Return the matches of a final that are shown at the host's pace: each bot's last one in each round."""
    if season.final_seconds is None:
        return set()
    seats = Seat.objects.filter(match__season=season, match__round__isnull=False).order_by()
    return {last for *_, last in seats.values_list("match__round", "version").annotate(Max("match"))}


@transaction.atomic
def _begin(hill: Hill, season: Season) -> bool:
    """Fix the bots of the final, and schedule the matches of its standings. Raises KothError."""
    playing = (version for version in find_playing() if not version.bot.is_boss)
    bots = sorted(playing, key=lambda version: version.bot.name)
    form = seating(SeasonLayout.of(hill, season), len(bots), hill.seats, "independent")
    season.finalists = [version.pk for version in bots]
    season.save(update_fields=["finalists"])
    drawn = schedule_contest(len(bots), season.final_matches or 1, season.dice(is_final=True).tables, form)
    _add(season, bots, drawn)
    log_action("season", f"the final of season {season.pk}: {len(bots)} bots, {len(drawn)} matches", RUNNER)
    return True


@transaction.atomic
def _schedule_round(hill: Hill, season: Season) -> bool:
    """Schedule the next round of the knockout; return whether there is one.

    There is none after a round in which a pair has no winner, because its matches could not be played.
    """
    bracket = find_knockout(season, standings(season, is_final=True))
    last = Match.objects.filter(season=season, round__gt=0).order_by("-round").first()
    number = 1 + ((last and last.round) or 0)
    pairs = [duel.bots for duel in bracket.rounds[number - 1]] if number <= len(bracket.rounds) else []
    if not pairs or any(one is None or (other is None and number > 1) for one, other in pairs):
        return False
    bots = season.find_finalists()
    places = {version.bot.name: place for place, version in enumerate(bots)}
    seated = [(places[one], places[other]) for one, other in pairs if one and other]
    form = seating(SeasonLayout.of(hill, season), 2, 2, "independent")
    secret, matches = season.dice(is_final=True), season.final_matches or 1
    drawn = schedule_round(seated, matches, secret.tables, form, ScheduledMatch(1, 1, (), 0, 0, number))
    _add(season, bots, drawn, number)
    return True


def _add(season: Season, bots: Sequence[Version], drawn: Sequence[ScheduledMatch], number: int = 0) -> None:
    """Schedule matches between these bots."""
    rows = [Match(season=season, focus=bots[match.seats[0]], round=number) for match in drawn]
    blocks: dict[int, int] = {}
    for match, row in zip(drawn, Match.objects.bulk_create(rows), strict=True):
        row.block = blocks.setdefault(match.block, row.pk)
    Match.objects.bulk_update(rows, ["block"], batch_size=500)
    Seat.objects.bulk_create(
        Seat(match=row, place=place, version=bots[bot])
        for match, row in zip(drawn, rows, strict=True)
        for place, bot in enumerate(match.seats)
    )
