"""`koth hill`: a permanent contest, in the terminal. Set up Django before importing this module."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from koth.cli.screen import answer, make_table, print_json, print_table, program
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
from koth.sandbox.levels import choose_level


def init(game: str, folder: Path, options: InitOptions, as_json: bool) -> None:
    """Make a hill."""
    rules, changed = load(game), options.settings
    ruleset, settings = choose(rules, options.ruleset, changed)
    values = {key: getattr(settings, key) for key in changed}  # what was in a file, not the file's name
    seats = options.seats
    if seats is not None and seats not in rules.seats:
        raise click.UsageError(
            f"--seats {seats}: choose {rules.seats.start} to {rules.seats.stop - 1} seats for {game}"
        )
    budget = options.matches_a_day, options.hours_a_day
    with create_hill(Hill(folder, game, seats, *budget, options.replays, options.keep_days, options.database)):
        season = registry.begin_season(rules, ruleset, values, options.rank_by)
    answer(
        as_json,
        {"folder": str(folder), "game": game, "season": summary.season_summary(season)},
        f"{folder}: a hill for {game} ({ruleset}), season {season.pk}, commitment {season.commitment}",
        f"send it bots: {program()} hill submit {shell_word(folder)} BOT --author NAME",
    )


def submit(hill: Hill, word: str, options: SubmitOptions, as_json: bool) -> None:
    """Send a bot to the hill."""
    game = load(hill.game)
    isolation = choose_level(options.isolation)
    found = find_only(game, word, options.grants, isolation, "submit one at a time")
    _print_queued(registry.submit(game, found, options.author), as_json)


def check(hill: Hill, bot: str, as_json: bool) -> None:
    """Put a refused version into the queue of checks again."""
    _print_queued(registry.check_again(bot), as_json)


def _print_queued(version: Version, as_json: bool) -> None:
    bot, number, digest = version.bot, version.number, version.digest
    sent = {"bot": bot.name, "version": number, "digest": digest, "state": version.state, "author": bot.author.name}
    text = f"version {number}, digest {digest}: queued, plays after its check"
    answer(as_json, sent, f"{visible(bot.name)}, {text}")


def withdraw(hill: Hill, bot: str, as_json: bool) -> None:
    """Take a bot out of play."""
    _print_ended(registry.withdraw(bot), as_json)


def suspend(hill: Hill, bot: str, why: str, as_json: bool) -> None:
    """Take a bot out of play for a reason."""
    _print_ended(registry.suspend(bot, why), as_json)


def void(hill: Hill, match: int, why: str, as_json: bool) -> None:
    """Take a match out of the standings."""
    registry.void(match, why)
    text = f"match {match} no longer counts; the next runner computes the standings again"
    answer(as_json, {"match": match, "state": "void", "reason": why}, text)


def audit(hill: Hill, last: int, as_json: bool) -> None:
    """List the actions on the hill."""
    found = summary.audit(last)
    if as_json:
        print_json(found)
        return
    rows = [[entry[key].partition("\n")[0] for key in ("at", "who", "what", "text")] for entry in found]
    print_table(make_table(("at", "who", "what", ""), rows))


def _print_ended(versions: list[Any], as_json: bool) -> None:
    ended = [(version.bot.name, version.number) for version in versions]
    found = [{"bot": bot, "version": number} for bot, number in ended]
    answer(as_json, found, *(f"{visible(bot)}, version {number}, no longer plays" for bot, number in ended))


class HillFolder:
    """A hill in a folder, with the same methods as the client of a site's API."""

    token = ""

    def __init__(self, hill: Hill) -> None:
        self.hill = hill

    def get(self, path: str, **query: Any) -> Any:
        """Return the answer to a request. Raises KothError for an unknown bot."""
        kind, _, name = path.partition("/")
        answers: dict[str, Callable[[], Any]] = {
            "hill": lambda: summary.status(self.hill),
            "standings": lambda: standings(registry.current_season()).as_json(),
            "matches": lambda: summary.match_summaries(**query),
            "bots": lambda: summary.bot_summary(name),
        }
        return answers[kind]()
