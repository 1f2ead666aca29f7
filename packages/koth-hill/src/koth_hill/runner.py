"""The runner of a hill: serves authors, schedules, claims, plays and records matches, without end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from django.utils import timezone

from koth.contest.contest import Contest
from koth.contest.job import Failure, Job, Report
from koth.contest.run import STUCK, MakeExecutor
from koth.contest.schedule import ScheduledMatch
from koth.contest.seating import hill_variant
from koth.errors import KothError
from koth.files.beneath import make_beneath
from koth.game import Game
from koth.match import Result
from koth.replay.names import REPLAYS
from koth.sandbox.levels import choose_level
from koth_hill import checks, claims, finals, fits, ratings, recording
from koth_hill.connection import Hill
from koth_hill.copies import COPIES, BotTools, Copies
from koth_hill.guard import STUCK_AT, Failures, guard
from koth_hill.machine import describe_machine
from koth_hill.models import Match, Runner, Season, Version
from koth_hill.options import HillRunOptions, for_strangers
from koth_hill.planning import Schedule, find_entrants, find_playing, find_spent_budget, table_size
from koth_hill.registry import RUNNER, current_season, log_action
from koth_hill.request_server import LOOK_SECONDS, RequestServer
from koth_hill.retention import sweep
from koth_hill.seasons import check_rules

SWEEP_SECONDS = 3600.0
"""Seconds between two searches for files that are too old or left over."""
BEAT_SECONDS = 10.0
"""Seconds between two signs of life of a runner."""


class RunnerScreen(Protocol):
    """The display of a runner's work."""

    def doing(self, text: str) -> None: ...
    def match_done(self, match: int, result: Result) -> None: ...
    def match_failed(self, match: int, reason: str) -> None: ...
    def version_checked(self, version: Version) -> None: ...
    def waiting(self, text: str) -> None: ...


@dataclass
class HillRunner:
    """A runner of a hill."""

    hill: Hill
    game: Game
    options: HillRunOptions
    make_executor: MakeExecutor
    screen: RunnerScreen
    season: Season = field(default_factory=current_season)
    played: int = 0

    def __post_init__(self) -> None:
        self.options = for_strangers(self.hill, self.options)
        self.isolation = self.options.confine(choose_level(self.options.isolation))
        check_rules(self.game, self.season)
        self.schedule = Schedule(self.season)
        self._claimed = 0
        self._begun: dict[int, float] = {}
        self._beaten = -BEAT_SECONDS
        self._failures = Failures()
        self._sweeps_at = -SWEEP_SECONDS
        seconds = self.options.seconds
        self._end = float("inf") if seconds is None else time.monotonic() + seconds

    def run(self) -> None:
        """Check and play until the limits are reached. An interrupt loses nothing. Raises KeyboardInterrupt."""
        with ExitStack() as stack:
            stack.enter_context(claims.lock_runner(self.hill))
            make_beneath(self.hill.folder, REPLAYS)
            self.runner = claims.begin(self.hill, self.isolation)
            recording.reveal_remaining(self.hill)
            self.copies = Copies(self.hill.folder / COPIES)
            self.copies.remove_work()
            self.tools = BotTools(self.game, self.options.grants, self.isolation, self.copies)
            self.requests = RequestServer(self.hill, self.tools, self.screen.doing, self.screen.version_checked)
            stack.push(self._end_run)
            if self.options.matches is None:
                stack.enter_context(self.requests.open())
            while not self._is_over():
                self._beat()
                self._describe_machine()
                while self.options.matches is not None and self.requests.serve_next():
                    self._beat()
                ratings.catch_up(self.game)
                if not self._play() and not self._wait():
                    return

    def _end_run(self, _: object, error: BaseException | None, __: object) -> None:
        """Release unfinished claims, and record why this runner ends, unless a person has ended it."""
        failed = isinstance(error, Exception)
        claims.release(self.hill, failed=failed)
        Runner.objects.filter(pk=self.runner.pk).update(ended=timezone.now())
        if failed:
            log_action("run", f"runner {self.runner.pk} ends: {error or type(error).__name__}", RUNNER)

    def _beat(self) -> None:
        """Every `BEAT_SECONDS`, give a sign of life; every hour, remove old files. Raises what ended a thread."""
        if self.requests.error is not None:
            raise self.requests.error
        if time.monotonic() - self._beaten >= BEAT_SECONDS:
            self._beaten = time.monotonic()
            Runner.objects.filter(pk=self.runner.pk).update(seen=timezone.now())
        if time.monotonic() > self._sweeps_at:
            self._sweeps_at = time.monotonic() + SWEEP_SECONDS
            sweep(self.hill)

    def _describe_machine(self) -> None:
        """Record the environment of bots on this machine, if a site shows it."""
        if self.hill.has_site and self.runner.machine is None:
            self.screen.doing("looking at this machine")
            self.runner.machine = describe_machine(self.isolation.level)
            self.runner.save(update_fields=["machine"])

    def _suspend(self, version: Version, why: str, action: str = "suspend") -> None:
        """Take a version that fails repeatedly out of play; the runner goes on."""
        if Version.objects.filter(pk=version.pk, state=Version.State.PLAYING).update(
            state=Version.State.SUSPENDED, reason=why
        ):
            log_action(action, f"{version}: {why}", RUNNER)
            version.refresh_from_db(fields=["state", "reason"])
            self.screen.version_checked(version)

    # --- matches

    def _play(self) -> bool:
        """Play matches until versions change or no match is left; return whether the runner claimed a match."""
        self._forget_copies()
        if not self._season_goes_on():
            newest = current_season()
            is_over = newest.final_ended is not None and newest.state == Season.State.FINAL
            self.screen.waiting(
                f"the final of season {newest.pk} is over" if is_over else f"season {newest.pk} is {newest.state}"
            )
            return False
        is_final = self.season.is_in_final
        try:
            if is_final:
                finals.schedule_next(self.hill, self.game, self.season)
            versions = {version.pk: version for version in self._build_playing()}
            size, rotations = table_size(self.hill, self.season, len(versions))
        except KothError as error:
            self.screen.waiting(str(error))
            return False
        bots, secret = [self.copies.bots[pk] for pk in versions], self.season.dice(is_final)
        contest = replace(
            self.tools.contest(self.season, secret, bots),
            seats=self.hill.seats,
            seeds="independent",
            replays=self.hill.replays,
        )
        claimed = self._claimed
        with self.tools.open_player(contest, self.hill, self.make_executor) as player:
            for job, end in player.play(self._claim_jobs(contest, versions, size, rotations)):
                begun = self._begun.pop(job.match)
                if isinstance(end, Failure):
                    if end.is_bug:
                        log_action("bug", f"match {job.match}: {end.text}", RUNNER)
                    self._fail(job, end)
                else:
                    self._show(job.match, begun)
                    self._record(job, end)
        return self._claimed > claimed

    def _show(self, match: int, begun: float) -> None:
        """Wait until a match that is shown at the host's pace has been shown, or the final is ended."""
        until = begun + (self.season.final_seconds or 0)
        if match in finals.find_shown(self.season):
            while (left := until - time.monotonic()) > 0 and self._season_goes_on():
                self._beat()
                time.sleep(min(left, LOOK_SECONDS))

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
        self.copies.keep(self._find_needed)

    def _find_needed(self) -> set[str]:
        """Return the digests of versions that play or are checked."""
        checked = Version.objects.filter(state=Version.State.CHECKING).values_list("digest", flat=True)
        return {*checked, *(version.digest for version in (*find_playing(), *find_entrants(self.season)))}

    def _build_playing(self) -> Iterator[Version]:
        """Yield the versions that play, with their bots built; suspend versions that can no longer be built."""
        for version in find_entrants(self.season):
            if version.pk not in self.copies.bots:
                self.screen.doing(f"building {version.bot.name}")
                with guard(partial(self._suspend_unbuilt, version)):
                    checks.build_bot(self.tools, version)
            if version.pk in self.copies.bots:
                yield version

    def _suspend_unbuilt(self, version: Version, why: str) -> None:
        self._suspend(version, f"the bot can't be built: {why}")

    def _claim_jobs(self, contest: Contest, versions: dict[int, Version], size: int, rotations: int) -> Iterator[Job]:
        """Claim one match after another, as long as the same versions play and no daily budget is used up."""
        places = {pk: place for place, pk in enumerate(versions)}
        while not self._is_over() and self._are_playing(versions):
            self._beat()
            match = claims.claim_match(self.schedule, self.hill, versions, size, rotations)
            if match is None:
                self.screen.waiting(find_spent_budget(self.hill))
                return
            self._claimed += 1
            self._begun[match.pk] = time.monotonic()
            seats = match.seats.order_by("place").values_list("version_id", flat=True)
            seated = tuple(places[version] for version in seats)
            block = match.block or match.pk
            yield contest.job(ScheduledMatch(match.pk, block, seated, match.pk), hill_variant(block))

    def _are_playing(self, versions: dict[int, Version]) -> bool:
        """Return whether the season goes on, these versions play, and no request waits that this thread serves."""
        if not self._season_goes_on() or (self.options.matches is not None and claims.find_requests()):
            return False
        is_final = self.season.is_in_final
        playing = Version.objects.filter(state=Version.State.PLAYING)
        return is_final or set(playing.values_list("pk", flat=True)) == set(versions)

    def _fail(self, job: Job, failure: Failure) -> None:
        """Record that a match could not be played. Raises KothError if no match can be played."""
        if not recording.add_failure(self.hill, job.match, failure):
            return
        self.screen.match_failed(job.match, failure.text)
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
            is_done = recording.add_rows(self.hill, job, report)
        if not is_done:
            return
        self._failures.reset()
        self.played += 1
        recording.reveal(self.hill, job.match)
        is_final = self.season.is_in_final
        if fits.is_due(self.season, is_final):
            ratings.rate(self.game, self.season, is_final)
        self.screen.match_done(job.match, report.result)
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
        if self.options.matches is not None:
            return bool(claims.find_requests())
        time.sleep(max(0.0, min(LOOK_SECONDS, self._end - time.monotonic())))
        return True
