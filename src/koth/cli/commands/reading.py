"""Commands that tell what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from koth.cli.commands.group import cli
from koth.cli.completion import HOW, games, pages, print_script
from koth.cli.options import exclude_option, host_options, isolation_option, rules_options
from koth.errors import KothError

if TYPE_CHECKING:
    from typing import Unpack

    from koth.cli.lists import BotsOptions


@cli.command("rules", short_help="Read the rules of a game.")
@click.argument("game", shell_complete=games)
def rules_command(game: str) -> None:
    """Show the numbered rules of GAME: set in a terminal, as they are written elsewhere."""
    from koth.cli.pages import rules

    rules(game)


@cli.command("docs", short_help="Read what there is to read about koth.")
@click.argument("page", required=False, shell_complete=pages)
def docs_command(page: str | None) -> None:
    """List the pages about koth, or show PAGE: how to write a bot, what standings mean ..."""
    from koth.cli.pages import docs

    docs(page)


@cli.command("completion", short_help="Print what makes your shell complete koth's words.")
@click.argument("shell", type=click.Choice(list(HOW)))
def completion_command(shell: str) -> None:
    """Print a script for SHELL: games, @samples, commands and options are completed with it.

    At its end it says how to have it always.
    """
    print_script(cli, shell)


@cli.command("games", short_help="List the games.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def games_command(as_json: bool) -> None:
    """List the games."""
    from koth.cli.lists import list_games

    list_games(as_json)


@cli.command("bots", short_help="List a game's sample bots, or the bots in a folder.")
@click.argument("words", nargs=-1, required=True, metavar="GAME|BOT...")
@click.option(
    "--game", shell_complete=games, help="Show what BOTs there are for this game, and how each will be started."
)
@exclude_option
@host_options
@isolation_option("compilers are")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bots_command(words: tuple[str, ...], **options: Unpack[BotsOptions]) -> None:
    """List GAME's sample bots; each can be named as @NAME where a bot is wanted.

    With --game, list the bots in folders, files and zips instead: what they are called, how they will be built and
    started, what is broken, and what was left out. Nothing of them is started. Exit code 1: something is broken.
    """
    from koth.cli.lists import list_bots, list_found

    if options["game"] is not None:
        list_found(options["game"], words, options)
    elif len(words) > 1 or "/" in words[0]:
        raise KothError("for which game? say: koth bots FOLDER --game GAME")
    else:
        list_bots(words[0], options["as_json"])


@cli.command("schema", short_help="Print a game's messages as a JSON Schema, or as tables.")
@click.argument("game", shell_complete=games)
@rules_options
@click.option("--seats", type=click.IntRange(1), help="Bots in the match (default: what holds for every number).")
@click.option("--table", "as_table", is_flag=True, help="Print the fields of each question for people instead.")
def schema_command(game: str, ruleset: str | None, sets: tuple[str, ...], seats: int | None, as_table: bool) -> None:
    """Print the JSON Schema of GAME's messages in JSON lines.

    What is written to a bot is described by `#/$defs/to-bot`, what it writes by `#/$defs/from-bot`.
    """
    from koth.cli.schema import schema

    schema(game, ruleset, sets, seats, as_table)
