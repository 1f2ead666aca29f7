"""Commands that show the state of a hill."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from koth.cli.commands.group import runs
from koth.cli.commands.hills import bot_name, hill_group, in_hill, target_argument
from koth.cli.commands.options import COUNT, json_option

if TYPE_CHECKING:
    from koth.hill.client import Site

last_option = click.option("--last", type=COUNT, default=20, show_default=True, metavar="N", help="Only the last N.")


def of_target(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument TARGET, a folder or a site's address; the command gets the hill at TARGET as `hill`."""

    @wraps(command)
    def call(target: Path | Site, **given: Any) -> Any:
        if not isinstance(target, Path):
            from koth.cli.hill_remote import checking_answers

            with checking_answers(target):
                return command(hill=target, **given)
        from koth.hill.connection import open_hill

        with open_hill(target) as hill:
            from koth.cli.hill import HillFolder

            return command(hill=HillFolder(hill), **given)

    return target_argument(call)


@hill_group.command("status", short_help="Show the state of a hill.")
@of_target
@json_option()
@runs("hill_reading.status")
def status() -> None:
    """Show the season, and the numbers of versions and matches in each state.

    TARGET is the hill's folder or the address of its site; with KOTH_TOKEN the command adds your own bots, and the
    reasons for refusals.
    """


@hill_group.command("standings", short_help="Show the standings of the versions that play.")
@of_target
@json_option()
@runs("hill_reading.standings")
def standings() -> None:
    """Show the versions that play now, ranked by rating or by score, with intervals.

    TARGET is the hill's folder or the address of its site.
    """


@hill_group.command("matches", short_help="List the latest matches.")
@of_target
@click.option("--bot", metavar="BOT", help="Show only matches of this bot.")
@last_option
@json_option("Print a JSON list.")
@runs("hill_reading.matches")
def matches() -> None:
    """List the latest matches, newest first: the bots, the scores, and why the match was scheduled.

    TARGET is the hill's folder or the address of its site.
    """


@hill_group.command("bot", short_help="Show a bot's versions.")
@of_target
@bot_name
@json_option()
@runs("hill_reading.bot")
def bot() -> None:
    """Show BOT's versions: their states, and why a version was refused or suspended.

    TARGET is the hill's folder or the address of its site, which shows reasons to the bot's author only.
    """


@hill_group.command("audit", short_help="List the actions on a hill, with their actors and times.")
@in_hill
@last_option
@json_option("Print a JSON list.")
@runs("hill.audit")
def audit() -> None:
    """List the actions on the hill, newest first: bots sent, checked, withdrawn, suspended, void matches, seasons."""
