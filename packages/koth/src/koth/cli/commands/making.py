"""Commands that create a first bot or a new game."""

from __future__ import annotations

import click

from koth.cli.commands.group import cli, runs
from koth.cli.commands.options import FILE


@cli.command("new", short_help="Make a new bot that can play at once.")
@click.argument("game")
@click.argument("folder", type=FILE, metavar="DIR")
@click.option(
    "--lang",
    metavar="LANGUAGE",
    default="python",
    show_default=True,
    help="c++, go, java, javascript, python or rust.",
)
@runs("new.new")
def new() -> None:
    """Make the folder DIR with a bot for GAME that can play at once."""


@cli.command("new-game", short_help="Make a package with a new game that can be played at once.")
@click.argument("name")
@click.argument("folder", required=False, type=FILE, metavar="[DIR]")
@click.option(
    "--plain", is_flag=True, help="One match is a Python object: no arrays, no compiled code; slower to play."
)
@runs("new_game.new_game")
def new_game() -> None:
    """Make the folder DIR (default: koth-NAME) with a game NAME: a package that can be installed and published.

    The game can be played and viewed at once; its README.md has the next steps.
    """
