"""`koth hill`: a permanent contest, from the terminal. Django is set up before this is imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from koth.cli.screen import echo, make_table, print_json, print_table, program
from koth.discovery.entrants import find_only
from koth.engine.settings import choose
from koth.errors import visible
from koth.escaping import shell_word
from koth.games import load
from koth.hill import registry, summary
from koth.hill.connection import Hill, create_hill
from koth.hill.models import Version
from koth.hill.options import InitOptions, SubmitOptions
from koth.hill.standings import standings
from koth.sandbox.levels import choose_level as isolation_level


def init(name: str, folder: Path, options: InitOptions, as_json: bool) -> None:
    """Make a hill."""
    game = load(name)
    changed = options.settings
    ruleset, settings = choose(game, options.ruleset, changed)
    values = {key: getattr(settings, key) for key in changed}  # what was in a file, not the file's name
    seats = options.seats
    if seats is not None and seats not in game.seats:
        raise click.UsageError(f"--seats {seats}: {name} seats {game.seats.start} to {game.seats.stop - 1} bots")
    budget = options.matches_a_day, options.hours_a_day
    with create_hill(Hill(folder, name, seats, *budget, options.replays, options.keep_days, options.database)):
        season = registry.begin_season(game, ruleset, values, options.rank_by)
    if as_json:
        print_json({"folder": str(folder), "game": name, "season": summary.season_summary(season)})
        return
    echo(f"{folder}: a hill for {name} ({ruleset}), season {season.pk}, commitment {season.commitment}")
    echo(f"send it bots: {program()} hill submit {shell_word(folder)} BOT --author NAME")


def submit(hill: Hill, word: str, options: SubmitOptions, as_json: bool) -> None:
    """Send a bot to the hill."""
    game = load(hill.game)
    isolation = isolation_level(options.isolation)
    found = find_only(game, word, options.grants, isolation, "submit one at a time")
    _print_queued(registry.submit(game, found, options.author), as_json)


def check_again(bot: str, as_json: bool) -> None:
    """Put a refused version into the queue of checks again."""
    _print_queued(registry.check_again(bot), as_json)


def _print_queued(version: Version, as_json: bool) -> None:
    if as_json:
        sent = {"bot": version.bot.name, "version": version.number, "digest": version.digest, "state": version.state}
        print_json({**sent, "author": version.bot.author.name})
        return
    name = visible(version.bot.name)
    echo(f"{name}, version {version.number}, digest {version.digest}: queued, it plays once it is checked")


def withdraw(bot: str, as_json: bool) -> None:
    """Take a bot out of play."""
    _print_ended(registry.withdraw(bot), as_json)


def suspend(bot: str, why: str, as_json: bool) -> None:
    """Take a bot out of play for a reason."""
    _print_ended(registry.suspend(bot, why), as_json)


def void(match: int, why: str, as_json: bool) -> None:
    """Take a match out of the standings."""
    registry.void(match, why)
    if as_json:
        print_json({"match": match, "state": "void", "reason": why})
    else:
        echo(f"match {match} no longer counts; the next runner computes the standings again")


def list_audit(last: int, as_json: bool) -> None:
    """List the actions on the hill."""
    found = summary.audit(last)
    if as_json:
        print_json(found)
        return
    rows = [[entry[key].partition("\n")[0] for key in ("at", "who", "what", "text")] for entry in found]
    print_table(make_table(("at", "who", "what", ""), rows))


def _print_ended(versions: list[Any], as_json: bool) -> None:
    if as_json:
        print_json([{"bot": v.bot.name, "version": v.number} for v in versions])
        return
    for version in versions:
        echo(f"{visible(version.bot.name)}, version {version.number}: it no longer plays")


class HillFolder:
    """A hill in a folder, with the same methods as the client of a site's API."""

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
