"""`koth run`: a contest from its bots to its standings."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import sys
import time
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource


@click.command("run")
@click.argument("game", required=False)
@click.argument("bots", nargs=-1, metavar="[BOT]...")
@click.option(
    "--games",
    "-n",
    type=click.IntRange(1, 100_000),
    help="Matches that a bot plays, at least (default: as the statement says).",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="The contest's one seed (default: a new one).")
@click.option("--ruleset", help="Which rules (default: published).")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change one constant of the rules.")
@click.option("--jobs", "-j", type=click.IntRange(1, 256), default=1, show_default=True, help="Matches at a time.")
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder (default: runs/GAME-TIME).")
@click.option("--resume", type=click.Path(path_type=Path), metavar="DIR", help="Go on with an interrupted run.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and nothing else, to stdout.")
@click.option("--watch", is_flag=True, help="Open a page that shows the contest while it runs.")
@click.option("--no-open", is_flag=True, help="With --watch: print the page's address, do not open a browser.")
@click.option("--skip-broken", is_flag=True, help="Go on without bots that can't be started.")
@click.option("--interpreter", "interpreters", multiple=True, metavar="python=PATH", help="What `python` means.")
@click.option("--isolation", metavar="LEVEL", help="How bots are kept apart (default: the best there is here).")
@click.option("--strangers", is_flag=True, help="Refuse to run below isolation strong.")
@click.option("--start-budget", type=click.FloatRange(0.01, 600), metavar="SECONDS", help="To start (default: 10).")
@click.option("--freeze", is_flag=True, help="Stop bots while they are not asked.")
@click.option("--budget", type=click.FloatRange(0.001, 600), metavar="SECONDS", help="For a question (default: 1).")
@click.pass_context
def run_command(ctx: click.Context, /, game: str | None, bots: tuple[str, ...], **options: Any) -> None:
    """Run a contest of GAME between BOTs and print its standings.

    A BOT is a folder, a file, a folder of bots, or @NAME for a sample (see `koth bots`); NAME=BOT gives it
    another name. Without a BOT the game's default field plays.
    """
    from koth.errors import KothError

    if options["resume"] is not None:
        allowed = {"resume", "jobs", "as_json", "isolation", "strangers", "watch", "no_open"}
        given = [p for p in ctx.params if ctx.get_parameter_source(p) is ParameterSource.COMMANDLINE]
        extra = [p for p in given if p not in allowed]
        if extra:
            also = "--jobs, --json, --watch, --isolation and --strangers"
            raise KothError(f"--resume takes the contest as it was started; only {also} go with it")
        _resume(options["resume"], options)
        return
    if game is None:
        raise KothError("which game? `koth games` lists them; then: koth run GAME")
    _start(game, bots, options)


def _start(name: str, words: Sequence[str], options: dict[str, Any]) -> None:
    from koth.bots.languages import Interpreters
    from koth.cli.screen import open_game
    from koth.contest.run import Contest
    from koth.errors import KothError
    from koth.settings import choose

    game = open_game(name)
    overrides = dict(_pair("--set", text) for text in options["sets"])
    ruleset, settings = choose(game, options["ruleset"], overrides)
    interpreters = Interpreters()
    for text in options["interpreters"]:
        key, value = _pair("--interpreter", text)
        if key != "python":
            raise click.UsageError(f"--interpreter: koth chooses an interpreter for python only, not for {key!r}")
        if shutil.which(value) is None:
            raise KothError(f"--interpreter: {value!r} is no program that can be run")
        interpreters = replace(interpreters, python=shutil.which(value) or value)
    budgets = game.budgets
    if options["start_budget"] is not None:
        budgets = replace(budgets, start=options["start_budget"])
    if options["budget"] is not None:
        budgets = replace(budgets, question=options["budget"])
    if options["freeze"]:
        budgets = replace(budgets, freeze=True)
    folder = options["out"] or _free(Path("runs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}")
    seed = options["seed"] if options["seed"] is not None else random.SystemRandom().randrange(2**32)
    games = options["games"] or game.convention.games
    contest = Contest(name, ruleset, overrides, seed, games, (), budgets, _isolation(options))
    _new_run(game, settings, contest, words, interpreters, folder, options)


def _isolation(options: dict[str, Any], before: str | None = None) -> Any:
    """The level of isolation for this run; `before` is the one it began at."""
    from koth.bots.sandbox.levels import choose, for_strangers

    isolation = choose(options["isolation"] or before)
    if options["strangers"]:
        for_strangers(isolation)
    return isolation


def _free(folder: Path) -> Path:
    """This folder, or the first with a number behind it that is not there yet."""
    numbers = itertools.count(2)
    free = folder
    while free.exists():
        free = folder.with_name(f"{folder.name}-{next(numbers)}")
    return free


def _pair(option: str, text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"{option} wants KEY=VALUE, not {text!r}")
    return key.strip(), value.strip()


def _new_run(
    game: Any, settings: Any, contest: Any, words: Sequence[str], interpreters: Any, folder: Path, options: Any
) -> None:
    from koth.bots.field import find
    from koth.bots.manifest import BotError
    from koth.cli.screen import waiting
    from koth.contest.run import run_record
    from koth.contest.store import Store, only_run
    from koth.errors import KothError

    if os.path.exists(folder / "run.json"):
        raise KothError(f"{folder} already holds a run; choose another --out, or go on with it: --resume {folder}")
    bots, problems = find(game, words or [f"@{name}" for name in game.field], interpreters, contest.isolation)
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
            record = run_record(contest, skipped, options["jobs"])
            record["interpreters"] = {"python": interpreters.python}
            store.write_run(record)
            with _watched(folder, options):
                _play(contest, store, folder, options["jobs"], options["as_json"], skipped)
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
    game: Any, settings: Any, bots: Sequence[Any], folder: Path, contest: Any
) -> tuple[list[Any], list[Any]]:
    from koth.contest.practice import COPIES, Broken, build, rehearse

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


def _resume(folder: Path, options: dict[str, Any]) -> None:
    from koth.bots.folder import load
    from koth.bots.languages import Interpreters
    from koth.cli.screen import open_game, waiting
    from koth.contest.practice import COPIES, build
    from koth.contest.run import Contest
    from koth.contest.store import Store, only_run, read_run
    from koth.errors import KothError
    from koth.game import Budgets

    run = read_run(folder)
    game = open_game(run["game"])
    interpreters = Interpreters(run["interpreters"]["python"])
    isolation = _isolation(options, run["isolation"]["level"])
    bots = []
    with only_run(folder):
        with waiting("looking at the bots"):
            for told in run["bots"]:
                bot = load(game, Path(told["path"]), interpreters, told["name"], isolation)
                if bot.digest != told["hash"]:
                    raise KothError(f"{told['path']} has changed since the run began; start a new run")
                built, problem = build(bot, folder / COPIES, isolation)
                if problem:
                    raise KothError(f"{told['path']}: {problem}")
                bots.append(built)
        contest = Contest(
            run["game"],
            run["ruleset"],
            run["settings"],
            run["seed"],
            run["games"],
            bots,
            Budgets(**run["budgets"]),
            isolation,
        )
        store = Store(folder)
        try:
            store.remove_parts()
            with _watched(folder, options):
                _play(contest, store, folder, options["jobs"], options["as_json"], run["skipped"])
        finally:
            store.close()


@contextmanager
def _watched(folder: Path, options: dict[str, Any]) -> Iterator[None]:
    """With --watch: a page beside the contest, which stays after its end until Ctrl-C."""
    if not options["watch"]:
        yield
        return
    from koth.contest.interrupt import Interrupts
    from koth.viewer.beside import watching

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
    contest: Any, store: Any, folder: Path, jobs: int, as_json: bool, skipped: Sequence[dict[str, str]]
) -> None:
    from koth.cli.live import Live
    from koth.cli.screen import program
    from koth.contest.run import outcome, results_json, run

    interrupted = False
    if not contest.isolation.is_at_least("strong"):
        text = "run your own only (koth doctor tells what would raise it)"
        print(f"koth: bots run at isolation {contest.isolation.level}: {text}", file=sys.stderr)
    with Live(contest, store) as live:
        try:
            run(contest, store, jobs=jobs, progress=live.progress)
        except KeyboardInterrupt:
            interrupted = True
            store.remove_parts()
    end = outcome(contest, store)
    if as_json:
        sys.stdout.write(json.dumps(results_json(contest, end), allow_nan=False) + "\n")
    else:
        live.print_end(end, folder, skipped, interrupted)
    if interrupted:
        print(f"koth: interrupted; go on with: {program()} run --resume {folder}", file=sys.stderr)
        sys.exit(130)
