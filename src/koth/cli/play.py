"""`koth play`: a person against bots, in the browser."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click


@click.command("play")
@click.argument("game")
@click.argument("bots", nargs=-1, metavar="[BOT]...")
@click.option("--name", default="you", show_default=True, help="What you are called in the match.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="The match's seed (default: a new one).")
@click.option("--ruleset", help="Which rules (default: published).")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change one constant of the rules.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="The replay's file.")
@click.option("--isolation", metavar="LEVEL", help="How bots are kept apart (default: the best there is here).")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Which port (default: a free one).")
@click.option("--no-open", is_flag=True, help="Print the address, do not open a browser.")
def play_command(game: str, bots: tuple[str, ...], **options: Any) -> None:
    """Play GAME yourself, in the browser, against BOTs.

    You see what a bot in your place sees. A BOT is a folder, a file, or @NAME for a sample; without one the
    default field plays, as many of it as fit. Afterwards the whole match can be watched.
    """
    from koth.bots.field import find
    from koth.bots.languages import Interpreters
    from koth.bots.sandbox.levels import choose as isolation_level
    from koth.cli.screen import open_game
    from koth.errors import KothError
    from koth.settings import choose
    from koth.viewer.play import open_person

    rules = open_game(game)
    overrides = dict(_pair(text) for text in options["sets"])
    ruleset, settings = choose(rules, options["ruleset"], overrides)
    words = bots or tuple(f"@{name}" for name in rules.field)[: _room(rules)]
    isolation = isolation_level(options["isolation"])
    found, problems = find(rules, words, Interpreters(), isolation)
    if problems:
        raise problems[0]
    if len(found) + 1 not in rules.seats:
        raise KothError(f"{game} seats {rules.seats.start} to {rules.seats.stop - 1} players, not {len(found) + 1}")
    name = options["name"].strip()
    if not name or name in rules.reserved_names or any(bot.name == name for bot in found):
        raise KothError(f"you can't be called {name!r} here; choose another --name")
    person = open_person(rules, settings, len(found) + 1, name)
    with tempfile.TemporaryDirectory(prefix="koth-play-") as place:
        ready = _prepare(rules, settings, found, Path(place), isolation)
        _sit_down(rules, settings, ruleset, [person, *ready], isolation, options)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set wants KEY=VALUE, not {text!r}")
    return key.strip(), value.strip()


def _room(game: Any) -> int:
    """How many bots of the default field sit down beside a person."""
    return int(game.convention.table or game.seats.stop - 1) - 1


def _prepare(game: Any, settings: Any, bots: Any, place: Path, isolation: Any) -> list[Any]:
    """The bots in private copies, each started once. Raises KothError for one that can't play."""
    from koth.cli.screen import waiting
    from koth.contest.practice import build, rehearse
    from koth.errors import KothError

    if not isolation.is_at_least("strong"):
        text = f"bots run at isolation {isolation.level}: run your own only (koth doctor tells what would raise it)"
        print(f"koth: {text}", file=sys.stderr)
    ready = []
    for bot in bots:
        built, problem = build(bot, place, isolation)
        if problem:
            raise KothError(f"{bot.name}: {problem}")
        ready.append(built)
    with waiting("starting every bot once"):
        failed = rehearse(game, settings, ready, game.budgets, isolation) if ready else []
    for broken in failed:
        raise KothError(f"{broken.bot.name}: {broken.reason}")
    return ready


def _sit_down(game: Any, settings: Any, ruleset: str, entrants: Any, isolation: Any, options: Any) -> None:
    """Serve the page and play the match; say at the end where its replay is."""
    from koth.cli.screen import program
    from koth.errors import KothError
    from koth.game import Batch
    from koth.replay import SUFFIX
    from koth.viewer.play import Table, make_play_app
    from koth.viewer.server import say, serve_app

    seed = options["seed"] if options["seed"] is not None else random.SystemRandom().randrange(2**32)
    replay = options["out"] or Path("runs") / f"play-{game.name}-{time.strftime('%Y%m%d-%H%M%S')}{SUFFIX}"
    if replay.exists():
        raise KothError(f"{replay} is there already; choose another --out")
    Batch(game, settings, len(entrants), [seed])  # settings that can't be played are told of here
    try:
        replay.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KothError(f"{replay.parent}: {error.strerror}") from None
    table = Table(game, settings, ruleset, entrants, entrants[0], seed, replay, isolation)
    app = make_play_app(table)
    table.start()
    try:
        serve_app(app, options["port"], not options["no_open"], lambda address: say(f"{address}play"))
    finally:
        if table.result is None:
            table.interrupt()
    if table.result is None:
        print(f"koth: {table.failure or 'the match was interrupted'}", file=sys.stderr)
        sys.exit(130)
    click.echo(f"replay: {replay}\nwatch it: {program()} view {replay}")
