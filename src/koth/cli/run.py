"""`koth run`: a contest from its bots to its standings."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys
import time
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from koth.bots.bot import Bot
from koth.bots.field import field
from koth.bots.folder import load
from koth.bots.interpreters import Interpreters
from koth.bots.manifest import BotError
from koth.bots.sandbox.isolation import LEVELS, Isolation
from koth.bots.sandbox.levels import choose as isolation_level
from koth.bots.sandbox.levels import for_strangers
from koth.cli.live import Live
from koth.cli.said import HostOptions, interpreters, on_record, overrides
from koth.cli.screen import open_game, program, waiting
from koth.contest.head import same_bots
from koth.contest.interrupt import Interrupts
from koth.contest.practice import COPIES, Broken, build, rehearse
from koth.contest.record import check_version, keep_secret, read_run, run_record, secret_of, tell_secret, write_run
from koth.contest.run import Contest, outcome, results_json, run
from koth.contest.store import Store, only_run
from koth.contest.until import Goal
from koth.errors import KothError, visible
from koth.game import Budgets, Game
from koth.plain import check_no_links
from koth.secret import Secret
from koth.settings import check_size, choose
from koth.viewer.beside import watching

CAP = 192
"""With --until and without --games, so many blocks are played at most."""


class RunOptions(HostOptions):
    """What `koth run` is told beside the game and the bots."""

    games: int | None
    table: int | None
    seeds: str
    turns: int | None
    until: str | None
    seed: int | str | None
    replays: str
    ruleset: str | None
    sets: tuple[str, ...]
    jobs: int
    out: Path | None
    resume: Path | None
    as_json: bool
    watch: bool
    no_open: bool
    skip_broken: bool
    exclude: tuple[str, ...]
    isolation: str | None
    strangers: bool
    processes: bool
    start_budget: float | None
    freeze: bool
    budget: float | None


def start(name: str, words: Sequence[str], options: RunOptions) -> None:
    """Begin a contest of the game called `name` between the bots that `words` name, and play it."""
    game = open_game(name)
    changed = overrides(options["sets"])
    ruleset, settings = choose(game, options["ruleset"], changed)
    changed = {key: getattr(settings, key) for key in changed}  # what was in a file, not the file's name
    given = interpreters(options)
    budgets = game.budgets
    if options["start_budget"] is not None:
        budgets = replace(budgets, start=options["start_budget"])
    if options["budget"] is not None:
        budgets = replace(budgets, question=options["budget"])
    if options["freeze"]:
        budgets = replace(budgets, freeze=True)
    folder = options["out"] or _free(Path("runs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}")
    seed = options["seed"]
    until = None if options["until"] is None else Goal.of(options["until"])
    if options["strangers"]:
        _refuse_guessable(seed if isinstance(seed, int) else None)
    secret = Secret.drawn() if seed is None else Secret.spread(seed) if isinstance(seed, int) else Secret.of(seed)
    contest = Contest(
        name,
        ruleset,
        changed,
        secret,
        options["games"] or (game.convention.games if until is None else CAP * (game.convention.table or 1)),
        (),
        budgets,
        _isolation(options),
        seed=seed if isinstance(seed, int) else None,
        replays=options["replays"],
        table=options["table"],
        seeds=options["seeds"],
        turns=options["turns"],
        until=until,
        told=seed is not None,
    )
    _new_run(game, settings, contest, words, given, folder, options)


def _refuse_guessable(seed: int | None) -> None:
    """Strangers must not be able to guess the dice."""
    if seed is not None:
        raise KothError(
            f"--strangers: the seed {seed} can be guessed; give 32 hex digits, or none: then one is drawn"
        )


def _isolation(options: RunOptions, before: str | None = None) -> Isolation:
    """The level of isolation for this run; `before` is the one it began at, as its folder says.

    Who goes on with a stranger's folder has not chosen that level: only the command line asks for less than the best.
    """
    isolation = isolation_level(options["isolation"])
    if options["isolation"] is not None or before is None:
        before = isolation.level
    elif before not in LEVELS or not isolation.is_at_least(before):
        isolation = isolation_level(before)  # says why not
    if before != isolation.level:
        text = f"this run began at isolation {before}; it goes on at {isolation.level}"
        print(f"koth: {text} (if you trust its bots: --isolation {before})", file=sys.stderr)
    if options["strangers"]:
        for_strangers(isolation)
    return replace(isolation, trusts_processes=options["processes"])


def _free(folder: Path) -> Path:
    """This folder, or the first with a number behind it that is not there yet."""
    numbers = itertools.count(2)
    free = folder
    while free.exists():
        free = folder.with_name(f"{folder.name}-{next(numbers)}")
    return free


def _new_run(
    game: Game,
    settings: Any,
    contest: Contest,
    words: Sequence[str],
    given: Interpreters,
    folder: Path,
    options: RunOptions,
) -> None:
    if os.path.exists(folder / "run.json"):
        raise KothError(f"{folder} already holds a run; choose another --out, or go on with it: --resume {folder}")
    words = words or [f"@{name}" for name in game.field]
    with waiting("looking for bots", plain=False):
        found = field(game, words, given, contest.isolation, options["exclude"])
    bots, problems = found.bots, found.problems
    for note in found.notes:
        print(f"koth: {visible(note)}", file=sys.stderr)
    if not bots and not problems:
        raise KothError("no bots")
    clashes = [error for error in problems if not options["skip_broken"]]
    with _folder(folder), only_run(folder):
        store = Store(folder)
        try:
            with waiting("starting every bot once"):
                ready, broken = _prepare(game, settings, bots, folder, contest)
            skipped = [{"bot": b.bot.name, "reason": b.reason} for b in broken]
            skipped += [{"bot": "", "reason": str(error)} for error in problems]
            if (broken and not options["skip_broken"]) or clashes:
                raise BotError(_broken_text(skipped))
            if not ready:
                raise BotError("none of the bots can be started\n" + _broken_text(skipped))
            contest = replace(contest, bots=ready)
            contest.pairings()
            keep_secret(folder, contest.secret)
            write_run(folder, run_record(contest, game, skipped, options["jobs"], given.record()))
            with _watched(folder, options):
                _play(contest, store, folder, options, skipped)
        finally:
            store.close()


class _folder:  # noqa: N801  (reads as a verb: with _folder(...))
    """Remove the run's folder again when nothing was run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.existed = os.path.exists(folder)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None and not self.existed and not (self.folder / "run.json").exists():
            shutil.rmtree(self.folder, ignore_errors=True)


def _prepare(
    game: Game, settings: Any, bots: Sequence[Bot], folder: Path, contest: Contest
) -> tuple[list[Bot], list[Broken]]:
    """Every bot in its private copy, built and started once: those that play, and those that can't."""
    ready, broken = [], []
    for bot in bots:
        built, problem = build(bot, folder / COPIES, contest.isolation)
        if problem:
            broken.append(Broken(bot, problem))
        else:
            ready.append(built)
    failed = rehearse(game, settings, ready, contest.budgets, contest.isolation) if ready else []
    names = {item.bot.name for item in failed}
    return [bot for bot in ready if bot.name not in names], broken + failed


def _broken_text(skipped: Sequence[dict[str, str]]) -> str:
    """What is wrong with each bot: the words of the only one, or a list."""
    told = [(f"{item['bot']}: " if item["bot"] else "") + item["reason"] for item in skipped]
    if len(told) == 1:
        return told[0]
    lines = [f"{len(told)} bots can't play (--skip-broken goes on without them):"]
    for text in told:
        first, *rest = text.splitlines()
        lines += [f"  {first}", *(f"      {line}" for line in rest)]
    return "\n".join(lines)


def resume(folder: Path, options: RunOptions) -> None:
    """Go on with the run in `folder`, as it was started."""
    record = read_run(folder)
    check_no_links(folder, apart=COPIES)
    game = open_game(record["game"])
    check_version(record, game, folder)
    _, settings = choose(game, record["ruleset"], record["settings"], files=False)
    check_size(game, settings, record["table"] or len(record["bots"]))
    secret = secret_of(folder, record)
    if options["strangers"]:
        _refuse_guessable(record["seed"])
    given = on_record(record["interpreters"], options, folder)
    isolation = _isolation(options, record["isolation"]["level"])
    bots = []
    with only_run(folder):
        with waiting("looking at the bots"):
            for told in record["bots"]:
                if told["path"] is None:
                    raise KothError(f"{told['name']} was no program: only a contest of programs can be gone on with")
                bot = load(game, Path(told["path"]), given, told["name"], isolation)
                if bot.digest != told["hash"]:
                    raise KothError(f"{told['path']} has changed since the run began; start a new run")
                built, problem = build(bot, folder / COPIES, isolation)
                if problem:
                    raise KothError(f"{told['path']}: {problem}")
                bots.append(built)
        contest = Contest(
            record["game"],
            record["ruleset"],
            record["settings"],
            secret,
            record["games"],
            bots,
            Budgets(**record["budgets"]),
            isolation,
            seed=record["seed"],
            replays=record["replays"],
            table=record["table"],
            seeds=record["seeds"],
            turns=record["turns"],
            until=None if record["until"] is None else Goal.of(record["until"]),
            told=record["told"],
        )
        store = Store(folder)
        try:
            store.remove_parts()
            with _watched(folder, options):
                _play(contest, store, folder, options, record["skipped"])
        finally:
            store.close()


@contextmanager
def _watched(folder: Path, options: RunOptions) -> Iterator[None]:
    """With --watch: a page beside the contest, which stays after its end until Ctrl-C."""
    if not options["watch"]:
        yield
        return
    with watching(folder) as address:
        print(f"koth: watch it at {address}", file=sys.stderr, flush=True)
        if not options["no_open"]:
            webbrowser.open(address)
        yield
        with suppress(KeyboardInterrupt), Interrupts() as interrupts:  # the way to end it, not a failure
            print(f"koth: {address} stays until Ctrl-C", file=sys.stderr, flush=True)
            while True:
                time.sleep(0.2)
                interrupts.heed()


def _play(
    contest: Contest, store: Store, folder: Path, options: RunOptions, skipped: Sequence[dict[str, str]]
) -> None:
    interrupted, end = False, None
    for item in skipped:
        told = (f"{item['bot']}: " if item["bot"] else "") + item["reason"].partition("\n")[0]
        print(f"koth: left out: {visible(told)}", file=sys.stderr)
    for names in same_bots([{"name": bot.name, "hash": bot.digest} for bot in contest.bots]):
        print(f"koth: the same bot, byte for byte: {visible(', '.join(names))}", file=sys.stderr)
    if not contest.isolation.is_at_least("strong"):
        text = "run your own only (koth doctor tells what would raise it)"
        print(f"koth: bots run at isolation {contest.isolation.level}: {text}", file=sys.stderr)
    if contest.commitment is not None:
        print(f"koth: commitment to the secret of this run: {contest.commitment}", file=sys.stderr, flush=True)
    with Live(contest, store) as live:
        try:
            end = run(contest, store, jobs=options["jobs"], progress=live.progress)
        except KeyboardInterrupt:
            interrupted = True
            store.remove_parts()
    end = end or outcome(contest, store)
    if len(end.rows) == len(contest.pairings()) or (end.look is not None and end.look.settled):
        tell_secret(folder, contest.secret)
    if options["as_json"]:
        sys.stdout.write(json.dumps(results_json(contest, end), allow_nan=False) + "\n")
    else:
        live.print_end(end, folder, skipped, interrupted)
    again = " ".join([f"{program()} run --resume {folder}", *interpreters(options).grants_beyond(Interpreters())])
    if interrupted:
        print(f"koth: interrupted; go on with: {again}", file=sys.stderr)
        sys.exit(130)
    if end.aside:
        count = f"{len(end.aside)} match{'es' if len(end.aside) > 1 else ''}"
        print(f"koth: {count} could not be played; try again: {again}", file=sys.stderr)
        sys.exit(3)
