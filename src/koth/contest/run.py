"""Run a contest: play its matches, in this process or in several, each on disk before the next counts."""

from __future__ import annotations

import gc
import multiprocessing
import os
import platform
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from koth import __version__
from koth.bots.bot import Bot
from koth.bots.clock import tells_queues
from koth.bots.command import ArenaError
from koth.bots.hearing import Overloaded
from koth.bots.sandbox.isolation import PLAIN, Isolation
from koth.contest.interrupt import Interrupts
from koth.contest.schedule import Pairing, everybody, tables
from koth.contest.standings import Standings, standings
from koth.contest.store import MatchRow, Store, fault_counts, scores_of
from koth.errors import KothError
from koth.first_start import compile_once
from koth.game import Budgets, Game
from koth.games import load as load_game
from koth.match import Entrant, Result, play
from koth.settings import choose

AGAIN = 3
"""A match that fails for the arena's fault is void and played again, at most so often."""


@dataclass(frozen=True)
class Contest:
    """What is played: enough to play it again; and how its bots are kept apart."""

    game: str
    ruleset: str
    overrides: Mapping[str, Any]
    seed: int
    games: int
    bots: Sequence[Entrant]
    budgets: Budgets
    isolation: Isolation = PLAIN

    def pairings(self) -> list[Pairing]:
        """Every match, in order. Raises KothError when the bots can't be seated."""
        game = load_game(self.game)
        size = game.convention.table
        if size is None:
            _check_seats(game, len(self.bots))
            return everybody(len(self.bots), self.games, self.seed)
        _check_seats(game, min(size, len(self.bots)))
        return tables(len(self.bots), size, self.games, self.seed)


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
    """What a contest has come to so far."""

    rows: list[MatchRow]
    standings: Standings


def run(contest: Contest, store: Store, *, jobs: int = 1, progress: Progress | None = None) -> Outcome:
    """Play every match that is not on record yet.

    Raises ArenaError when a match fails too often for the arena's fault, and lets KeyboardInterrupt
    through; what was finished is on record in either case.
    """
    compile_once(load_game(contest.game))
    progress = progress or Progress()
    done = {row.index for row in store.matches()}
    todo = [pairing for pairing in contest.pairings() if pairing.index not in done]
    names = {place: bot.name for place, bot in enumerate(contest.bots)}
    play_all = _play_here if jobs == 1 else _play_in_workers
    with Interrupts() as interrupts, closing(play_all(contest, store, todo, jobs, progress, interrupts)) as results:
        for pairing, result, void in results:
            progress.match_done(store.add(pairing, names, result, void))
    return outcome(contest, store)


def outcome(contest: Contest, store: Store) -> Outcome:
    """The standings of what is on record."""
    rows = store.matches()
    return Outcome(rows, standings(scores_of(rows), load_game(contest.game).convention))


@cache
def _keep_what_is_loaded() -> None:
    """Spare the garbage collector from looking through all modules again and again while matches are played."""
    gc.collect()
    gc.freeze()


def play_pairing(
    contest: Contest, pairing: Pairing, replay: Path, on_turn: Callable[[int], None] | None
) -> tuple[Result, int]:
    """One match of a contest and how often it was void before. Raises ArenaError after too many tries."""
    game = load_game(contest.game)
    _, settings = choose(game, contest.ruleset, contest.overrides)
    _keep_what_is_loaded()
    failure = ArenaError()
    voids: Counter[str] = Counter()
    for void in range(AGAIN + 1):
        try:
            result = play(
                game,
                settings,
                [contest.bots[place] for place in pairing.seats],
                pairing.seed,
                ruleset=contest.ruleset,
                replay=replay,
                budgets=contest.budgets,
                isolation=contest.isolation,
                on_turn=on_turn,
            )
            result.voids = dict(voids)
            return result, void
        except ArenaError as error:
            failure = error
            if isinstance(error, Overloaded):
                voids[error.name] += 1
    waited = f" (waiting: {', '.join(sorted(voids))})" if voids else ""
    raise ArenaError(f"match {pairing.index} was void {AGAIN + 1} times: {failure}{waited}")


Results = Generator[tuple[Pairing, Result, int], None, None]


def _play_here(
    contest: Contest, store: Store, todo: Sequence[Pairing], jobs: int, progress: Progress, interrupts: Interrupts
) -> Results:
    def tell(turn: int) -> None:
        interrupts.heed()
        progress.turn_done(pairing.index, turn)

    for pairing in todo:
        result, void = play_pairing(contest, pairing, store.replay_path(pairing.index), _every_so_often(tell))
        yield pairing, result, void


def _every_so_often(tell: Callable[[int], None]) -> Callable[[int], None]:
    """Pass on at most some ten turns a second."""
    last = 0.0

    def turn_over(turn: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > 0.1:
            last = now
            tell(turn)

    return turn_over


# --- several matches at a time

_turns: Any = None
"""In a worker: the end of a pipe on which it tells what turn its match has reached."""


def _begin_worker(turns: Any, parent: int) -> None:
    """A worker leaves Ctrl-C to its parent, and dies with it."""
    global _turns
    _turns = turns
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which bots would inherit
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)  # the parent was gone before we asked


def _work(contest: Contest, pairing: Pairing, replay: Path) -> tuple[Result, int]:
    tell = _every_so_often(lambda turn: _turns.send((pairing.index, turn)))
    return play_pairing(contest, pairing, replay, tell)


def _play_in_workers(
    contest: Contest, store: Store, todo: Sequence[Pairing], jobs: int, progress: Progress, interrupts: Interrupts
) -> Results:
    """Matches in several processes; those that a dead worker leaves are void and played again."""
    deaths: Counter[int] = Counter()
    queue = deque(todo)
    while queue:
        with closing(_play_in_pool(contest, store, queue, jobs, progress, interrupts)) as results:
            for pairing, result, void in results:
                if result is not None:
                    yield pairing, result, void + deaths[pairing.index]
                    continue
                deaths[pairing.index] += 1
                if deaths[pairing.index] > AGAIN:
                    raise ArenaError(f"match {pairing.index} was void {AGAIN + 1} times: its worker ended")
                queue.appendleft(pairing)


def _play_in_pool(
    contest: Contest, store: Store, queue: deque[Pairing], jobs: int, progress: Progress, interrupts: Interrupts
) -> Generator[tuple[Pairing, Result | None, int], None, None]:
    """Play from the queue until it is empty or a worker has died; then come its open matches, without results."""
    context = multiprocessing.get_context("spawn")
    hearing, telling = context.Pipe(duplex=False)  # short messages are written whole, so it needs no lock
    listener = threading.Thread(target=_listen, args=(hearing, progress), daemon=True)
    listener.start()
    pool = ProcessPoolExecutor(jobs, context, _begin_worker, (telling, os.getpid()))
    waiting: dict[Future[tuple[Result, int]], Pairing] = {}
    broken = False
    try:
        while waiting or (queue and not broken):
            while queue and len(waiting) < jobs and not broken:
                pairing = queue.popleft()
                try:
                    future = pool.submit(_work, contest, pairing, store.replay_path(pairing.index))
                except BrokenProcessPool:
                    broken = True
                    yield pairing, None, 0
                else:
                    waiting[future] = pairing
            done, _ = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
            interrupts.heed()
            for future in sorted(done, key=lambda f: waiting[f].index):
                pairing = waiting.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    broken = True
                    yield pairing, None, 0
                else:
                    yield pairing, *future.result()
    finally:
        for process in list((pool._processes or {}).values()) if waiting else []:
            process.kill()  # their guardians end the bots
        pool.shutdown(wait=True, cancel_futures=True)
        telling.close()
        listener.join()
        hearing.close()


def _listen(hearing: Any, progress: Progress) -> None:
    """Pass on what the workers tell, until all of them are gone."""
    while True:
        try:
            told = hearing.recv()
        except EOFError:
            return
        progress.turn_done(*told)


# --- the record of a run


def run_record(contest: Contest, skipped: Sequence[Mapping[str, str]], jobs: int) -> dict[str, Any]:
    """What `run.json` says: the contest, then the machine (which results never depend on)."""
    bots = [
        {
            "name": bot.name,
            "path": str(bot.path) if isinstance(bot, Bot) else None,
            "hash": bot.digest,
            "wire": bot.wire if isinstance(bot, Bot) else "inline",
            "options": dict(bot.options) if isinstance(bot, Bot) else {},
        }
        for bot in contest.bots
    ]
    budgets = {key: getattr(contest.budgets, key) for key in Budgets.__dataclass_fields__}
    return {
        "game": contest.game,
        "ruleset": contest.ruleset,
        "settings": dict(contest.overrides),
        "seed": contest.seed,
        "games": contest.games,
        "budgets": budgets,
        "bots": bots,
        "skipped": list(skipped),
        "koth": __version__,
        "jobs": jobs,
        "isolation": {
            "level": contest.isolation.level,
            "missing": list(contest.isolation.missing),
            "versions": dict(contest.isolation.versions),
        },
        "clock": "charged" if tells_queues() else "wall",
        "machine": {"system": platform.platform(), "python": platform.python_version(), "cores": os.cpu_count()},
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }


def results_json(contest: Contest, outcome: Outcome) -> dict[str, Any]:
    """What `koth run --json` prints."""
    faults = fault_counts(outcome.rows)
    return {
        "game": contest.game,
        "ruleset": contest.ruleset,
        "seed": contest.seed,
        "games": contest.games,
        "aggregate": outcome.standings.aggregate,
        "standings": outcome.standings.as_json(faults),
        "captions": outcome.standings.captions,
        "matches": [
            {
                "index": row.index,
                "seed": row.seed,
                "turns": row.turns,
                "scores": row.scores,
                "replay": row.replay,
                "void": row.void,
            }
            for row in outcome.rows
        ],
    }
