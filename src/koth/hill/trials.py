"""Trials: matches that authors request. Trials belong to no season, so that results never include them."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from koth.contest.job import Failure
from koth.contest.results import replay_place
from koth.contest.run import MakeExecutor
from koth.contest.schedule import ScheduledMatch
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.game import Game
from koth.hill import checks, claims, recording
from koth.hill.connection import Hill
from koth.hill.copies import BotTools
from koth.hill.models import Author, Match, Policy, Runner, Season, Seat, Version
from koth.hill.planning import within
from koth.hill.retention import remove_files
from koth.replay.writer import add_key

KEPT_TRIALS = 100
"""The number of an author's latest trials that are kept."""
TRIAL_STATES = (Version.State.PLAYING, Version.State.SUPERSEDED, Version.State.WITHDRAWN)
"""States of own versions that an author may seat in a trial."""


def trials_of(author: Author) -> QuerySet[Match]:
    """Return the trials that an author requested, newest first."""
    return Match.trials.filter(author=author).order_by("-pk")


def challenges_to(author: Author) -> QuerySet[Match]:
    """Return the trials in which others challenged this author's bots, newest first."""
    seats = Seat.every.filter(version__bot__author=author, match__is_challenge=True)
    return Match.trials.filter(pk__in=seats.values("match")).exclude(author=author).order_by("-pk")


def count_left(author: Author, allowed: Policy) -> int:
    """Return the number of trials that an author may still request in these 24 hours."""
    return allowed.trials_a_day - trials_of(author).filter(scheduled__range=within()).count()


def ask(game: Game, author: Author, versions: Sequence[int], allowed: Policy, is_challenge: bool = False) -> Match:
    """Record an author's request for a match of these versions, in seat order. Raises KothError.

    The authors of the other bots see a challenge, too.
    """
    mine = Q(bot__author=author, state__in=TRIAL_STATES)
    found = Version.objects.filter(mine | Q(state=Version.State.PLAYING), pk__in=versions).exclude(archive=b"")
    known = {version.pk: version for version in found.select_related("bot").defer("archive")}
    if len(known) < len(versions):
        raise KothError("name each version once, and only versions that play now or are yours")
    own = [version for version in known.values() if version.bot.author_id == author.pk]
    if not own:
        raise KothError("choose at least one bot of yours")
    if len(known) not in game.seats:
        raise KothError(f"{game.name} seats {game.seats.start} to {game.seats.stop - 1} bots")
    with transaction.atomic():
        author.lock()
        if count_left(author, allowed) <= 0:
            raise KothError(f"you have asked for {allowed.trials_a_day} trials in 24 hours, which is the limit")
        over = trials_of(author).filter(state__in=(Match.State.PLAYED, Match.State.UNPLAYED))
        old = over.values_list("pk", flat=True)[max(KEPT_TRIALS, allowed.trials_a_day) :]
        delete(Match.trials.filter(pk__in=list(old)))  # the next sweep of a runner removes their files
        why = f"{author.name} requested this match"
        trial = Match.trials.create(author=author, focus=own[0], why=why, is_challenge=is_challenge)
        seats = (Seat(match=trial, place=place, version_id=version) for place, version in enumerate(versions))
        Seat.every.bulk_create(seats)
    return trial


def ahead(trial: Match) -> int:
    """Return the number of trials that are played before this one or are being played."""
    return claims.count_before(_find_waiting(), trial.pk) + Match.trials.filter(state=Match.State.PLAYING).count()


def _find_waiting() -> QuerySet[Match]:
    return claims.in_turn(Match.trials.filter(state=Match.State.SCHEDULED), "author__asked", "scheduled")


def delete(trials: QuerySet[Match]) -> None:
    """Remove trials from the database."""
    Seat.every.filter(match__in=trials).delete()
    trials.delete()


def claim(runner: Runner) -> Match | None:
    """Claim the next trial; return None if no trial waits."""
    trial: Match | None = claims.claim(runner, _find_waiting(), Match.State.PLAYING)
    return trial


def play(
    hill: Hill, runner: Runner, season: Season, trial: Match, tools: BotTools, make_executor: MakeExecutor
) -> None:
    """Play a claimed trial by a season's rules, with the trial's own dice, and record the result.

    If the trial was deleted meanwhile, nothing is recorded. Raises KothError.
    """
    seats = list(Seat.every.filter(match=trial).select_related("match", "version__bot"))
    if not seats:  # its author has deleted the account
        return
    with tools.copies.work_folder() as folder:
        bots = [checks.build_for(tools, seat.version, seat.name, folder, trial.author) for seat in seats]
        contest = tools.contest(season, Secret.draw(), bots)
        job = contest.job(ScheduledMatch(trial.pk, trial.pk, tuple(range(len(bots))), trial.pk))
        with tools.open_player(contest, hill, make_executor, lambda event: None) as player:
            ((_, end),) = player.play([job])
    if isinstance(end, Failure):
        raise KothError(end.text)
    recording.write_replay(hill.folder, trial.pk, end)
    add_key(hill.folder, replay_place(trial.pk), job.key)
    if not recording.add_rows(hill, runner, job, end, has_key=True):
        remove_files(hill.folder, trial.pk)


def fail(hill: Hill, trial: Match, reason: str) -> None:
    """Record why a trial could not be played, and remove the trial's files."""
    playing = Match.trials.filter(pk=trial.pk, state=Match.State.PLAYING)
    playing.update(state=Match.State.UNPLAYED, reason=reason, ended=timezone.now())
    remove_files(hill.folder, trial.pk)
