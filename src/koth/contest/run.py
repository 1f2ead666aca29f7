"""Run a contest: play its matches, in this process or in several, each on disk before the next counts.

A match that fails for the arena's fault is put aside; the others go on, and it is tried again when they are over.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from koth.bots.sandbox.isolation import PLAIN, Isolation
from koth.contest.interrupt import Interrupts
from koth.contest.job import Failure, Job, play_job
from koth.contest.schedule import Format, Pairing, schedule
from koth.contest.seating import seating
from koth.contest.standings import Standings, standings
from koth.contest.store import Aside, MatchRow, Store, fault_counts, scores_of
from koth.contest.until import Goal, Look, look, looks
from koth.contest.workers import Workers
from koth.first_start import compile_once
from koth.game import Budgets
from koth.games import load as load_game
from koth.match import Entrant, Result
from koth.secret import Secret

AGAIN = 3
"""A match that fails for the arena's fault is void and played again, at most so often."""
STUCK = 10
"""So many matches in a row that can't be played end the contest: it is no single one's fault."""


@dataclass(frozen=True)
class Contest:
    """What is played: enough to play it again; and how its bots are kept apart."""

    game: str
    ruleset: str
    overrides: Mapping[str, Any]
    secret: Secret
    games: int
    bots: Sequence[Entrant]
    budgets: Budgets
    isolation: Isolation = PLAIN
    seed: int | None = None
    """What the secret was spread from, if it was."""
    replays: str = "all"
    """Of replays: "all", only questions and "answers", or "none"."""
    table: int | None = None
    """So many seats at a table, if it was asked for."""
    seeds: str = "shared"
    """Whether the matches of a block share their dice."""
    until: Goal | None = None
    """What ends the contest before all games are played."""
    turns: int | None = None
    """A trial: every match ends after so many turns."""
    told: bool = False
    """Whether the host has told the secret himself: nothing is committed to then."""

    @property
    def commitment(self) -> str | None:
        """What is told before the first match, so that the secret can't be changed; None where it was chosen."""
        return None if self.told else self.secret.commitment

    def pairings(self) -> list[Pairing]:
        """Every match, in order. Raises KothError when the bots can't be seated."""
        return schedule(len(self.bots), self.games, self.secret.tables, self.form)

    @property
    def form(self) -> Format:
        """How it is laid out. Raises KothError when the bots can't be seated."""
        return seating(load_game(self.game), len(self.bots), self.table, self.seeds)

    def stages(self) -> list[int]:
        """The numbers of blocks after which to look whether it may stop; the last one is the end."""
        bots, form = len(self.bots), self.form
        total = form.blocks(bots, self.games)
        if self.until is None:
            return [total]
        each = -(-self.games // form.turned)
        return [min(-(-blocks * bots // form.size), total) for blocks in looks(each)[:-1]] + [total]

    def job(self, pairing: Pairing, store: Store) -> Job:
        """What has to be known to play this match."""
        return Job(
            pairing.index,
            self.game,
            self.ruleset,
            self.overrides,
            self.secret.block(pairing.dice),
            [self.bots[place] for place in pairing.seats],
            self.budgets,
            self.isolation,
            None if self.replays == "none" else store.replay_path(pairing.index),
            self.replays == "all",
            self.turns,
        )


@dataclass
class Progress:
    """What a running contest tells whoever watches.

    `match_done` is called from the thread that runs the contest, `turn_done` may be called from another.
    """

    match_done: Callable[[MatchRow], None] = lambda row: None
    turn_done: Callable[[int, int], None] = lambda index, turn: None
    """Match index and turns played so far (not every turn is told)."""


@dataclass
class Outcome:
    """What a contest has come to so far; `aside` are the matches that could not be played."""

    rows: list[MatchRow]
    standings: Standings
    aside: list[Aside] = field(default_factory=list)
    look: Look | None = None
    """What was seen when it was last looked whether the contest may stop."""


def run(contest: Contest, store: Store, *, jobs: int = 1, progress: Progress | None = None) -> Outcome:
    """Play every match that is not on record yet.

    A match that fails for the arena's fault is tried again after the others, at most `AGAIN` times, and named in the
    outcome if it can't be played at all. Lets KeyboardInterrupt through; what was finished is on record then.
    """
    compile_once(load_game(contest.game))
    playing = _Playing(contest, store, progress or Progress())
    seen = None
    with Interrupts() as interrupts, ExitStack() as stack:
        play_all = _players(jobs, interrupts, playing.progress, stack)
        stages = contest.stages()
        for blocks in stages:
            if not playing.play_out(play_all, playing.todo(blocks)):
                break
            seen = _look(contest, store, blocks, len(stages))
            if seen is not None and seen.settled:
                break
    return outcome(contest, store, seen)


class _Playing:
    """A contest that is being played: what is on record, and what has failed."""

    def __init__(self, contest: Contest, store: Store, progress: Progress) -> None:
        self.contest = contest
        self.store = store
        self.progress = progress
        self.failures = _Failures(store)
        self.pairings = {pairing.index: pairing for pairing in contest.pairings()}
        self.names = {place: bot.name for place, bot in enumerate(contest.bots)}
        done = set(store.indexes())
        self._left = Counter(p.dice for p in self.pairings.values() if p.index not in done)
        over = {p.dice for p in self.pairings.values() if p.index in done} - self._left.keys()
        for dice in sorted(over - store.told_blocks()):
            store.tell_key(dice, contest.secret.block(dice))  # the last run was ended before it could

    def todo(self, blocks: int) -> list[Job]:
        """What is not on record yet of the first `blocks` blocks."""
        done = set(self.store.indexes())
        open_ = (p for p in self.pairings.values() if p.block < blocks and p.index not in done)
        return [self.contest.job(pairing, self.store) for pairing in open_]

    def play_out(self, play_all: Players, todo: Sequence[Job]) -> bool:
        """Play these matches, and those that fail again at the end; False if no match can be played any more."""
        for _ in range(AGAIN + 1):
            aside = []
            for job, end in play_all(todo):
                if isinstance(end, Failure):
                    self.failures.add(job.match, end)
                    aside.append(job)
                    if self.failures.in_a_row == STUCK:
                        return False
                else:
                    self._add(job, end)
            if not aside:
                break
            todo = sorted(aside, key=lambda job: job.match)
        return True

    def _add(self, job: Job, end: Result) -> None:
        self.failures.in_a_row = 0
        pairing = self.pairings[job.match]
        end.voids = dict(self.failures.of_bots[job.match])
        self.progress.match_done(self.store.add(pairing, self.names, end, self.failures.tries[job.match]))
        self._left[pairing.dice] -= 1
        if not self._left[pairing.dice]:
            self.store.tell_key(pairing.dice, job.key)


def _look(contest: Contest, store: Store, blocks: int, times: int) -> Look | None:
    """Whether the contest may stop after so many blocks; None if that is not asked or they are not all on record."""
    rows = [row for row in store.matches() if row.block < blocks]
    if contest.until is None or len(rows) < blocks * contest.form.turned:
        return None
    aggregate = load_game(contest.game).convention.aggregate
    return look(scores_of(rows), aggregate, [bot.name for bot in contest.bots], contest.until, times)


class _Failures:
    """Which matches have failed how often for the arena's fault, on record too."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.tries: Counter[int] = Counter()
        self.in_a_row = 0
        self.of_bots: defaultdict[int, Counter[str]] = defaultdict(Counter)

    def add(self, match: int, failure: Failure) -> None:
        self.tries[match] += 1
        self.in_a_row += 1
        if failure.bot:
            self.of_bots[match][failure.bot] += 1
        self.store.put_aside(match, self.tries[match], failure.text, failure.bot)


Players = Callable[[Sequence[Job]], Iterator[tuple[Job, Result | Failure]]]


def _players(jobs: int, interrupts: Interrupts, progress: Progress, stack: ExitStack) -> Players:
    """What plays matches: this process, or so many others, which end with the stack."""
    if jobs > 1:
        return stack.enter_context(Workers(jobs, interrupts.heed, progress.turn_done)).play

    def tell(match: int) -> Callable[[int], None]:
        def turn_over(turn: int) -> None:
            interrupts.heed()
            progress.turn_done(match, turn)

        return turn_over

    return lambda todo: ((job, play_job(job, tell(job.match))) for job in todo)


def outcome(contest: Contest, store: Store, seen: Look | None = None) -> Outcome:
    """The standings of what is on record; `seen` when it was last looked."""
    rows = store.matches()
    return Outcome(rows, standings(scores_of(rows), load_game(contest.game).convention), store.aside(), seen)


def results_json(contest: Contest, outcome: Outcome) -> dict[str, Any]:
    """What `koth run --json` prints."""
    faults = fault_counts(outcome.rows)
    return {
        "game": contest.game,
        "ruleset": contest.ruleset,
        "seed": contest.seed,
        "commitment": contest.commitment,
        "games": contest.games,
        "turns": contest.turns,
        "until": None if outcome.look is None else outcome.look.as_json(str(contest.until)),
        "aggregate": outcome.standings.aggregate,
        "standings": outcome.standings.as_json(faults),
        "captions": outcome.standings.captions,
        "matches": [
            {
                "index": row.index,
                "block": row.block,
                "turns": row.turns,
                "scores": row.scores,
                "replay": row.replay,
                "void": row.void,
            }
            for row in outcome.rows
        ],
        "aside": [{"index": item.match, "tries": item.tries, "reason": item.reason} for item in outcome.aside],
    }
