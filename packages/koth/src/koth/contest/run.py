"""The course of a contest: submit the matches and record the reports.

Any executor plays the matches: this process, several processes, or a cluster. A match that fails by the arena's fault
is tried again after the others, up to `TRIES` times in all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

import numpy as np

from koth.contest.bracket import Bracket
from koth.contest.bundle import Bundle
from koth.contest.contest import Contest
from koth.contest.job import ClusterLost, Failure, Job, MissingBots, OnProgress, Report, Requirements
from koth.contest.knockout import bracket_of, play_rounds
from koth.contest.match_runner import LocalRunner, MatchRunner
from koth.contest.reading import MatchRow
from koth.contest.results import Results, Unplayed
from koth.contest.schedule import ScheduledMatch
from koth.contest.stages import extend_schedule, select_counting
from koth.contest.store import Store
from koth.contest.workers import MatchExecutor, on_this_machine
from koth.errors import BotError
from koth.games import load as load_game
from koth.sandbox.failures import Bug, refuse_at_bugs
from koth.session.bot import Bot
from koth.standings.table import Standings, standings
from koth.standings.until import Look, look
from koth.warmup import compile_once

TRIES = 3
"""The largest number of tries of a match that fails by the arena's fault."""
STUCK = 10
"""The number of consecutive failures that end a contest: more than one match or bot could cause."""
WAIT_SECONDS = 0.5
"""Seconds between checks for a Ctrl-C that arrived while it could not be handled."""

MakeExecutor = Callable[[Requirements, MatchRunner, OnProgress], AbstractContextManager[MatchExecutor]]
"""A function that makes an executor from requirements, the contest's own runner, and a progress callback."""
ONE_AT_A_TIME: MakeExecutor = partial(on_this_machine, 1)
"""The function that makes an executor for matches in this process, one after the other."""


@dataclass
class Callbacks:
    """Functions that a running contest calls.

    The contest's thread calls `match_done`; another thread may call `on_progress`.
    """

    match_done: Callable[[MatchRow], None] = lambda row: None
    on_progress: OnProgress = lambda event: None
    """A callback for the progress of running matches, not called for every turn."""


@dataclass
class Outcome:
    """The result of a contest so far; `unplayed` are the matches that could not be played."""

    results: Results = field(repr=False, compare=False)
    standings: Standings
    unplayed: list[Unplayed]
    look: Look | None
    """The last interim look, which decides whether the contest stops."""
    missing: int
    """The number of matches that count and are not on record."""
    alarms: list[tuple[int, str, str]]
    """The match, machine and difference of each second report that differs from the first."""
    schedule: Sequence[ScheduledMatch]
    """The matches that count, played or not."""
    scheduled: Mapping[str, int]
    """Each bot's number of matches in the schedule."""
    bracket: Bracket | None
    """The knockout so far; None without a knockout."""

    @property
    def is_over(self) -> bool:
        """True if nothing is left to play."""
        settled = self.look is not None and self.look.settled
        knocked_out = self.bracket is None or self.bracket.winner is not None
        return knocked_out and (settled or not (self.missing or self.unplayed))

    @property
    def rows(self) -> list[MatchRow]:
        """Every match on record."""
        return self.results.matches()


def run(
    contest: Contest,
    store: Store,
    *,
    progress: Callbacks | None = None,
    make_executor: MakeExecutor = ONE_AT_A_TIME,
) -> Outcome:
    """Play every match that is not on record yet, with the executor of `make_executor`.

    A match that fails by the arena's fault is tried again after the others; after `TRIES` failures the outcome lists
    the match as unplayed. Raises ClusterLost and KeyboardInterrupt; finished matches stay on record.
    """
    progress = progress or Callbacks()
    playing = ContestPlay(contest, store, progress)
    runner = LocalRunner(contest.isolation, store.replays, {bot.name: bot for bot in contest.bots})
    seen = None
    with JobPlayer.open(contest, runner, make_executor, progress.on_progress, playing.compare) as player:
        stages = contest.looks(len(playing.blocks))
        for blocks, alpha in stages:
            if not player.play_out(playing.missing_jobs(blocks), lambda job: playing):
                break
            seen = playing.look(blocks, alpha)
            if seen is not None and seen.settled:
                break
        if contest.knockout is not None and (playing.is_complete or (seen is not None and seen.settled)):
            play_rounds(contest, store, partial(playing.play_round, player))
    return outcome(contest, store, seen)


@dataclass(frozen=True)
class JobPlayer:
    """A player of a contest's jobs with an executor.

    `late` is called with second reports of a match, of which this machine makes none; `bundled` packs a bot for
    machines that lack the bot's files.
    """

    contest: Contest
    executor: MatchExecutor
    late: Callable[[Report], None]
    bundled: Callable[[Bot], Bundle]

    @classmethod
    @contextmanager
    def open(
        cls,
        contest: Contest,
        runner: MatchRunner,
        make_executor: MakeExecutor,
        on_progress: OnProgress,
        late: Callable[[Report], None] = lambda report: None,
        bundled: Callable[[Bot], Bundle] = lambda bot: Bundle.of(bot.path, bot.content),
    ) -> Iterator[JobPlayer]:
        """Make the executor, and close it at the end."""
        compile_once(load_game(contest.game))
        with make_executor(contest.requirements, runner, on_progress) as executor:
            yield cls(contest, executor, late, bundled)

    def play_out(self, todo: Iterable[Job], playing: Callable[[Job], ContestPlay]) -> bool:
        """Play matches and retry those that fail; return False after `STUCK` consecutive failures.

        `playing` returns the contest of a match.
        """
        while todo:
            failed = []
            for job, end in self.play(todo):
                failure = end if isinstance(end, Failure) else playing(job).add(job, end)
                if failure is not None:
                    if playing(job).add_failure(job, failure) == STUCK:
                        return False
                    failed.append(job)
            todo = sorted((job for job in failed if playing(job).may_try(job.match)), key=lambda job: job.match)
        return True

    def play(self, todo: Iterable[Job]) -> Iterator[tuple[Job, Report | Failure]]:
        """Submit all jobs to the executor and yield the results in order of arrival. Raises ClusterLost."""
        executor, queue = self.executor, iter(todo)
        flying: dict[Future[Report | Failure | MissingBots], Job] = {}
        try:
            while True:
                for job in islice(queue, max(0, executor.ahead() - len(flying))):
                    flying[executor.pool.submit(executor.play, job)] = job
                if not flying:
                    return
                done, _ = wait(flying, WAIT_SECONDS, FIRST_COMPLETED)
                for report in executor.late():
                    self.late(report)
                for future in done:
                    job, end = flying.pop(future), _end(future)
                    if isinstance(end, MissingBots):
                        try:
                            flying[executor.pool.submit(executor.play, job, self._bundles(end))] = job
                            continue
                        except BotError as error:  # its files have changed, or are gone
                            end = Failure(str(error))
                    yield job, end
        finally:
            for future in flying:
                future.cancel()

    def _bundles(self, missing: MissingBots) -> list[Bundle]:
        bots = {(bot.content, bot.path.name): bot for bot in self.contest.bots if isinstance(bot, Bot)}
        return [self.bundled(bots[files]) for files in missing.files]


def _end(future: Future[Report | Failure | MissingBots]) -> Report | Failure | MissingBots:
    """Return the result of a job: a `Failure` if the runner failed."""
    try:
        return future.result()
    except ClusterLost:
        raise
    except CancelledError:
        return Failure("the process that played it is gone")
    except Exception as error:
        return Failure(str(error) or type(error).__name__)


class ContestPlay:
    """A contest being played, with its record and failures."""

    def __init__(self, contest: Contest, store: Store, progress: Callbacks) -> None:
        self.contest = contest
        self.store = store
        self.progress = progress
        self.tries: Counter[int] = Counter()
        self.delays: defaultdict[int, Counter[str]] = defaultdict(Counter)
        """The number of failures, by match and delayed bot."""
        self._failures_in_a_row, self._last_delayed = 0, ""
        self.schedule: dict[int, ScheduledMatch] = {}
        self._left: Counter[int] = Counter()
        self._include(current_schedule(contest, store))
        self.blocks = sorted({match.block for match in self.schedule.values()})

    def _include(self, matches: Sequence[ScheduledMatch]) -> None:
        """Add matches; all matches of their seed groups must be included."""
        done = set(self.store.numbers())
        self.schedule |= {match.number: match for match in matches}
        self._left.update(m.seed_group for m in matches if m.number not in done)
        over = {m.seed_group: m for m in matches if m.number in done and m.seed_group not in self._left}
        for group in sorted(over.keys() - self.store.revealed_groups()):
            self.store.reveal_key(group, self.contest.key(over[group]))  # the last run was interrupted before this

    @property
    def is_complete(self) -> bool:
        """True if all matches are on record."""
        return self.schedule.keys() <= set(self.store.numbers())

    def missing_jobs(self, blocks: int) -> Iterator[Job]:
        """Return the jobs of the first `blocks` blocks that are neither on record nor failed too often."""
        wanted = set(self.blocks[:blocks])
        return self._jobs([match for match in self.schedule.values() if match.block in wanted])

    def _jobs(self, matches: Sequence[ScheduledMatch]) -> Iterator[Job]:
        done = set(self.store.numbers())
        missing = (match for match in matches if match.number not in done)
        return (self.contest.job(match) for match in missing if self.may_try(match.number))

    def play_round(self, player: JobPlayer, matches: Sequence[ScheduledMatch]) -> None:
        """Play the missing matches of a round of the knockout."""
        self._include(matches)
        player.play_out(self._jobs(matches), lambda job: self)

    def may_try(self, match: int) -> bool:
        """Return whether a match has failed less than `TRIES` times."""
        return self.tries[match] < TRIES

    def add_failure(self, job: Job, failure: Failure) -> int:
        """Record that a match could not be played; return the number of consecutive failures.

        Consecutive failures with the same delayed bot count once: the contest goes on without the bot.
        """
        self.tries[job.match] += 1
        self._failures_in_a_row += not failure.bot or failure.bot != self._last_delayed
        self._last_delayed = failure.bot
        if failure.bot:
            self.delays[job.match][failure.bot] += 1
        self.store.mark_failed(job.match, self.tries[job.match], failure.text, failure.bot)
        return self._failures_in_a_row

    def add(self, job: Job, report: Report) -> Failure | None:
        """Record a match; return a failure if a bug of koth prevents the recording."""
        match = self.schedule[job.match]
        report.result.voids = dict(self.delays[job.match])
        seats = {bot_ref.name: seat for seat, bot_ref in enumerate(job.seats)}
        try:
            with refuse_at_bugs():
                row = self.store.add(match, seats, report, self.tries[job.match])
        except Bug as error:
            return Failure(str(error))
        self._failures_in_a_row, self._last_delayed = 0, ""
        if row is None:
            return None
        self.progress.match_done(row)
        self._left[match.seed_group] -= 1
        if not self._left[match.seed_group]:
            self.store.reveal_key(match.seed_group, job.key)
        return None

    def compare(self, report: Report) -> None:
        """Compare a second report of a match (which does not count) with the first."""
        self.store.compare(report)

    def look(self, blocks: int, alpha: float) -> Look | None:
        """Return whether the first `blocks` blocks reach the goal at the error rate `alpha`; None without a goal.

        Blocks with an unplayed match are left out, so they do not prevent a verdict.
        """
        contest = self.contest
        if contest.until is None:
            return None
        scores = self.store.scores()
        played = Counter(scores.block.tolist())
        whole = [block for block in self.blocks[:blocks] if played[block] == contest.form.rotations]
        scores = scores.take(np.isin(scores.block, whole))
        aggregate = load_game(contest.game).contest_defaults.aggregate
        return look(scores, aggregate, [bot.name for bot in contest.bots], contest.until, contest.least, alpha)


def current_schedule(contest: Contest, store: Store) -> list[ScheduledMatch]:
    """Return the matches that count, with seats as indices into the contest's bots; draw and store missing ones."""
    entrants, form = store.entrants(), contest.form
    if not entrants:
        fresh = contest.draw_schedule()
        store.keep_stage(0, form.size, contest.entrants, fresh)
        return fresh
    drawn = store.schedule()
    if contest.stage < len(entrants):
        return select_counting(drawn, entrants, form.size)
    played, seed = set(store.numbers()), contest.secret.tables
    stay, new = extend_schedule(drawn, [*entrants, contest.entrants], played, contest.matches, seed, form)
    store.drop({match.number for match in drawn} - {match.number for match in stay} - played)
    store.keep_stage(contest.stage, form.size, contest.entrants, new)
    return stay + new


def outcome(contest: Contest, store: Store, seen: Look | None = None) -> Outcome:
    """Return the outcome of the matches on record; `seen` is the last interim look."""
    table = standings(store.scores(), load_game(contest.game).contest_defaults, contest.matches)
    schedule = current_schedule(contest, store)
    missing = {match.number for match in schedule} - set(store.numbers())
    first, alarms, of_each = contest.knockout, store.alarms(), contest.count_matches(schedule)
    tree = None if first is None else bracket_of(table, first, contest.commitment, store.knockout(), store.matches())
    results, unplayed = Results(store.folder), store.unplayed_matches()
    return Outcome(results, table, unplayed, seen, len(missing), alarms, schedule, of_each, tree)
