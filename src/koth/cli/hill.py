"""`koth hill`: a permanent contest, from the terminal. Django is set up before this is imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import click
from rich.table import Table

from koth.cli.hill_tables import print_json
from koth.cli.said import HostOptions, interpreters
from koth.cli.screen import echo, marked, program, show
from koth.discovery.entrants import only
from koth.engine.settings import choose
from koth.errors import visible
from koth.escaping import shell_word
from koth.games import load
from koth.hill import registry, summary, tables
from koth.hill.connection import Hill, made
from koth.hill.models import Version
from koth.hill.table import standings
from koth.sandbox.levels import choose as isolation_level


class InitOptions(TypedDict):
    """Options of `koth hill init`, beside the game and the folder."""

    ruleset: str | None
    settings: dict[str, str]
    seats: int | None
    matches_a_day: int | None
    hours_a_day: float | None
    database: str | None
    replays: str
    keep_days: int | None
    rank_by: str | None
    as_json: bool


class SubmitOptions(HostOptions):
    """Options of `koth hill submit`, beside the hill and the bot."""

    author: str | None
    wait: bool
    isolation: str | None
    as_json: bool


def init(name: str, folder: Path, options: InitOptions) -> None:
    """Make a hill."""
    game = load(name)
    changed = options["settings"]
    ruleset, settings = choose(game, options["ruleset"], changed)
    values = {key: getattr(settings, key) for key in changed}  # what was in a file, not the file's name
    seats = options["seats"]
    if seats is not None and seats not in game.seats:
        raise click.UsageError(f"--seats {seats}: {name} seats {game.seats.start} to {game.seats.stop - 1} bots")
    budget = options["matches_a_day"], options["hours_a_day"]
    with made(Hill(folder, name, seats, *budget, options["replays"], options["keep_days"], options["database"])):
        season = registry.begin_season(game, ruleset, values, options["rank_by"])
    if options["as_json"]:
        print_json({"folder": str(folder), "game": name, "season": summary.season_summary(season)})
        return
    echo(f"{folder}: a hill for {name} ({ruleset}), season {season.pk}, commitment {season.commitment}")
    echo(f"send it bots: {program()} hill submit {shell_word(folder)} BOT --author NAME")


def submit(hill: Hill, word: str, options: SubmitOptions) -> None:
    """Send a bot to the hill."""
    game = load(hill.game)
    isolation = isolation_level(options["isolation"])
    found = only(game, word, interpreters(options), isolation, "submit one at a time")
    _queued(registry.submit(game, found, options["author"]), options["as_json"])


def check_again(bot: str, as_json: bool) -> None:
    """Have a refused version checked again."""
    _queued(registry.check_again(bot), as_json)


def _queued(version: Version, as_json: bool) -> None:
    if as_json:
        sent = {"bot": version.bot.name, "number": version.number, "digest": version.digest, "state": version.state}
        print_json({**sent, "author": version.bot.author.name})
        return
    name = visible(version.bot.name)
    echo(f"{name}, version {version.number}, digest {version.digest}: queued, it plays once it is checked")


def withdraw(bot: str, as_json: bool) -> None:
    """Take a bot out of play."""
    _ended(registry.withdraw(bot), as_json)


def suspend(bot: str, why: str, as_json: bool) -> None:
    """Take a bot out of play for a reason."""
    _ended(registry.suspend(bot, why), as_json)


def void(match: int, why: str, as_json: bool) -> None:
    """Take a match out of the standings."""
    registry.void(match, why)
    if as_json:
        print_json({"match": match, "state": "void", "reason": why})
    else:
        echo(f"match {match} counts no more; the next runner that looks computes the standings again")


def list_audit(last: int, as_json: bool) -> None:
    """List what was done."""
    found = summary.audit(last)
    if as_json:
        print_json(found)
        return
    table = Table(header_style="bold")
    for column in ("at", "who", "what", ""):
        table.add_column(column, overflow="fold")
    for entry in found:
        table.add_row(*(marked(entry[key].partition("\n")[0]) for key in ("at", "who", "what", "text")))
    show(table)


def _ended(versions: list[Any], as_json: bool) -> None:
    if as_json:
        print_json([{"bot": v.bot.name, "number": v.number} for v in versions])
        return
    for version in versions:
        echo(f"{visible(version.bot.name)}, version {version.number}: it plays no more")


def why_next(hill: Hill, as_json: bool) -> None:
    """Say who plays next, and why."""
    table = tables.why_next(hill, registry.current_season())
    names = dict(Version.objects.filter(pk__in=table.seats).values_list("pk", "bot__name"))
    if as_json:
        print_json({"seats": [names[pk] for pk in table.seats], "for": names[table.focus], "why": table.why})
    else:
        echo(visible(table.why))


class HillFolder:
    """A hill in a folder, which answers as the API of its site does."""

    token = ""

    def __init__(self, hill: Hill) -> None:
        self.hill = hill

    def get(self, path: str, **query: Any) -> Any:
        """Return the answer to a request. Raises KothError for a bot that was never sent."""
        kind, _, name = path.partition("/")
        answers: dict[str, Callable[[], Any]] = {
            "hill": lambda: summary.status(self.hill),
            "standings": lambda: standings(registry.current_season()).as_json(),
            "matches": lambda: summary.match_summaries(**query),
            "bots": lambda: summary.bot_summary(name),
        }
        return answers[kind]()
