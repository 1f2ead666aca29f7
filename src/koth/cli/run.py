"""`koth run`: a contest from its bots to its standings."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from koth.cli.exit_codes import INCOMPLETE, INTERRUPTED
from koth.cli.live import Live, in_short
from koth.cli.said import HostOptions, TlsOptions, interpreters, overrides, time_control_of
from koth.cli.screen import counted, echo, program, waiting
from koth.contest.contest import Contest
from koth.contest.job import ClusterLost
from koth.contest.lock import only_run
from koth.contest.preflight import COPIES, Broken, build, preflight
from koth.contest.record import keep_secret, reveal_secrets, run_record, write_run
from koth.contest.run import MakeExecutor, Outcome, outcome, results_json, run
from koth.contest.speed import Speed, machine
from koth.contest.store import Store
from koth.contest.workers import on_this_machine
from koth.discovery.entrants import find_entrants
from koth.discovery.folder import Found
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.engine.settings import choose
from koth.errors import BotError, KothError, at_words, visible
from koth.escaping import shell_word
from koth.game import Game
from koth.games import load
from koth.sandbox.isolation import LEVELS, Isolation
from koth.sandbox.levels import choose as isolation_level
from koth.sandbox.levels import for_strangers
from koth.session.bot import Bot
from koth.standings.head import same_bots
from koth.standings.until import Goal
from koth.viewer.beside import watching
from koth.warmup import compiling_beside, first_time

CAP = 192
"""Most blocks of each bot with --until and without --matches; more where a verdict takes more than half of them."""


class ContestOptions(HostOptions, TlsOptions):
    """Options of how matches are played, for `koth run` and `koth resume`."""

    matches: int | None
    cluster: str | None
    same_speed: float | None
    jobs: int
    as_json: bool
    view: bool
    no_open: bool
    skip_broken: bool
    exclude: tuple[str, ...]
    isolation: str | None
    untrusted: bool
    allow_subprocesses: bool


class RunOptions(ContestOptions):
    """Options of `koth run`."""

    seats: int | None
    seeds: str | None
    max_turns: int | None
    until: str | None
    seed: int | str | None
    replays: str
    timings: bool
    ruleset: str | None
    sets: tuple[str, ...]
    out: Path | None
    start_timeout: float | None
    freeze: bool
    move_time: float | None


Elsewhere = Callable[[Speed], MakeExecutor] | None
"""A function of the wanted machines that returns what makes the executor; None: this machine plays."""


def start(name: str, words: Sequence[str], options: RunOptions, elsewhere: Elsewhere) -> None:
    """Begin a contest of the game called `name` between the bots that `words` name, and play it."""
    game = load(name)
    changed = overrides(options["sets"])
    ruleset, settings = choose(game, options["ruleset"], changed)
    changed = {key: getattr(settings, key) for key in changed}  # what was in a file, not the file's name
    given = interpreters(options)
    time_control = time_control_of(game, options["start_timeout"])
    if options["move_time"] is not None:
        time_control = replace(time_control, question=options["move_time"])
    if options["freeze"]:
        time_control = replace(time_control, freeze=True)
    folder = options["out"] or _free(Path("runs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}")
    seed = options["seed"]
    until = None if options["until"] is None else Goal.of(options["until"])
    if options["untrusted"]:
        refuse_guessable(seed if isinstance(seed, int) else None)
    contest = Contest(
        name,
        ruleset,
        changed,
        Secret.given(seed),
        options["matches"] or game.contest_defaults.games,
        (),
        time_control,
        isolation_of(options),
        seed=seed if isinstance(seed, int) else None,
        replays=options["replays"],
        table=options["seats"],
        seeds=options["seeds"] or ("independent" if options["untrusted"] else "shared"),
        turns=options["max_turns"],
        singly=options["timings"],
        until=until,
        revealed=seed is not None,
    )
    new_run(game, settings, contest, words, given, folder, options, elsewhere)


def refuse_guessable(seed: int | None) -> None:
    """Strangers must not be able to guess the dice."""
    if seed is not None:
        raise KothError(
            f"--untrusted: the seed {seed} can be guessed; give 32 hex digits, or none: then one is drawn"
        )


def isolation_of(options: ContestOptions, before: str | None = None) -> Isolation:
    """Return the level of isolation for this run; `before` is the level that its folder has on record.

    Who goes on with a stranger's folder has not chosen that level: only the command line asks for less than the best.
    """
    isolation = isolation_level(options["isolation"])
    if options["isolation"] is not None or before is None:
        before = isolation.level
    elif before not in LEVELS or not isolation.is_at_least(before):
        isolation = isolation_level(before)  # says why not
    if before != isolation.level:
        text = f"this run began at isolation {before}; it goes on at {isolation.level}"
        echo(f"koth: {text} (if you trust its bots: --isolation {before})", err=True)
    if options["untrusted"]:
        for_strangers(isolation)
    return replace(isolation, trusts_processes=options["allow_subprocesses"])


def _free(folder: Path) -> Path:
    """Return this folder, or with a number added if it exists."""
    numbers = itertools.count(2)
    free = folder
    while free.exists():
        free = folder.with_name(f"{folder.name}-{next(numbers)}")
    return free


def new_run(
    game: Game,
    settings: Any,
    contest: Contest,
    words: Sequence[str],
    given: Interpreters,
    folder: Path,
    options: ContestOptions,
    elsewhere: Elsewhere,
) -> None:
    """Begin this contest in a new folder, and play it."""
    if os.path.exists(folder / "run.json"):
        go_on = f"koth resume {shell_word(folder)}"
        raise KothError(f"{folder} already holds a run; choose another --out, or go on with it: {go_on}")
    words = words or [f"@{name}" for name in game.default_entrants]
    found = looked_for(game, words, given, contest.isolation, options)
    with _folder(folder), only_run(folder):
        store = Store(folder)
        try:
            entrants = prepared(game, settings, found, folder, contest, skip_broken=options["skip_broken"])
            contest = replace(contest, bots=entrants.ready)
            if contest.until is not None and options["matches"] is None:
                contest = replace(contest, games=max(CAP, 2 * contest.least) * contest.form.rotations)
            contest.fresh_schedule()
            keep_secret(folder, contest.secret)
            write_run(
                folder,
                run_record(contest, game, entrants.skipped, entrants.unrepeatable, options["jobs"], given.record()),
            )
            play_out(contest, store, folder, entrants, options, elsewhere)
        finally:
            store.close()


def looked_for(
    game: Game, words: Sequence[str], given: Interpreters, isolation: Isolation, options: ContestOptions
) -> Found:
    """Return the bots that the command line names. Raises KothError if it names none."""
    with waiting("looking for bots", plain=False):
        found = find_entrants(game, words, given, isolation, options["exclude"])
    for note in found.notes:
        echo(f"koth: {visible(note)}", err=True)
    if not found.bots and not found.problems:
        raise KothError("no bots")
    return found


@dataclass(frozen=True)
class Entrants:
    """The bots of a contest, and what is known of them before its first match."""

    ready: Sequence[Bot]
    skipped: Sequence[dict[str, str]] = ()
    """Those that are left out, and why."""
    unrepeatable: Sequence[str] = ()
    """Those that do not give the same answers to the same questions."""


def prepared(
    game: Game, settings: Any, found: Found, folder: Path, contest: Contest, *, skip_broken: bool | None
) -> Entrants:
    """Build and start the bots that were found. Raises BotError.

    With `skip_broken` those that can't play are left out; None: the command has no such option.
    """
    with waiting(f"starting every bot{first_time(game)}") as on_doing:
        ready, broken, unrepeatable = _prepare(game, settings, found.bots, folder, contest, on_doing)
    skipped = [{"bot": b.bot.name, "reason": b.reason} for b in broken]
    skipped += [{"bot": "", "reason": str(error)} for error in found.problems]
    if skipped and not skip_broken:
        raise BotError(_broken_text(skipped, can_skip=skip_broken is not None))
    if not ready:
        raise BotError("none of the bots can be started\n" + _broken_text(skipped, can_skip=False))
    return Entrants(ready, skipped, unrepeatable)


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
    game: Game,
    settings: Any,
    bots: Sequence[Bot],
    folder: Path,
    contest: Contest,
    on_doing: Callable[[str], None],
) -> tuple[list[Bot], list[Broken], list[str]]:
    """Build every bot in its private copy and start it; return those that play, can't play, and do not repeat."""
    ready, broken = [], []
    with compiling_beside(game, on_doing):
        for bot in bots:
            built, problem = build(bot, folder / COPIES, contest.isolation)
            if problem:
                broken.append(Broken(bot, problem))
            else:
                ready.append(built)
    if not ready:
        return [], broken, []
    tried = preflight(
        game, settings, ready, contest.time_control, contest.isolation, ruleset=contest.ruleset, table=contest.table
    )
    names = {item.bot.name for item in tried.broken}
    return [bot for bot in ready if bot.name not in names], broken + tried.broken, tried.unrepeatable


def _broken_text(skipped: Sequence[dict[str, str]], *, can_skip: bool) -> str:
    """Return what is wrong with each bot, and what to do: `koth check`, or --skip-broken where the command has it."""
    reasons = [(f"{item['bot']}: " if item["bot"] else "") + item["reason"] for item in skipped]
    if len(reasons) == 1:
        lines = reasons
    else:
        lines = [f"{len(reasons)} bots can't play:"]
        for text in reasons:
            first, *rest = text.splitlines()
            lines += [f"  {first}", *(f"      {line}" for line in rest)]
    if len(skipped) == 1 and not skipped[0]["bot"]:
        return lines[0]  # a word of the command line that names nothing: the cure is another word
    without = "it" if len(reasons) == 1 else "them"
    cures = ["koth check BOT says more"] if any(item["bot"] for item in skipped) else []
    cures += [f"--skip-broken goes on without {without}"] if can_skip else []
    return "\n".join([*lines, *(["; ".join(cures)] if cures else [])])


@contextmanager
def _watched(folder: Path, options: ContestOptions) -> Iterator[None]:
    """With --view: a page beside the contest, which stays after its end until Ctrl-C."""
    if not options["view"]:
        yield
        return
    with watching(folder) as address:
        echo(f"koth: watch it at {address}", err=True)
        if not options["no_open"]:
            webbrowser.open(address)
        yield
        with suppress(KeyboardInterrupt):  # the way to end it, not a failure
            echo(f"koth: {address} stays until Ctrl-C", err=True)
            while True:
                time.sleep(1)


def play_out(
    contest: Contest,
    store: Store,
    folder: Path,
    entrants: Entrants,
    options: ContestOptions,
    elsewhere: Elsewhere,
) -> None:
    """Play what is to be played, and print what came of it."""
    _announce(contest, entrants)
    if options["untrusted"] and contest.seeds == "shared" and contest.form.rotations > 1:
        _note(
            "bots can remember the dice of a table's first match in its others (only --seeds independent prevents it)"
        )
    make_executor = _make_executor(store, options, elsewhere)
    with _watched(folder, options):
        with Live(contest, store) as live:
            end, broken = _played(contest, store, make_executor, live)
        if (not end.missing and not end.unplayed) or (end.look is not None and end.look.settled):
            reveal_secrets(folder)
            store.rest()
        if options["as_json"]:
            sys.stdout.write(json.dumps(results_json(contest, end), allow_nan=False) + "\n")
        else:
            live.print_end(end, folder, entrants.skipped, entrants.unrepeatable, broken is not None)
        _leave(end, folder, options, broken)


def _announce(contest: Contest, entrants: Entrants) -> None:
    """Print what a host should know before the first match."""
    for item in entrants.skipped:
        text = (f"{item['bot']}: " if item["bot"] else "") + in_short(item["reason"])
        _note(f"left out: {visible(text)}")
    for names in same_bots([{"name": bot.name, "hash": bot.digest} for bot in contest.bots]):
        _note(f"the same bot, byte for byte: {visible(', '.join(names))}")
    if not contest.isolation.is_at_least("strong"):
        text = "run your own only (koth doctor lists what would raise it)"
        _note(f"bots run at isolation {contest.isolation.level}: {text}")
    if contest.commitment is not None:
        which = f"extension {contest.stage} of this run" if contest.stage else "this run"
        echo(f"koth: commitment to the secret of {which}: {contest.commitment}", err=True)


def _note(text: str) -> None:
    print(at_words(f"koth: {text}", sys.stderr), file=sys.stderr)


def _make_executor(store: Store, options: ContestOptions, elsewhere: Elsewhere) -> MakeExecutor:
    """Return the executor. Raises KothError if it would be this machine, and its speed does not fit."""
    speed = Speed(options["same_speed"], store.speed())
    if elsewhere is not None:
        return elsewhere(speed)
    if speed.factor is not None and (problem := speed.refusal(machine().seconds)):
        raise KothError(f"this machine is refused: {problem}")
    return partial(on_this_machine, options["jobs"])


def _played(
    contest: Contest, store: Store, make_executor: MakeExecutor, live: Live
) -> tuple[Outcome, KeyboardInterrupt | ClusterLost | None]:
    """Return the outcome of a contest, and what interrupted it."""
    try:
        return run(contest, store, progress=live.progress, make_executor=make_executor), None
    except (KeyboardInterrupt, ClusterLost) as error:
        store.remove_parts()
        return outcome(contest, store), error


def _leave(
    end: Outcome, folder: Path, options: ContestOptions, broken: KeyboardInterrupt | ClusterLost | None
) -> None:
    """End koth with an exit code and the command to go on with, if matches are missing or in doubt."""
    again = " ".join(
        [f"{program()} resume {shell_word(folder)}", *interpreters(options).grants_beyond(Interpreters())]
    )
    for index, name, text in end.alarms:
        what = f"match {index} was reported twice, and {name} reported something else"
        echo(f"koth: ALARM: {what} ({visible(text)}); the first report counts", err=True)
    if isinstance(broken, KeyboardInterrupt):
        echo(f"koth: interrupted; go on with: {again}", err=True)
        sys.exit(INTERRUPTED)
    if broken is not None:
        _note(f"{broken}; what was played is on record, go on with: {again}")
        sys.exit(INCOMPLETE)
    if end.unplayed:
        count = counted(len(end.unplayed), "match", "matches")
        echo(f"koth: {count} could not be played; try again: {again}", err=True)
    if end.unplayed or end.alarms:
        sys.exit(INCOMPLETE)
