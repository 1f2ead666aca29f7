"""Commands by which a host runs a hill, and authors send bots to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from koth.cli.commands.group import Commands, cli, runs
from koth.cli.commands.options import BOT, COUNT, FILE, json_option, takes
from koth.hill.options import HillRunOptions, InitOptions, InviteOptions, SeasonOptions, SubmitOptions

if TYPE_CHECKING:
    from koth.hill.client import Site


class Target(click.ParamType["Path | Site"]):
    """The type of an argument: a hill's folder, or the address of its site."""

    name = "target"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path | Site:
        """Return the path, or the site."""
        from koth.hill.client import Site, is_address

        return Site(value) if is_address(value) else Path(value)


class Folder(click.Path):
    """The type of an argument: the folder of a hill."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; refuse the address of a site."""
        from koth.hill.client import is_address

        if is_address(str(value)):
            self.fail(f"{value} is a site: this is done in the hill's folder, on the machine of the site", param, ctx)
        return super().convert(value, param, ctx)


directory = click.argument("folder", type=Folder(path_type=Path), metavar="DIR")
target_argument = click.argument("target", type=Target(), metavar="TARGET")
"""The argument for a hill's folder, or the address of its site."""
bot_name = click.argument("bot", metavar="BOT")
why_option = click.option("--why", required=True, metavar="TEXT", help="The reason, for authors and for the record.")


def in_hill(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument DIR; the command gets the hill that is opened there as `hill`."""

    @wraps(command)
    def call(folder: Path, **given: Any) -> Any:
        from koth.hill.connection import open_hill

        with open_hill(folder) as hill:
            return command(hill=hill, **given)

    return directory(call)


def sets_up(command: Callable[..., Any]) -> Callable[..., Any]:
    """Set Django up before a command runs that opens its hill itself."""

    @wraps(command)
    def call(**given: Any) -> Any:
        from koth.hill.connection import set_up

        set_up()
        return command(**given)

    return call


@cli.group("hill", cls=Commands, short_help="Run a permanent contest; authors submit new versions at any time.")
def hill_group() -> None:
    """Run a hill: a permanent contest, in the folder DIR. It needs the extra hill.

    Authors submit bots and new versions of them at any time: each version is checked, and plays from then on. `koth
    docs hill` explains it.
    """


@hill_group.command("init", short_help="Make a new hill.")
@click.argument("game")
@directory
@json_option()
@takes(InitOptions)
@sets_up
@runs("hill.init")
def init() -> None:
    """Make a hill for GAME in the folder DIR: a database, replays, and the commitment of its first season."""


@hill_group.command("submit", short_help="Send a bot, or a new version of one.")
@target_argument
@click.argument("bot", metavar="BOT", type=BOT)
@json_option()
@takes(SubmitOptions)
def submit(target: Path | Site, bot: str, as_json: bool, options: SubmitOptions) -> None:
    """Send BOT to the hill TARGET: a folder, a file, a zip or @NAME; NAME=BOT gives it another name.

    TARGET is the hill's folder or the address of its site, which needs your token in KOTH_TOKEN: the page of your
    account makes one. A bot with the name of an earlier one is its new version, and replaces it once it is checked.
    """
    if not isinstance(target, Path):
        from koth.cli import hill_remote

        with hill_remote.checking_answers(target):
            hill_remote.submit(target, bot, options, as_json)
    if options.wait:
        raise click.UsageError("--wait is for a site: in a folder koth hill run checks what was sent")
    from koth.hill.connection import open_hill

    with open_hill(target) as hill:
        from koth.cli.hill import submit

        submit(hill, bot, options, as_json)


@hill_group.command("invite", short_help="Make authors, and print a link for each to set a password.")
@in_hill
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option("Print a JSON list.")
@takes(InviteOptions)
@runs("hill_invite.invite")
def invite() -> None:
    """Make an account for each author NAME, and print a link or code to set a password: valid once, for two weeks.

    A NAME with an account gets a link or code for a new password. If one NAME is refused, no account is made.
    """


@hill_group.command("run", short_help="Check new versions and play matches, until Ctrl-C.")
@in_hill
@json_option("Print how many matches were played as one JSON object, and nothing else, to stdout.")
@takes(HillRunOptions, "skip_broken", "exclude")
@runs("hill_run.run")
def run() -> None:
    """Check new versions and play matches: new versions first, then neighbours in the standings, then all evenly.

    Ctrl-C and SIGTERM end it; finished matches are on record, and the next `koth hill run` continues. With --matches
    it also ends when there is nothing left to play.
    """


@hill_group.command("withdraw", short_help="Take a bot out of play.")
@in_hill
@bot_name
@json_option()
@runs("hill.withdraw")
def withdraw() -> None:
    """Take BOT out of play. Its matches stay, and it may be submitted again."""


@hill_group.command("suspend", short_help="Take a bot out of play for a reason.")
@in_hill
@bot_name
@why_option
@json_option("Print a JSON list.")
@runs("hill.suspend")
def suspend() -> None:
    """Take BOT out of play for a reason, which its author can read. A new version of it may be submitted."""


@hill_group.command("check", short_help="Check a refused version again.")
@in_hill
@bot_name
@json_option()
@runs("hill.check")
def check() -> None:
    """Put the newest version of BOT, which was refused, into the queue of checks again: `koth hill run` checks it."""


@hill_group.command("void", short_help="Take a match out of the standings.")
@in_hill
@click.argument("match", type=COUNT)
@why_option
@json_option()
@runs("hill.void")
def void() -> None:
    """Take the match with the number MATCH out of ratings and scores. It stays on record, with the reason."""


@hill_group.command("season", short_help="Open, close, freeze, finish or publish a season.")
@in_hill
@click.argument("step", type=click.Choice(["open", "close", "freeze", "final", "end", "publish"]))
@json_option("Print the season as one JSON object; of a final its results.")
@takes(SeasonOptions, "exclude")
@runs("hill_season.season")
def season() -> None:
    """Move the season to its next step.

    open begins the next season, once the last one is published, with a new secret, whose commitment is printed. close
    sets the time after which no bot is accepted; freeze refuses all bots from now on. final plays a contest between
    the current versions, until it is settled, in DIR/season-N; its dice follow from the season's secret, mixed with
    the digests of the bots. end stops a final before all matches are played. publish ends the season and reveals the
    secret: `koth verify DIR/season-N` proves the final on any machine.
    """


@hill_group.command("backup", short_help="Write all of a hill into a new folder.")
@in_hill
@click.argument("to", type=FILE, metavar="TO")
@json_option()
@runs("hill_backup.write_backup")
def backup() -> None:
    """Write everything in the hill in DIR to the new folder TO: its database, replays and finals.

    The runner may go on meanwhile. The backup has the secrets of seasons that are not published: keep it to yourself.
    """


@hill_group.command("restore", short_help="Make a hill of a backup.")
@click.argument("source", type=FILE, metavar="FROM")
@directory
@click.option("--database", metavar="URL", help="The database, as for `koth hill init` (default: SQLite in DIR).")
@json_option()
@sets_up
@runs("hill_backup.read_backup")
def restore() -> None:
    """Make a new hill in the folder DIR from the backup FROM, in SQLite or in another database."""


@hill_group.command("migrate", short_help="Bring a hill of an earlier koth up to this one, after a backup.")
@directory
@json_option()
@sets_up
@runs("hill_backup.migrate_tables")
def migrate() -> None:
    """Migrate the database of the hill in DIR, made by an earlier koth, to this koth. Stop its site before.

    A backup is written first, in DIR/backups: the earlier koth can restore it.
    """
