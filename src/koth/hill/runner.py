"""A hill that plays: new versions are checked, matches scheduled, claimed, played and put on record, for ever.

A match is claimed by a conditional update, so that no two runners play it; what is put on record is put there by
another one, so that a match counts once. A runner that is ended gives back what it has claimed.
"""

from __future__ import annotations

import os
import socket
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial

from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import Count, Q
from django.utils import timezone

from koth.contest.contest import Contest
from koth.contest.job import Failure, Job, OnProgress, Report
from koth.contest.lock import only_run
from koth.contest.match_runner import LocalRunner
from koth.contest.preflight import COPIES
from koth.contest.private import write_private
from koth.contest.results import replay_place
from koth.contest.run import STUCK, TRIES, MakeExecutor, asking
from koth.contest.schedule import ScheduledMatch
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.engine.settings import choose
from koth.errors import KothError
from koth.files.beneath import make_beneath, written_beneath
from koth.game import Game
from koth.games import package_of
from koth.hill import checks, ratings, trials, uploads
from koth.hill.connection import Hill
from koth.hill.faults import faults_of
from koth.hill.models import Match, Runner, Season, Seat, Trial, Upload, Version
from koth.hill.registry import RUNNER, current_season, note
from koth.hill.retention import remove_old
from koth.hill.scheduler import Table
from koth.hill.tables import Schedule, playing, spent, table_size
from koth.match import Result
from koth.question import FAULT_KINDS
from koth.replay.reader import REPLAYS
from koth.replay.writer import add_key
from koth.sandbox.copies import remove
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import Isolation, SandboxError
from koth.session.bot import Bot

FAILS = 5
"""A version that died in each of its last so many matches is suspended."""
ENDS = frozenset(kind for kind, told in FAULT_KINDS.items() if told.of == "match")
"""Kinds of faults after which a bot is dead for the match."""
LOOK = 1.0
"""Seconds after which a hill that has nothing to play looks again."""
SWEEP = 3600.0
"""Seconds between two looks for replays that have been kept long enough."""
BEAT = 10.0
"""Seconds after which a runner says again that it is alive."""
OVER = (Match.State.PLAYED, Match.State.UNPLAYED, Match.State.VOID)


@dataclass
class Events:
    """What whoever runs a hill is told."""

    reported: Callable[[Job, Report], None] = lambda job, report: None
    """Before a match is put on record; again, if that was interrupted."""
    match_done: Callable[[int, Result], None] = lambda match, result: None
    failed: Callable[[int, str], None] = lambda match, reason: None
    taken: Callable[[Upload], None] = lambda upload: None
    checked: Callable[[Version], None] = lambda version: None
    doing: Callable[[str], None] = lambda text: None
    waiting: Callable[[str], None] = lambda text: None
    on_progress: OnProgress = lambda event: None


@dataclass
class Limits:
    """When a runner ends: after so many matches, or seconds; None: never."""

    matches: int | None = None
    seconds: float | None = None


def check_rules(game: Game, season: Season) -> None:
    """Refuse a season that was opened under other rules than this koth has. Raises KothError."""
    now, then = package_of(game), season.package
    if (season.game_version, then["name"]) != (game.version, now["name"]):
        raise KothError(
            f"season {season.pk} was opened with version {season.game_version} of {game.name} ({then['name']} "
            f"{then['version']}), here is version {game.version} ({now['name']} {now['version']}): go on with that "
            "one, or open a new season"
        )


@contextmanager
def refused_at_a_bug(refuse: Callable[[str], None]) -> Iterator[None]:
    """Refuse what koth has a bug with, so that no stranger's file ends the hill; the audit says where."""
    try:
        yield
    except (KothError, OSError, MemoryError, DatabaseError):
        raise
    except Exception as error:
        note("bug", traceback.format_exc(), RUNNER)
        refuse(f"koth has a bug with it ({type(error).__name__}), of which the host is told")


@dataclass
class Playing:
    """One runner of a hill."""

    hill: Hill
    game: Game
    given: Interpreters
    isolation: Isolation
    make_executor: MakeExecutor
    limits: Limits
    events: Events
    season: Season = field(default_factory=current_season)
    played: int = 0

    def __post_init__(self) -> None:
        check_rules(self.game, self.season)
        self.settings = choose(self.game, self.season.ruleset, self.season.overrides, files=False)[1]
        self.schedule = Schedule(self.season)
        self._bots: dict[int, Bot] = {}
        """The bots of the versions that play, built and sealed."""
        self._claimed = 0
        self._beaten = -BEAT
        self._failed_in_a_row = 0
        self._sweeps_at = 0.0
        self._end = float("inf") if self.limits.seconds is None else time.monotonic() + self.limits.seconds

    def run(self) -> None:
        """Check and play until the limits are reached. Lets KeyboardInterrupt through; nothing is lost by it."""
        with ExitStack() as stack:
            if self.hill.is_sqlite:
                stack.enter_context(only_run(self.hill.folder))
            make_beneath(self.hill.folder, REPLAYS)
            with transaction.atomic():  # no other runner sees it before it holds its lock
                self.runner = Runner.objects.create(host=socket.gethostname(), pid=os.getpid())
                where = f"process {self.runner.pid} of {self.runner.host}, isolation {self.isolation.level}"
                note("run", f"runner {self.runner.pk} begins: {where}")
                if not self.hill.is_sqlite:
                    _hold(self.runner)
            self.copies = self.hill.folder / COPIES
            if not self.hill.is_sqlite:  # several runners make none in each other's way
                self.copies /= f"runner-{self.runner.pk}"
                stack.callback(remove, self.copies)
            stack.callback(self._give_back)
            while not self._is_over():
                self._take_over()
                self._take_uploads()
                self._check_queued()
                self._play_trials()
                ratings.catch_up(self.game)
                if not self._play() and not self._waits():
                    return

    # --- what is claimed

    def _take_over(self) -> None:
        """Give back what runners that are gone had claimed, and finish what they had begun."""
        for runner in self._gone():
            _give_back(runner)
        over = Match.objects.filter(state=Match.State.PLAYED, has_key=False).exclude(digest="")
        for block in over.values_list("block", flat=True).distinct().order_by():
            self._reveal(block)

    def _gone(self) -> list[Runner]:
        """Return the runners that are gone without an end.

        On SQLite these are all others, for this one holds the folder; on PostgreSQL those whose lock is free.
        """
        others = Runner.objects.filter(ended__isnull=True).exclude(pk=self.runner.pk)
        return [runner for runner in others if self.hill.is_sqlite or not _lives(runner)]

    def _give_back(self) -> None:
        _give_back(self.runner)

    def _beat(self) -> None:
        """Say that this runner is alive."""
        now = time.monotonic()
        if now - self._beaten >= BEAT:
            self._beaten = now
            Runner.objects.filter(pk=self.runner.pk).update(seen=timezone.now())

    # --- versions

    def _take_uploads(self) -> None:
        """Make versions of the bots that came by the site."""
        while not self._is_over() and (upload := uploads.claim(self.runner)) is not None:
            self.events.doing(f"reading upload {upload.pk} of {upload.author.name}")
            with refused_at_a_bug(partial(uploads.refuse, upload)):
                uploads.take(self.game, upload, self.given, self.isolation)
            upload.refresh_from_db(fields=["state", "reason", "version"])
            self.events.taken(upload)

    def _check_queued(self) -> None:
        """Check every version that is queued, first those of authors who sent the fewest: it plays, or is refused."""
        queued = Version.objects.filter(state=Version.State.QUEUED)
        day = Q(bot__author__uploads__received__gte=timezone.now() - uploads.DAY)
        ordered = queued.annotate(sent=Count("bot__author__uploads", filter=day)).order_by("sent", "pk")
        while not self._is_over() and (version := ordered.select_related("bot__author").first()) is not None:
            mine = queued.filter(pk=version.pk).update(state=Version.State.CHECKING, runner=self.runner)
            if mine:
                self._check(version)

    def _check(self, version: Version) -> None:
        self.events.doing(f"checking {version.bot.name}, version {version.number}")
        with refused_at_a_bug(partial(self._checked, version)):
            told = partial(self._doing, version.bot.name)
            ruleset = self.season.ruleset
            why = checks.problem_of(self.game, ruleset, self.settings, version, self.given, self.isolation, told)
            self._checked(version, why)
        version.refresh_from_db(fields=["state", "reason"])
        self.events.checked(version)

    def _checked(self, version: Version, why: str) -> None:
        """Let a version play, or refuse it where there is a reason."""
        state = Version.State.REFUSED if why else Version.State.PLAYING
        with transaction.atomic():
            checking = Version.objects.filter(pk=version.pk, state=Version.State.CHECKING)  # else it was withdrawn
            if checking.update(state=state, reason=why):
                if not why:
                    older = version.bot.versions.filter(state=Version.State.PLAYING).exclude(pk=version.pk)
                    older.update(state=Version.State.SUPERSEDED, reason=f"version {version.number} plays now")
                note("check", f"{version}: {state}" + (f": {why}" if why else ""), RUNNER)

    def _doing(self, name: str, text: str) -> None:
        self._beat()
        self.events.doing(f"checking {name}: {text}")

    def _suspend(self, version: Version, why: str) -> None:
        """Take a version out of play that fails again and again; the hill goes on."""
        if Version.objects.filter(pk=version.pk, state=Version.State.PLAYING).update(
            state=Version.State.SUSPENDED, reason=why
        ):
            note("suspend", f"{version}: {why}", RUNNER)
            version.refresh_from_db(fields=["state", "reason"])
            self.events.checked(version)

    # --- matches

    def _play_trials(self) -> None:
        """Play the matches that authors want to see, and that count for nothing."""
        while not self._is_over() and (trial := trials.claim(self.runner)) is not None:
            self.events.doing(f"playing trial {trial.pk} of {trial.author.name}")
            copies = self.copies / trials.TRIALS
            maker = self.make_executor
            trials.play(self.hill, self.game, self.season, trial, self.given, self.isolation, copies, maker)
            remove(copies)

    def _play(self) -> bool:
        """Play matches until versions come or go, or nothing is to be played; whether any was claimed."""
        if not self._season_goes_on():
            newest = current_season()
            self.events.waiting(f"season {newest.pk} is {newest.state}")
            return False
        versions = {version.pk: version for version in self._ready()}
        try:
            size, rotations = table_size(self.hill, self.game, len(versions))
        except KothError as error:
            self.events.waiting(str(error))
            return False
        places = {pk: place for place, pk in enumerate(versions)}
        contest = self._contest([self._bots[pk] for pk in versions])
        runner = LocalRunner(self.isolation, self.hill.folder / REPLAYS, {bot.name: bot for bot in contest.bots})
        claimed = self._claimed
        with asking(contest, runner, self.make_executor, self.events.on_progress, lambda report: None) as ask:
            for job, end in ask(self._todo(contest, versions, places, size, rotations)):
                if isinstance(end, Failure):
                    self._fail(job, end)
                else:
                    self._record(job, end)
        return self._claimed > claimed

    def _season_goes_on(self) -> bool:
        """Whether matches of this season are played; a new one that was opened meanwhile is gone on with."""
        newest = current_season()
        if newest.pk != self.season.pk:
            check_rules(self.game, newest)
            self.season, self.schedule = newest, Schedule(newest)
            self.settings = choose(self.game, newest.ruleset, newest.overrides, files=False)[1]
            return False
        return newest.state in (Season.State.OPEN, Season.State.FROZEN)

    def _ready(self) -> Iterator[Version]:
        """Yield the versions that play, each built; one that can't be built any more is suspended."""
        now = playing()
        self._bots = {version.pk: self._bots[version.pk] for version in now if version.pk in self._bots}
        for version in now:
            if version.pk not in self._bots:
                self.events.doing(f"building {version.bot.name}")
                try:
                    whole = Version.objects.select_related("bot").get(pk=version.pk)
                    self._bots[version.pk] = checks.built(self.game, whole, self.given, self.isolation, self.copies)
                except (ArenaError, SandboxError):
                    raise
                except KothError as error:
                    self._suspend(version, f"it can't be built: {error}")
                    continue
            yield version

    def _contest(self, bots: Sequence[Bot]) -> Contest:
        return Contest(
            self.hill.game,
            self.season.ruleset,
            self.season.overrides,
            Secret.of(self.season.secret),
            1,
            bots,
            self.game.time_control,
            self.isolation,
            replays=self.hill.replays,
            table=self.hill.seats,
        )

    def _todo(
        self, contest: Contest, versions: dict[int, Version], places: dict[int, int], size: int, rotations: int
    ) -> Iterator[Job]:
        """Claim one match after another, as long as the same versions play."""
        while not self._is_over() and self._are_playing(versions):
            if time.monotonic() > self._sweeps_at:
                self._sweeps_at = time.monotonic() + SWEEP
                remove_old(self.hill)
            match = self._claim(versions, size, rotations)
            if match is None:
                return
            self._claimed += 1
            seats = match.seats.order_by("place").values_list("version_id", flat=True)
            assert match.block is not None
            yield contest.job(
                ScheduledMatch(match.pk, match.block, tuple(places[version] for version in seats), match.block)
            )

    def _are_playing(self, versions: dict[int, Version]) -> bool:
        """Whether the season goes on, these are the versions that play, and none is to be checked."""
        if not self._season_goes_on() or _is_waiting():
            return False
        states = (Version.State.PLAYING, Version.State.QUEUED)
        return set(Version.objects.filter(state__in=states).values_list("pk", flat=True)) == set(versions)

    def _claim(self, versions: dict[int, Version], size: int, rotations: int) -> Match | None:
        """Claim the next match, scheduled or new; None where a budget of these 24 hours is used up."""
        self._beat()
        waiting = Match.objects.filter(season=self.season, state=Match.State.SCHEDULED)
        while not (why := spent(self.hill)):
            match = waiting.order_by("tries", "pk").first()
            if match is None:
                self._add_table(self.schedule.next(versions, size), rotations)
            elif set(match.seats.values_list("version_id", flat=True)) - set(versions):
                waiting.filter(pk=match.pk).update(
                    state=Match.State.VOID, reason="a version of it played no more when it was its turn"
                )
            elif waiting.filter(pk=match.pk).update(state=Match.State.PLAYING, runner=self.runner):
                return match
        self.events.waiting(why)
        return None

    @transaction.atomic
    def _add_table(self, table: Table, rotations: int) -> None:
        """Schedule a table: a match for each rotation, in which all move up one seat."""
        block = None
        for shift in range(rotations):
            match = Match.objects.create(season=self.season, focus_id=table.focus, why=table.why, block=block)
            if block is None:
                block = match.pk
                Match.objects.filter(pk=match.pk).update(block=block)
            seats = table.seats[shift:] + table.seats[:shift]
            Seat.objects.bulk_create(
                Seat(match=match, place=place, version_id=version) for place, version in enumerate(seats)
            )

    def _fail(self, job: Job, failure: Failure) -> None:
        """Put on record that a match could not be played; it is tried again. Raises KothError if none can be."""
        mine = Match.objects.filter(pk=job.match, state=Match.State.PLAYING, runner=self.runner)
        tries = 1 + mine.values_list("tries", flat=True).get()
        state = Match.State.UNPLAYED if tries >= TRIES else Match.State.SCHEDULED
        mine.update(state=state, tries=tries, reason=failure.text)
        self.events.failed(job.match, failure.text)
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= STUCK:
            raise KothError(f"{STUCK} matches in a row could not be played; the last one: {failure.text}")

    def _record(self, job: Job, report: Report) -> None:
        """Put a match on record: its files first, so that what the database has is there."""
        self._beat()
        result = report.result
        self._failed_in_a_row = 0
        if report.replay:
            self._write_replay(job.match, report.replay)
        write_private(self.hill.folder, job.match, result.records)
        self.events.reported(job, report)
        with transaction.atomic():
            mine = Match.objects.filter(pk=job.match, state=Match.State.PLAYING, runner=self.runner)
            if not mine.update(
                state=Match.State.PLAYED,
                reason="",
                job=report.job,
                turns=result.turns,
                digest=result.digest,
                machine=report.machine.name,
                seconds=sum(cost.start + cost.charged for cost in report.costs.values()),
                ended=timezone.now(),
            ):
                return
            for place, bot in enumerate(job.seats):
                Seat.objects.filter(match_id=job.match, place=place).update(
                    score=result.scores[bot.name], faults=faults_of(result.records.get(bot.name))
                )
        self.played += 1
        self._reveal(Match.objects.values_list("block", flat=True).get(pk=job.match))
        if ratings.is_due(self.season):
            ratings.rate(self.game, self.season)
        self.events.match_done(job.match, result)
        self._suspend_failing(job.match)

    def _write_replay(self, match: int, replay: bytes) -> None:
        place = self.hill.folder / replay_place(match)
        if not place.is_file():  # else it was recorded right there
            with written_beneath(self.hill.folder, replay_place(match)) as file:
                file.write(replay)

    @transaction.atomic
    def _reveal(self, block: int) -> None:
        """Write the key into the replays of a block that is over; one runner at a time does."""
        matches = Match.objects.filter(block=block)
        list(matches.select_for_update().values_list("pk"))
        if matches.exclude(state__in=OVER).exists():
            return
        key = Secret.of(self.season.secret if self.season.pk == matches[0].season_id else matches[0].season.secret)
        for match in matches.filter(has_key=False).exclude(digest=""):
            if (self.hill.folder / replay_place(match.pk)).is_file():
                add_key(self.hill.folder, replay_place(match.pk), key.block(block))
        matches.update(has_key=True)

    def _suspend_failing(self, match: int) -> None:
        """Suspend the versions of this match that died in each of their last matches."""
        for seat in Seat.objects.filter(match_id=match).select_related("version__bot").defer("version__archive"):
            died = sorted(ENDS & set(seat.faults))
            if not died:
                continue
            played = Seat.objects.filter(version=seat.version_id, match__state=Match.State.PLAYED)
            last = list(played.order_by("-match_id").values_list("faults", flat=True)[:FAILS])
            if len(last) == FAILS and all(ENDS & set(faults) for faults in last):
                fault = seat.faults[died[0]]
                text = f"{died[0]}, turn {fault['turn']}: {fault['text']}"
                self._suspend(seat.version, f"it died in each of its last {FAILS} matches; in match {match}: {text}")

    # --- the end

    def _is_over(self) -> bool:
        """Whether a limit is reached."""
        return (
            self.limits.matches is not None and self._claimed >= self.limits.matches
        ) or time.monotonic() >= self._end

    def _waits(self) -> bool:
        """Wait for something to play; False where there is nothing to wait for."""
        self._beat()
        if Version.objects.filter(state=Version.State.QUEUED).exists() or _is_waiting():
            return True
        if self.limits.matches is not None:
            return False
        time.sleep(max(0.0, min(LOOK, self._end - time.monotonic())))
        return True


def _is_waiting() -> bool:
    """Return whether an upload or a trial waits."""
    return (
        Upload.objects.filter(state=Upload.State.WAITING).exists()
        or Trial.objects.filter(state=Trial.State.WAITING).exists()
    )


LOCKS = 0x6B6F7468
"""The first half of the numbers of runners' advisory locks in PostgreSQL."""


def _hold(runner: Runner) -> None:
    """Hold a lock of PostgreSQL for as long as this runner's connection lives."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [LOCKS, runner.pk])


def _lives(runner: Runner) -> bool:
    """Return whether the connection of a runner lives."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [LOCKS, runner.pk])
        if not cursor.fetchone()[0]:
            return True
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCKS, runner.pk])
    return False


def _give_back(runner: Runner) -> None:
    """Give back what a runner had claimed, for it is gone or ends."""
    Match.objects.filter(runner=runner, state=Match.State.PLAYING).update(state=Match.State.SCHEDULED, runner=None)
    Version.objects.filter(runner=runner, state=Version.State.CHECKING).update(
        state=Version.State.QUEUED, runner=None
    )
    Upload.objects.filter(runner=runner, state=Upload.State.READING).update(state=Upload.State.WAITING, runner=None)
    Trial.objects.filter(runner=runner, state=Trial.State.PLAYING).update(state=Trial.State.WAITING, runner=None)
    Runner.objects.filter(pk=runner.pk).update(ended=timezone.now())
