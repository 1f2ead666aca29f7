"""Commands that show how a hill is doing."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from koth.cli.commands.hills import bot_name, directory, hill_group, target_argument
from koth.cli.commands.options import COUNT, json_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koth.cli.hill_reading import HillAnswers
    from koth.hill.client import Site


@contextmanager
def reader(target: Path | Site) -> Iterator[HillAnswers]:
    """Yield a hill in a folder, or behind the address of its site. Raises KothError."""
    if not isinstance(target, Path):
        from koth.cli.hill_remote import understood

        with understood(target):
            yield target
        return
    from koth.hill.connection import opened

    with opened(target) as hill:
        from koth.cli.hill import HillFolder

        yield HillFolder(hill)


@hill_group.command("status", short_help="Say how a hill is doing.")
@target_argument
@json_option()
def status_command(target: Path | Site, as_json: bool) -> None:
    """Show the season, and how many versions and matches are in which state.

    TARGET is the hill's folder or the address of its site; with KOTH_TOKEN it adds your own bots, and
    why one was refused.
    """
    with reader(target) as hill:
        from koth.cli import hill_reading

        hill_reading.status(hill, as_json)


@hill_group.command("standings", short_help="Show the standings of the versions that play.")
@target_argument
@json_option()
def standings_command(target: Path | Site, as_json: bool) -> None:
    """Show the versions that play now, by rating or by score, with its interval.

    TARGET is the hill's folder or the address of its site.
    """
    with reader(target) as hill:
        from koth.cli import hill_reading

        hill_reading.standings(hill, as_json)


@hill_group.command("matches", short_help="List the latest matches.")
@target_argument
@click.option("--bot", metavar="BOT", help="Only matches of this bot.")
@click.option("--last", type=COUNT, default=20, show_default=True, metavar="N", help="So many matches.")
@json_option("Print a JSON list.")
def matches_command(target: Path | Site, bot: str | None, last: int, as_json: bool) -> None:
    """List the latest matches, newest first: who played, the scores, and why it was scheduled.

    TARGET is the hill's folder or the address of its site.
    """
    with reader(target) as hill:
        from koth.cli import hill_reading

        hill_reading.matches(hill, bot, last, as_json)


@hill_group.command("bot", short_help="Show a bot's versions.")
@target_argument
@bot_name
@json_option()
def bot_command(target: Path | Site, bot: str, as_json: bool) -> None:
    """Show BOT's versions: their states, and why a version was refused or suspended.

    TARGET is the hill's folder or the address of its site, which shows reasons to the bot's author only.
    """
    with reader(target) as hill:
        from koth.cli import hill_reading

        hill_reading.bot(hill, bot, as_json)


@hill_group.command("why-next", short_help="Say which match is next, and why.")
@directory
@json_option()
def why_next_command(folder: Path, as_json: bool) -> None:
    """Say in a sentence who plays next, and why."""
    from koth.hill.connection import opened

    with opened(folder) as hill:
        from koth.cli.hill import why_next

        why_next(hill, as_json)


@hill_group.command("audit", short_help="List what was done to a hill, by whom and when.")
@directory
@click.option("--last", type=COUNT, default=20, show_default=True, metavar="N", help="So many entries.")
@json_option("Print a JSON list.")
def audit_command(folder: Path, last: int, as_json: bool) -> None:
    """List what was done, newest first: bots submitted, checked, withdrawn and suspended, void matches, seasons."""
    from koth.hill.connection import opened

    with opened(folder):
        from koth.cli.hill import list_audit

        list_audit(last, as_json)
