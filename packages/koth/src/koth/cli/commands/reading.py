"""Commands that show games, bots, documents and messages."""

from __future__ import annotations

import click

from koth.cli.commands.group import cli, runs
from koth.cli.commands.options import BOT, COUNT, json_option, takes
from koth.services.options import ListOptions, RulesOptions


@cli.command("list", short_help="List the games, the sample bots of one, or the bots in a folder.")
@click.argument("words", nargs=-1, metavar="[GAME | BOT...]", type=BOT)
@json_option()
@takes(ListOptions)
@runs("lists.list_all")
def list_all() -> None:
    """List the games; GAME's sample bots, named as @NAME; or the bots in folders, files and zips.

    Of these it shows how each is built and started, and what was passed over, and why. Classes are compiled to find
    the bots among them; no bot is started.

    Exit code 0: every bot can be read; 1: something is broken.
    """


@cli.command("docs", short_help="Read the pages about koth, and the rules of the games.")
@click.argument("page", required=False)
@runs("pages.docs")
def docs() -> None:
    """List the pages about koth, or show PAGE: GAME explains how to write a bot, GAME/rules has the rules."""


@cli.command("schema", short_help="Show a game's messages: the values and meaning of every key.")
@click.argument("game")
@takes(RulesOptions)
@click.option("--seats", type=COUNT, metavar="N", help="Number of bots in the match (default: any number).")
@json_option("Print the JSON Schema of the messages.")
@runs("schema.schema")
def schema() -> None:
    """Show the messages of GAME in JSON lines, question by question.

    In the schema, `#/$defs/to-bot` describes what koth writes to a bot, `#/$defs/from-bot` what the bot answers.
    """
