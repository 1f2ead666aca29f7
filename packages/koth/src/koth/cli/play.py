"""`koth play`: a match of a person against bots, in the browser."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from koth.cli.exit_codes import INTERRUPTED
from koth.cli.screen import echo, program, waiting
from koth.contest.preflight import build, start_once
from koth.discovery.entrants import find_entrants
from koth.engine.batch import Batch
from koth.engine.secret import key_of
from koth.engine.settings import choose
from koth.errors import KothError
from koth.escaping import shell_word
from koth.game import Game, TimeControl
from koth.games import load
from koth.replay.names import SUFFIX
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose_level
from koth.services.options import PlayOptions
from koth.session.bot import Bot
from koth.viewer.levels import Level, level_of
from koth.viewer.person import Person
from koth.viewer.play import PersonMatch, PersonSession, make_play_app, open_person
from koth.viewer.server import print_address, serve_app
from koth.warmup import compiling_beside, first_time, has_started


def play(game: str, bots: Sequence[str], options: PlayOptions, port: int) -> None:
    """Seat a person among these bots, or among a level's bots, and serve the match."""
    rules = load(game)
    level = None if bots and options.level is None else level_of(game, options.level)
    changes = {**(level.settings if level else {}), **options.settings}
    ruleset, settings = choose(rules, options.ruleset, changes)
    words = (
        bots
        or tuple(f"@{name}" for name in (level.bots if level else rules.default_entrants))[: _default_rivals(rules)]
    )
    isolation = choose_level(options.isolation)
    entrants = find_entrants(rules, words, options.grants, isolation)
    for problem in entrants.problems:
        raise problem
    found = entrants.bots
    if len(found) + 1 not in rules.seats:
        raise KothError(f"{game} seats {rules.seats.start} to {rules.seats.stop - 1} players, not {len(found) + 1}")
    name = options.name.strip()
    if not name or name in rules.reserved_names or any(bot.name == name for bot in found):
        raise KothError(f"you can't be called {name!r} here; choose another --name")
    open_person(rules, settings, len(found) + 1, name)
    with tempfile.TemporaryDirectory(prefix="koth-play-") as place:
        clock = options.time_control(rules)
        ready = _prepare(rules, settings, found, Path(place), isolation, clock)
        session = _make_session(
            rules, settings, ruleset, ready, isolation, clock, options, _again_command(game, bots, options)
        )
        _serve(session, port, level)


def _again_command(game: str, bots: Sequence[str], options: PlayOptions) -> str:
    """Return the command that plays against the same bots again, without the level."""
    given = [
        ("--ruleset", options.ruleset),
        *(("--set", f"{key}={value}") for key, value in options.settings.items()),
        ("--start-timeout", options.start_timeout and str(options.start_timeout)),
    ]
    given += [("--name", options.name)] if options.name != PlayOptions.name else []
    words = [game, *bots, *(word for option, value in given if value for word in (option, value))]
    return " ".join([program(), "play", *map(shell_word, words)])


def _default_rivals(game: Game) -> int:
    """Return the number of default entrants that play in a match beside one person."""
    return (game.contest_defaults.seats or game.seats.stop - 1) - 1


def _prepare(
    game: Game, settings: Any, bots: Sequence[Bot], place: Path, isolation: Isolation, clock: TimeControl
) -> list[Bot]:
    """Return the bots in private copies, each started once. Raises KothError for a bot that can't play."""
    if not isolation.is_at_least("strong"):
        text = f"bots run at isolation {isolation.level}: run only your own (koth doctor says how to raise the level)"
        echo(f"koth: {text}", err=True)
    ready = []
    text = f"building every bot{first_time(game)}"
    with waiting(text, plain=not has_started(game)) as on_doing, compiling_beside(game, on_doing):
        for bot in bots:
            built, problem = build(bot, place, isolation)
            if problem:
                raise KothError(f"{bot.name}: {problem}")
            ready.append(built)
    with waiting("starting every bot once"):
        failed = start_once(game, settings, ready, clock, isolation, seats=len(ready) + 1) if ready else []
    for broken in failed:
        raise KothError(f"{broken.bot.name}: {broken.reason}")
    return ready


def _make_session(
    game: Game,
    settings: Any,
    ruleset: str,
    bots: Sequence[Bot],
    isolation: Isolation,
    clock: TimeControl,
    options: PlayOptions,
    command: str,
) -> PersonSession:
    """Return the session: matches of a person against these bots, one after the other."""

    def make_match(number: int) -> PersonMatch:
        """Return match `number`; with `--seed`, each match gets another seed, computed from it."""
        key = key_of(None if options.seed is None else options.seed + number - 1)
        replay = _replay_path(game.name, options.out, number)
        Batch(game, settings, 1 + len(bots), [key.dice])  # settings that can't be played are refused here
        person = open_person(game, settings, 1 + len(bots), options.name.strip())
        everybody: list[Bot | Person] = [person, *bots]
        return PersonMatch(game, settings, ruleset, everybody, person, key, replay, isolation, clock, command=command)

    return PersonSession(make_match)


def _serve(session: PersonSession, port: int, level: Level | None) -> None:
    """Serve the page and play matches, until interrupted; print the paths of their replays at the end."""
    app = make_play_app(session)
    session.match.start()
    place = f"play#{level.name}" if level else "play"
    try:
        serve_app(app, port, lambda address: print_address(f"{address}{place}"))
    finally:
        if session.match.result is None:
            session.match.interrupt()
    for played in session.matches:
        if played.result is not None:
            echo(f"replay: {played.replay}\nwatch it: {program()} view {shell_word(played.replay)}")
    if session.match.result is None:
        echo(f"koth: {session.match.failure or 'the match was interrupted'}", err=True)
        sys.exit(INTERRUPTED)


def _replay_path(game: str, out: Path | None, number: int) -> Path:
    """Return the file for the replay of match `number`, in the same folder for all matches. Raises KothError."""
    first = out or Path("runs") / f"play-{game}-{time.strftime('%Y%m%d-%H%M%S')}{SUFFIX}"
    replay = first
    if number > 1:
        replay = first.with_name(f"{first.name.removesuffix(SUFFIX)}-{number}{SUFFIX}")
    if replay.exists():
        raise KothError(f"choose another --out: {replay} is there already")
    try:
        replay.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KothError(f"{replay.parent}: {error.strerror}") from None
    return replay
