"""Commands that show what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from koth.cli.commands.group import cli
from koth.cli.commands.options import (
    COUNT,
    exclude_option,
    host_options,
    isolation_option,
    json_option,
    rules_options,
)
from koth.cli.completion import bots, games, pages

if TYPE_CHECKING:
    from typing import Unpack

    from koth.cli.lists import InspectOptions


@cli.command("list", short_help="List the games, or the sample bots of one.")
@click.argument("game", required=False, shell_complete=games)
@json_option("Print a JSON list.")
def list_command(game: str | None, as_json: bool) -> None:
    """List the games, or GAME's sample bots: each can be named as @NAME where a bot is wanted."""
    from koth.cli.lists import list_bots, list_games

    if game is None:
        list_games(as_json)
    else:
        list_bots(game, as_json)


@cli.command("inspect", short_help="Show which bots lie in a folder, and how each is built and started.")
@click.argument("words", nargs=-1, required=True, metavar="BOT...", shell_complete=bots)
@click.option("--game", required=True, shell_complete=games, help="The game that they are to play.")
@exclude_option
@host_options
@isolation_option("compilers")
@json_option()
def inspect_command(words: tuple[str, ...], game: str, **options: Unpack[InspectOptions]) -> None:
    """Show the bots in folders, files and zips: their names, how they will be built and started, what is broken.

    Classes are compiled to find the bots among them; no bot is started.

    Exit code 0: every bot can be read; 1: something is broken.
    """
    from koth.cli.lists import inspect

    inspect(game, words, options)


@cli.command("docs", short_help="Read the pages about koth, and the rules of the games.")
@click.argument("page", required=False, shell_complete=pages)
def docs_command(page: str | None) -> None:
    """List the pages about koth, or show PAGE: GAME is how to write a bot, GAME/rules are the rules."""
    from koth.cli.pages import docs

    docs(page)


@cli.command("schema", short_help="Show a game's messages: every key, what it may be, and what it means.")
@click.argument("game", shell_complete=games)
@rules_options
@click.option("--seats", type=COUNT, metavar="N", help="Bots in the match (default: what holds for every number).")
@json_option("Print the JSON Schema of the messages.")
def schema_command(
    game: str, ruleset: str | None, settings: dict[str, str], seats: int | None, as_json: bool
) -> None:
    """Show the messages of GAME in JSON lines, question by question.

    In the schema, `#/$defs/to-bot` describes what koth writes to a bot, `#/$defs/from-bot` what the bot answers.
    """
    from koth.cli.schema import schema

    schema(game, ruleset, settings, seats, as_json)
