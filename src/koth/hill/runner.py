"""The runner of a hill: checks new versions, schedules, claims, plays and records matches, without end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial

from django.db import transaction
from django.utils import timezone

from koth.contest.contest import Contest
from koth.contest.job import Failure, Job, OnProgress, Report
from koth.contest.lock import lock_run
from koth.contest.run import STUCK, MakeExecutor
from koth.contest.schedule import ScheduledMatch
from koth.errors import KothError
from koth.files.beneath import make_beneath
from koth.game import Game
from koth.hill import checks, claims, finals, fits, ratings, recording, uploads
from koth.hill.connection import Hill
from koth.hill.copies import BotTools, Copies, size_of
from koth.hill.guard import STUCK_AT, Failures, check_tries, guard
from koth.hill.machine import describe_machine
from koth.hill.models import Match, Runner, Season, Upload, Version
from koth.hill.options import HillRunOptions, for_strangers
from koth.hill.planning import Schedule, find_entrants, find_playing, find_spent_budget, seats_of, table_size
from koth.hill.registry import RUNNER, current_season, note
from koth.hill.retention import sweep
from koth.hill.seasons import check_rules
from koth.match import Result
from koth.replay.names import REPLAYS
from koth.sandbox.command import Overloaded
from koth.sandbox.levels import choose_level
from koth.session.bot import Bot

LOOK_SECONDS = 1.0
"""Seconds between two checks of an idle hill for work."""
SWEEP_SECONDS = 3600.0
"""Seconds between two searches for files that are too old or left over."""
REQUEST_SECONDS = 60.0
"""Seconds of uploads and checks in a row; then the runner plays matches for as long, even if requests wait.
"""
BEAT_SECONDS = 10.0
"""Seconds between two signs of life of a runner, which then also looks for ended runners."""


@dataclass
class Events:
    """Callbacks of a runner."""

    match_done: Callable[[int, Result], None] = lambda match, result: None
    failed: Callable[[int, str], None] = lambda match, reason: None
    taken: Callable[[Upload], None] = lambda upload: None
    checked: Callable[[Version], None] = lambda version: None
    doing: Callable[[str], None] = lambda text: None
    waiting: Callable[[str], None] = lambda text: None
    on_progress: OnProgress = lambda event: None


@dataclass
class HillPlay:
    """A runner of a hill."""

    hill: Hill
    game: Game
    options: HillRunOptions
    make_executor: MakeExecutor
    events: Events
    season: Season = field(default_factory=current_season)
    played: int = 0

    def __post_init__(self) -> None:
        self.options = for_strangers(self.hill, self.options)
        self.isolation = self.options.confine(choose_level(self.options.isolation))
        check_rules(self.game, self.season)
        self.schedule = Schedule(self.season)
        self._bots: dict[int, Bot] = {}
        """The bots of the versions that play, built and sealed."""
        self._claimed = 0
        self._beaten = -BEAT_SECONDS
        self._failures = Failures()
        self._sweeps_at = -SWEEP_SECONDS
        self._plays_until = 0.0
        """The time until which matches go before uploads and checks, which took as long before."""
        seconds = self.options.seconds
        self._end = float("inf") if seconds is None else time.monotonic() + seconds

    def run(self) -> None:
        """Check and play until the limits are reached. An interrupt loses nothing. Raises KeyboardInterrupt."""
        with ExitStack() as stack:
            if self.hill.is_sqlite:
                stack.enter_context(lock_run(self.hill.folder))
            make_beneath(self.hill.folder, REPLAYS)
            self.runner = claims.begin(self.hill, self.isolation)
            self.copies = Copies.of(self.hill, self.runner)
            self.tools = BotTools(self.game, self.options.grants, self.isolation, self.copies)
            stack.push(self._end_run)
            self._forget_copies()
            while not self._is_over():
                self._beat()
                self._describe_machine()
                self._serve_authors()
                ratings.catch_up(self.game)
                if not self._play() and not self._wait():
                    return

    def _end_run(self, _: object, error: BaseException | None, __: object) -> None:
        """Release unfinished claims, and record why this runner ends, unless a person has ended it."""
        failed = isinstance(error, Exception)
        claims.give_back(self.hill, self.runner, failed=failed)
        if failed:
            note("run", f"runner {self.runner.pk} ends: {error or type(error).__name__}", RUNNER)

    def _beat(self) -> None:
        """Every `BEAT_SECONDS`, give a sign of life and take over abandoned claims; every hour, remove old files."""
        if self._say_alive():
            claims.take_over(self.hill, self.runner)
            recording.reveal_remaining(self.hill)
        if time.monotonic() > self._sweeps_at:
            self._sweeps_at = time.monotonic() + SWEEP_SECONDS
            sweep(self.hill)

    def _say_alive(self) -> bool:
        """Record that this runner is alive, at most every `BEAT_SECONDS`; return whether the record is new."""
        is_due = time.monotonic() - self._beaten >= BEAT_SECONDS
        if is_due:
            self._beaten = time.monotonic()
            Runner.objects.filter(pk=self.runner.pk).update(seen=timezone.now())
        return is_due

    def _describe_machine(self) -> None:
        """Record the environment of bots on this machine, if a site shows it."""
        if self.hill.has_site and self.runner.machine is None:
            self.events.doing("looking at this machine")
            self.runner.machine = describe_machine(self.isolation.level)
            self.runner.save(update_fields=["machine"])

    # --- requests of authors

    def _serve_authors(self) -> None:
        """Read an upload and check a version in turn, until no request waits.

        After `REQUEST_SECONDS` matches go first, so that many requests do not stop matches; serving in turn keeps one
        kind of request from blocking another.
        """
        began = time.monotonic()
        while not self._is_over() and time.monotonic() >= self._plays_until:
            self._beat()
            try:
                served = [serve() for serve in (self._take_upload, self._check_queued)]
            except Overloaded as error:  # other processes take this machine: no request is to blame
                claims.release(self.hill, self.runner, failed=False)
                self.events.doing(f"putting requests off: {error}")
                self._plays_until = time.monotonic() + REQUEST_SECONDS
                return
            if not any(served):
                return
            if (taken := time.monotonic() - began) >= REQUEST_SECONDS:
                self._plays_until = time.monotonic() + taken

    def _take_upload(self) -> bool:
        """Make a version from an uploaded bot; return whether an upload waited."""
        upload = uploads.claim(self.runner)
        if upload is None:
            return False
        self.events.doing(f"reading upload {upload.pk} of {upload.author.name}")
        with guard(partial(uploads.refuse, upload)):
            check_tries(upload.tries, "read")
            uploads.take(self.tools, upload)
        upload.refresh_from_db(fields=["state", "reason", "version"])
        self.events.taken(upload)
        return True

    def _check_queued(self) -> bool:
        """Check a version; return whether a version was queued."""
        queued = uploads.find_queued().select_related("bot__author")
        version = claims.claim(self.runner, queued, Version.State.CHECKING)
        if version is None:
            return False
        self.events.doing(f"checking {version.bot.name}, version {version.number}")
        with guard(partial(checks.conclude, version)):
            check_tries(version.tries, "checked")
            on_doing = partial(self._report_check, version.bot.name)
            seats = seats_of(self.hill, self.season)
            checks.conclude(version, checks.find_problem(self.tools, self.season, seats, version, on_doing))
        version.refresh_from_db(fields=["state", "reason"])
        self.events.checked(version)
        return True

    def _report_check(self, name: str, text: str) -> None:
        self._say_alive()
        self.events.doing(f"checking {name}: {text}")

    def _suspend(self, version: Version, why: str, what: str = "suspend") -> None:
        """Take a version that fails repeatedly out of play; the runner goes on."""
        if Version.objects.filter(pk=version.pk, state=Version.State.PLAYING).update(
            state=Version.State.SUSPENDED, reason=why
        ):
            note(what, f"{version}: {why}", RUNNER)
            version.refresh_from_db(fields=["state", "reason"])
            self.events.checked(version)

    # --- matches

    def _play(self) -> bool:
        """Play matches until versions change or no match is left; return whether the runner claimed a match."""
        self._forget_copies()
        if not self._season_goes_on():
            newest = current_season()
            is_over = newest.final_ended is not None and newest.state == Season.State.FINAL
            self.events.waiting(
                f"the final of season {newest.pk} is over" if is_over else f"season {newest.pk} is {newest.state}"
            )
            return False
        is_final = self.season.state == Season.State.FINAL
        try:
            if is_final:
                finals.schedule_next(self.hill, self.game, self.season)
            versions = {version.pk: version for version in self._build_playing()}
            size, rotations = table_size(self.hill, self.season, len(versions))
        except KothError as error:
            self.events.waiting(str(error))
            return False
        bots, secret = [self._bots[pk] for pk in versions], self.season.dice(is_final)
        contest = replace(
            self.tools.contest(self.season, secret, bots),
            seats=self.hill.seats,
            seeds="independent",
            replays=self.hill.replays,
        )
        claimed = self._claimed
        with self.tools.open_player(contest, self.hill, self.make_executor, self.events.on_progress) as player:
            for job, end in player.play(self._claim_jobs(contest, versions, size, rotations)):
                if isinstance(end, Failure):
                    if end.is_bug:
                        note("bug", f"match {job.match}: {end.text}", RUNNER)
                    self._fail(job, end)
                else:
                    self._record(job, end)
        return self._claimed > claimed

    def _season_goes_on(self) -> bool:
        """Return whether matches of the same kind go on; switch to a final or a season that has begun."""
        newest = current_season()
        if (newest.pk, newest.state) != (self.season.pk, self.season.state):
            check_rules(self.game, newest)
            has_begun = newest.pk != self.season.pk or newest.state == Season.State.FINAL
            self.season, self.schedule = newest, Schedule(newest)
            if has_begun:
                return False
        return newest.state != Season.State.PUBLISHED and newest.final_ended is None

    def _forget_copies(self) -> None:
        """Remove the copies of versions out of play, including copies left by earlier runners."""
        now = {version.pk: version.digest for version in (*find_playing(), *find_entrants(self.season))}
        self._bots = {pk: bot for pk, bot in self._bots.items() if pk in now}
        self.copies.keep(set(now.values()))

    def _build_playing(self) -> Iterator[Version]:
        """Yield the versions that play, with their bots built; suspend versions that can no longer be built."""
        for version in find_entrants(self.season):
            if version.pk not in self._bots:
                self.events.doing(f"building {version.bot.name}")
                with guard(partial(self._suspend_unbuilt, version)):
                    self._bots[version.pk] = self._build_bot(version)
            if version.pk in self._bots:
                yield version

    def _suspend_unbuilt(self, version: Version, why: str) -> None:
        self._suspend(version, f"the bot can't be built: {why}")

    def _build_bot(self, version: Version) -> Bot:
        """Return a version's bot, built; measure the version's disk use again. Raises KothError."""
        whole = Version.objects.select_related("bot__author").get(pk=version.pk)
        bot = checks.build_bot(self.tools, whole, self.copies.folder)
        with transaction.atomic():
            whole.bot.author.hold()
            Version.objects.filter(pk=version.pk).update(disk=size_of(bot))
            uploads.check_room(whole)
        return bot

    def _claim_jobs(self, contest: Contest, versions: dict[int, Version], size: int, rotations: int) -> Iterator[Job]:
        """Claim one match after another, as long as the same versions play and no daily budget is used up."""
        places = {pk: place for place, pk in enumerate(versions)}
        while not self._is_over() and self._are_playing(versions):
            self._beat()
            match = claims.claim_match(self.hill, self.runner, self.schedule, versions, size, rotations)
            if match is None:
                self.events.waiting(find_spent_budget(self.hill))
                return
            self._claimed += 1
            seats = match.seats.order_by("place").values_list("version_id", flat=True)
            seated = tuple(places[version] for version in seats)
            yield contest.job(ScheduledMatch(match.pk, match.block or match.pk, seated, match.pk))

    def _are_playing(self, versions: dict[int, Version]) -> bool:
        """Return whether the season goes on, these versions play, and nothing waits to be read or checked."""
        if not self._season_goes_on():
            return False
        is_final = self.season.state == Season.State.FINAL
        states = [Version.State.PLAYING]
        if time.monotonic() >= self._plays_until:
            if _is_request_waiting():
                return False
            states.append(Version.State.QUEUED)
        return is_final or set(Version.objects.filter(state__in=states).values_list("pk", flat=True)) == set(versions)

    def _fail(self, job: Job, failure: Failure) -> None:
        """Record that a match could not be played. Raises KothError if no match can be played."""
        if not recording.add_failure(self.hill, self.runner, job.match, failure):
            return
        self.events.failed(job.match, failure.text)
        seats = Match.objects.get(pk=job.match).seats.values_list("version_id", flat=True)
        version = self._failures.add(frozenset(seats), failure)
        if version is not None:
            self._suspend(
                version, f"{STUCK} matches with this version in a row could not be played: {failure.text}", STUCK_AT
            )

    def _record(self, job: Job, report: Report) -> None:
        """Record a match, and compute ratings if they are due."""
        self._beat()
        is_done = False
        with guard(lambda why: self._fail(job, Failure(why, is_bug=True))):
            recording.write_replay(self.hill.folder, job.match, report)
            is_done = recording.add_rows(self.hill, self.runner, job, report)
        if not is_done:
            return
        self._failures.reset()
        self.played += 1
        recording.reveal(self.hill, job.match)
        is_final = self.season.state == Season.State.FINAL
        if fits.is_due(self.season, is_final):
            ratings.rate(self.game, self.season, is_final)
        self.events.match_done(job.match, report.result)
        for version, how in recording.find_failing(job.match):
            last = f"the bot died in each of its last {recording.DEATHS_IN_A_ROW} matches"
            self._suspend(version, f"{last}; in match {job.match}: {how}")

    # --- the end

    def _is_over(self) -> bool:
        has_enough = self.options.matches is not None and self._claimed >= self.options.matches
        return has_enough or time.monotonic() >= self._end

    def _wait(self) -> bool:
        """Wait for a match to play; return False if no match will come."""
        self._beat()
        self._plays_until = 0.0
        if Version.objects.filter(state=Version.State.QUEUED).exists() or _is_request_waiting():
            return True
        if self.options.matches is not None:
            return False
        time.sleep(max(0.0, min(LOOK_SECONDS, self._end - time.monotonic())))
        return True


def _is_request_waiting() -> bool:
    return Upload.objects.filter(state=Upload.State.WAITING).exists()
