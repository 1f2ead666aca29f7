"""Commands that show games, bots, documents and messages."""

from __future__ import annotations

import click

from koth.cli.commands.group import LOOK, cli, runs
from koth.cli.commands.options import BOT, json_option, takes
from koth.services.options import ListOptions


@cli.command("list", section=LOOK, short_help="List games, samples, bots.")
@click.argument("words", nargs=-1, metavar="[GAME | BOT...]", type=BOT)
@json_option()
@takes(ListOptions, "isolation")
@runs("lists.list_all")
def list_all() -> None:
    """List the games; GAME's sample bots, named as @NAME; or the bots in folders, files and zips.

    Of these it shows how each is built and started, and what was passed over, and why. Classes are compiled to find
    the bots among them; no bot is started.

    Exit code 0: every bot can be read; 1: something is broken.
    """


@cli.command("docs", section=LOOK, short_help="Show pages, rules, messages.")
@click.argument("page", required=False)
@json_option("Print GAME/messages as a JSON Schema.")
@runs("pages.docs")
def docs() -> None:
    """List the pages about koth, or show PAGE.

    GAME explains how to write a bot, GAME/rules has the rules,
    GAME/messages the messages from the first to the last.
    """
