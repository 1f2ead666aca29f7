"""`koth list`: the games and their samples; `koth inspect`: the bots in a folder."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click
from rich.table import Table

from koth.cli.exit_codes import NO, OK
from koth.cli.said import HostOptions, interpreters
from koth.cli.screen import counted, echo, errors, marked, show, waiting
from koth.discovery.entrants import find_entrants
from koth.discovery.samples import sample_names, sample_path, summary
from koth.errors import visible
from koth.game import Game
from koth.games import GameError, load, playable, troubles
from koth.sandbox.levels import choose as isolation_level
from koth.session.bot import Bot

NEWLINE = "\n"


def list_games(as_json: bool) -> None:
    """Print the games as a table or JSON."""
    games: list[Game] = []
    for line in troubles():
        errors.print(line, markup=False)
    for name in playable():
        try:
            games.append(load(name))
        except GameError as error:
            errors.print(str(error), markup=False)
    if as_json:
        listed = [
            {
                "game": game.name,
                "title": game.title,
                "rulesets": list(game.rulesets),
                "matches": game.contest_defaults.games,
                "aggregate": game.contest_defaults.aggregate,
            }
            for game in games
        ]
        click.echo(json.dumps(listed))
        return
    table = Table(header_style="bold")
    for column in ("game", "title", "rulesets", "a contest"):
        table.add_column(column)
    for game in games:
        contest = f"{counted(game.contest_defaults.games, 'match', 'matches')}, {game.contest_defaults.aggregate}"
        table.add_row(game.name, game.title, ", ".join(game.rulesets), contest)
    show(table)


def list_bots(game: str, as_json: bool) -> None:
    """Print the sample bots of a game as a table or JSON."""
    rules = load(game)
    names = sample_names(game)
    if as_json:
        click.echo(json.dumps(names))
        return
    table = Table(
        header_style="bold", caption="+ a default entrant: plays where no bot is named", caption_justify="left"
    )
    for column in ("", "bot", "idea"):
        table.add_column(column)
    for name in names:
        table.add_row(
            "+" if name in rules.default_entrants else "", f"@{name}", marked(summary(game, sample_path(game, name)))
        )
    show(table)


class InspectOptions(HostOptions):
    """Options of `koth inspect`."""

    exclude: tuple[str, ...]
    isolation: str | None
    as_json: bool


def inspect(game: str, words: Sequence[str], options: InspectOptions) -> NoReturn:
    """Print the bots that these words name, and how each will be started, as a table or JSON."""
    rules = load(game)
    with waiting("looking for bots", plain=False):
        found = find_entrants(
            rules, words, interpreters(options), isolation_level(options["isolation"]), options["exclude"]
        )
    if options["as_json"]:
        listed = {
            "game": game,
            "bots": [_as_json(bot) for bot in found.bots],
            "broken": [str(problem) for problem in found.problems],
            "notes": found.notes,
        }
        click.echo(json.dumps(listed))
        sys.exit(NO if found.problems else OK)
    table = Table(header_style="bold")
    for column in ("bot", "language", "protocol", "built and started", "where"):
        table.add_column(column, overflow="fold")
    for bot in found.bots:
        steps = "; ".join([*(_text(bot, line) for line in bot.build), _started(bot)])
        table.add_row(*map(marked, (bot.name, bot.language, bot.protocol, steps, bot.where)))
    if found.bots:
        show(table)
    count = counted(len(found.bots), "bot", "bots")
    broken = f", {len(found.problems)} more can't be read" if found.problems else ""
    echo(f"{count} found and not started (koth check BOT tries one){broken}")
    for note in found.notes:
        echo(f"note: {visible(note)}")
    for problem in found.problems:
        echo(f"broken: {visible(str(problem), keep=NEWLINE)}")
    sys.exit(NO if found.problems else OK)


def _as_json(bot: Bot) -> dict[str, Any]:
    return {
        "name": bot.name,
        "path": str(bot.path),
        "entry": bot.entry,
        "language": bot.language,
        "protocol": bot.protocol,
        "build": [list(line) for line in bot.build],
        "command": [*bot.argv, *bot.arguments],
        "hash": bot.digest,
    }


def _text(bot: Bot, words: Sequence[str]) -> str:
    """Return a command as its author would type it in the bot's folder."""
    folder = f"{bot.folder}/"
    return shlex.join([word.removeprefix(folder) if word != words[0] else _own(word, folder) for word in words])


def _own(program: str, folder: str) -> str:
    return f"./{program.removeprefix(folder)}" if program.startswith(folder) else program


def _started(bot: Bot) -> str:
    """Return how a bot is started: its command, or that koth's adapter does it."""
    if bot.has_adapter:
        words = [bot.argv[0], bot.argv[-1].removeprefix(f"{bot.folder}/"), *bot.arguments]
        return f"koth's adapter: {' '.join(words)}"
    if bot.made or bot.argv[:1] == ("/bin/sh",):
        at = max(bot.argv.index(word) for word in ("class", "script") if word in bot.argv)
        return f"koth's adapter: {' '.join(word.removeprefix(f'{bot.folder}/') for word in bot.argv[at:])}"
    return _text(bot, [*bot.argv, *bot.arguments])
