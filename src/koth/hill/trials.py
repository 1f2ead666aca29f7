"""Trials: matches that authors ask for. They have tables of their own, so nothing that counts can see them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from koth.contest.contest import Contest
from koth.contest.job import Failure, Report, replay_file
from koth.contest.match_runner import LocalRunner
from koth.contest.private import write_private
from koth.contest.run import MakeExecutor, asking
from koth.contest.schedule import ScheduledMatch
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.files.beneath import make_beneath
from koth.game import Game
from koth.hill import checks
from koth.hill.connection import Hill
from koth.hill.copies import Copies
from koth.hill.faults import faults_of
from koth.hill.models import Author, Policy, Runner, Season, Trial, TrialSeat, Version
from koth.hill.recording import write_replay
from koth.replay.names import REPLAYS, match_name
from koth.replay.writer import add_key
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import Isolation, SandboxError
from koth.session.bot import Bot

DAY = timedelta(days=1)
KEPT = 100
"""Trials of an author that are kept, the latest ones."""
OWN = (Version.State.PLAYING, Version.State.SUPERSEDED, Version.State.WITHDRAWN)
"""States of own versions that an author may seat in a trial."""


def replay_of(hill: Hill, trial: Trial) -> Path:
    """Return the file of a trial's replay."""
    return replay_file(hill.trials / REPLAYS, trial.pk)


def remove_files(hill: Hill, trial: Trial) -> None:
    """Remove the files of a trial."""
    replay_of(hill, trial).unlink(missing_ok=True)
    for kind in ("stderr", "notes"):
        shutil.rmtree(hill.trials / kind / match_name(trial.pk), ignore_errors=True)


def left(author: Author, allowed: Policy) -> int:
    """Return how many trials an author may still ask for in these 24 hours."""
    return allowed.trials_a_day - author.trials.filter(wanted__gte=timezone.now() - DAY).count()


def ask(game: Game, author: Author, versions: Sequence[int], allowed: Policy) -> Trial:
    """Put on record that an author asks for a match of these versions, in seat order. Raises KothError."""
    mine = Q(bot__author=author, state__in=OWN)
    found = Version.objects.filter(mine | Q(state=Version.State.PLAYING), pk__in=versions).exclude(archive=b"")
    known = {version.pk: version for version in found.select_related("bot").defer("archive")}
    if len(known) < len(versions):
        raise KothError("each version sits at one seat, and is one that plays now, or one of your own")
    if not any(version.bot.author_id == author.pk for version in known.values()):
        raise KothError("one of the bots must be yours")
    if len(known) not in game.seats:
        raise KothError(f"{game.name} seats {game.seats.start} to {game.seats.stop - 1} bots")
    with transaction.atomic():
        author.lock()
        if left(author, allowed) <= 0:
            raise KothError(f"you have asked for {allowed.trials_a_day} trials in 24 hours, which is the most")
        over = author.trials.filter(state__in=(Trial.State.PLAYED, Trial.State.FAILED)).order_by("-pk")
        old = over.values_list("pk", flat=True)[max(KEPT, allowed.trials_a_day) :]
        Trial.objects.filter(pk__in=list(old)).delete()  # the next sweep of a runner removes their files
        trial = Trial.objects.create(author=author)
        for place, pk in enumerate(versions):
            version = known[pk]
            name = f"{version.bot.name} {version.number}"
            TrialSeat.objects.create(trial=trial, place=place, version=version, name=name)
    return trial


def claim(runner: Runner) -> Trial | None:
    """Claim the next trial, of the author with the fewest in these 24 hours; return None if none waits."""
    waiting = Trial.objects.filter(state=Trial.State.WAITING)
    asked = Count("author__trials", filter=Q(author__trials__wanted__gte=timezone.now() - DAY))
    while (trial := waiting.annotate(asked=asked).order_by("asked", "pk").first()) is not None:
        if waiting.filter(pk=trial.pk).update(state=Trial.State.PLAYING, runner=runner):
            return trial
    return None


def play(
    hill: Hill,
    game: Game,
    season: Season,
    trial: Trial,
    given: Interpreters,
    isolation: Isolation,
    copies: Copies,
    make_executor: MakeExecutor,
) -> None:
    """Play a claimed trial, with dice of its own, and put its result on record, unless it was deleted meanwhile.

    Raises KothError.
    """
    seats = list(trial.seats.select_related("version__bot"))
    if not seats:  # its author has deleted the account
        return
    with copies.work() as folder:
        bots = [_built(game, seat, given, isolation, copies, folder) for seat in seats]
        contest = Contest(
            hill.game, season.ruleset, season.overrides, Secret.drawn(), 1, bots, game.time_control, isolation
        )
        job = contest.job(ScheduledMatch(trial.pk, trial.pk, tuple(range(len(bots))), trial.pk))
        make_beneath(hill.trials, REPLAYS)
        runner = LocalRunner(isolation, hill.trials / REPLAYS, {bot.name: bot for bot in bots})
        nothing: Callable[[Any], None] = lambda event: None  # noqa: E731
        with asking(contest, runner, make_executor, nothing, nothing, copies.bundled) as have_played:
            ((_, end),) = have_played([job])
    if isinstance(end, Failure):
        raise KothError(end.text)
    write_replay(hill.trials, trial.pk, end)
    add_key(hill.trials, f"{REPLAYS}/{replay_of(hill, trial).name}", job.key)
    if not _record(hill, trial, end):
        remove_files(hill, trial)


def fail(hill: Hill, trial: Trial, reason: str) -> None:
    """Put on record why a trial could not be played, and leave nothing of it."""
    playing = Trial.objects.filter(pk=trial.pk, state=Trial.State.PLAYING)
    playing.update(state=Trial.State.FAILED, reason=reason, ended=timezone.now())
    remove_files(hill, trial)


def _built(
    game: Game, seat: TrialSeat, given: Interpreters, isolation: Isolation, copies: Copies, folder: Path
) -> Bot:
    """Return the bot at a seat of a trial. Raises KothError."""
    try:
        return replace(checks.built(game, seat.version, given, isolation, copies, folder), name=seat.name)
    except KothError as error:
        if isinstance(error, ArenaError | SandboxError):
            raise
        raise KothError(f"{seat.name} can't be built: {error}") from None


@transaction.atomic
def _record(hill: Hill, trial: Trial, report: Report) -> bool:
    """Put a result on record with the logs of its author's own bots; return whether it is still wanted."""
    result = report.result
    playing = Trial.objects.filter(pk=trial.pk, state=Trial.State.PLAYING)
    if not playing.update(state=Trial.State.PLAYED, turns=result.turns, ended=timezone.now()):
        return False
    for seat in trial.seats.all():
        faults = faults_of(result.records.get(seat.name))
        TrialSeat.objects.filter(pk=seat.pk).update(score=result.scores[seat.name], faults=faults)
    own = set(trial.seats.filter(version__bot__author=trial.author_id).values_list("name", flat=True))
    write_private(hill.trials, trial.pk, {name: found for name, found in result.records.items() if name in own})
    return True
