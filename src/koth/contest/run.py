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
from koth.contest.schedule import Pairing, everybody, tables
from koth.contest.standings import Standings, standings
from koth.contest.store import Aside, MatchRow, Store, fault_counts, scores_of
from koth.contest.workers import Workers
from koth.errors import KothError
from koth.first_start import compile_once
from koth.game import Budgets, Game
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
    told: bool = False
    """Whether the host has told the secret himself: nothing is committed to then."""

    @property
    def commitment(self) -> str | None:
        """What is told before the first match, so that the secret can't be changed; None where it was chosen."""
        return None if self.told else self.secret.commitment

    def pairings(self) -> list[Pairing]:
        """Every match, in order. Raises KothError when the bots can't be seated."""
        game = load_game(self.game)
        size = game.convention.table
        if size is None:
            _check_seats(game, len(self.bots))
            return everybody(len(self.bots), self.games)
        _check_seats(game, min(size, len(self.bots)))
        return tables(len(self.bots), size, self.games, self.secret.tables)

    def job(self, pairing: Pairing, store: Store) -> Job:
        """What has to be known to play this match."""
        return Job(
            pairing.index,
            self.game,
            self.ruleset,
            self.overrides,
            self.secret.block(pairing.block),
            [self.bots[place] for place in pairing.seats],
            self.budgets,
            self.isolation,
            None if self.replays == "none" else store.replay_path(pairing.index),
            self.replays == "all",
        )


def _check_seats(game: Game, seats: int) -> None:
    if seats not in game.seats:
        raise KothError(f"{game.name} is played by {game.seats.start} to {game.seats.stop - 1} bots, not {seats}")


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


def run(contest: Contest, store: Store, *, jobs: int = 1, progress: Progress | None = None) -> Outcome:
    """Play every match that is not on record yet.

    A match that fails for the arena's fault is tried again after the others, at most `AGAIN` times, and named in the
    outcome if it can't be played at all. Lets KeyboardInterrupt through; what was finished is on record then.
    """
    compile_once(load_game(contest.game))
    progress = progress or Progress()
    done = set(store.indexes())
    pairings = {pairing.index: pairing for pairing in contest.pairings()}
    names = {place: bot.name for place, bot in enumerate(contest.bots)}
    left = Counter(pairing.block for pairing in pairings.values() if pairing.index not in done)
    for block in sorted({pairing.block for pairing in pairings.values()} - left.keys() - store.told_blocks()):
        store.tell_key(block, contest.secret.block(block))  # the last run was ended before it could
    failures = _Failures(store)
    todo = [contest.job(pairing, store) for pairing in pairings.values() if pairing.index not in done]
    with Interrupts() as interrupts, ExitStack() as stack:
        play_all = _players(jobs, interrupts, progress, stack)
        for _ in range(AGAIN + 1):
            aside = []
            for job, end in play_all(todo):
                if isinstance(end, Failure):
                    failures.add(job.match, end)
                    aside.append(job)
                    if failures.in_a_row == STUCK:
                        return outcome(contest, store)
                    continue
                failures.in_a_row = 0
                pairing = pairings[job.match]
                end.voids = dict(failures.of_bots[job.match])
                progress.match_done(store.add(pairing, names, end, failures.tries[job.match]))
                left[pairing.block] -= 1
                if not left[pairing.block]:
                    store.tell_key(pairing.block, job.key)
            if not aside:
                break
            todo = sorted(aside, key=lambda job: job.match)
    return outcome(contest, store)


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


def outcome(contest: Contest, store: Store) -> Outcome:
    """The standings of what is on record."""
    rows = store.matches()
    return Outcome(rows, standings(scores_of(rows), load_game(contest.game).convention), store.aside())


def results_json(contest: Contest, outcome: Outcome) -> dict[str, Any]:
    """What `koth run --json` prints."""
    faults = fault_counts(outcome.rows)
    return {
        "game": contest.game,
        "ruleset": contest.ruleset,
        "seed": contest.seed,
        "commitment": contest.commitment,
        "games": contest.games,
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
