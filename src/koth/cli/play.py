"""`koth play`: a person against bots, in the browser."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from koth.cli.said import HostOptions, interpreters, overrides
from koth.cli.screen import echo, program, waiting
from koth.contest.preflight import build, start_once
from koth.discovery.entrants import find
from koth.engine.batch import Batch
from koth.engine.secret import Secret, key_of
from koth.engine.settings import choose
from koth.errors import KothError
from koth.escaping import shell_word
from koth.game import Game
from koth.games import load
from koth.replay.reader import SUFFIX
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose as isolation_level
from koth.session.bot import Bot
from koth.session.person import Person
from koth.viewer.levels import level_of
from koth.viewer.play import Table, make_play_app, open_person
from koth.viewer.server import say, serve_app
from koth.warmup import compiling_beside, first_time, has_started


class PlayOptions(HostOptions):
    """Options of `koth play`."""

    level: str | None
    name: str
    seed: int | None
    ruleset: str | None
    sets: tuple[str, ...]
    out: Path | None
    isolation: str | None
    port: int
    no_open: bool


def play(game: str, bots: Sequence[str], options: PlayOptions) -> None:
    """Seat a person among these bots, or among those of a level, and serve the match."""
    rules = load(game)
    level = None if bots and options["level"] is None else level_of(game, options["level"])
    changes = {**(level.settings if level else {}), **overrides(options["sets"])}
    ruleset, settings = choose(rules, options["ruleset"], changes)
    words = bots or tuple(f"@{name}" for name in (level.bots if level else rules.default_entrants))[: _room(rules)]
    isolation = isolation_level(options["isolation"])
    found, problems = find(rules, words, interpreters(options), isolation)
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
        _sit_down(rules, settings, ruleset, person, ready, isolation, options, level.name if level else "")


def _room(game: Game) -> int:
    """Return how many default entrants play in a match beside one person."""
    return (game.contest_defaults.table or game.seats.stop - 1) - 1


def _prepare(game: Game, settings: Any, bots: Sequence[Bot], place: Path, isolation: Isolation) -> list[Bot]:
    """The bots in private copies, each started once. Raises KothError for one that can't play."""
    if not isolation.is_at_least("strong"):
        text = f"bots run at isolation {isolation.level}: run your own only (koth doctor tells what would raise it)"
        echo(f"koth: {text}", err=True)
    ready = []
    with waiting(f"building every bot{first_time(game)}", plain=not has_started(game)), compiling_beside(game):
        for bot in bots:
            built, problem = build(bot, place, isolation)
            if problem:
                raise KothError(f"{bot.name}: {problem}")
            ready.append(built)
    with waiting("starting every bot once"):
        failed = (
            start_once(game, settings, ready, game.time_control, isolation, table=len(ready) + 1) if ready else []
        )
    for broken in failed:
        raise KothError(f"{broken.bot.name}: {broken.reason}")
    return ready


def _sit_down(
    game: Game,
    settings: Any,
    ruleset: str,
    person: Person,
    bots: Sequence[Bot],
    isolation: Isolation,
    options: PlayOptions,
    level: str,
) -> None:
    """Serve the page and play the match; say at the end where its replay is."""
    key = key_of(options["seed"]) if options["seed"] is not None else Secret.drawn().block(0)
    replay = options["out"] or Path("runs") / f"play-{game.name}-{time.strftime('%Y%m%d-%H%M%S')}{SUFFIX}"
    if replay.exists():
        raise KothError(f"{replay} is there already; choose another --out")
    Batch(game, settings, 1 + len(bots), [key.dice])  # settings that can't be played are told of here
    try:
        replay.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KothError(f"{replay.parent}: {error.strerror}") from None
    table = Table(game, settings, ruleset, [person, *bots], person, key, replay, isolation)
    app = make_play_app(table)
    table.start()
    try:
        serve_app(
            app, options["port"], not options["no_open"], lambda address: say(f"{address}play{level and '#'}{level}")
        )
    finally:
        if table.result is None:
            table.interrupt()
    if table.result is None:
        echo(f"koth: {table.failure or 'the match was interrupted'}", err=True)
        sys.exit(130)
    echo(f"replay: {replay}\nwatch it: {program()} view {shell_word(replay)}")
