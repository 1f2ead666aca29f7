"""Commands by which a host runs a hill, and authors send bots to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any

import click

from koth.cli.commands.group import Commands, runs
from koth.cli.commands.options import BOT, FILE, takes
from koth_hill.options import HillRunOptions, InitOptions, InviteOptions, SeasonOptions, SubmitOptions


class Folder(click.Path):
    """The type of an argument: the folder of a hill."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; refuse the address of a site."""
        from koth.remote.site import is_address

        if is_address(str(value)):
            self.fail(f"{value} is a site: name the hill's folder, on the site's machine", param, ctx)
        return super().convert(value, param, ctx)


directory = click.argument("folder", type=Folder(path_type=Path), metavar="DIR")


def in_hill(command: Callable[..., Any], accepts_earlier: bool = False) -> Callable[..., Any]:
    """Add the argument DIR; the command gets the opened hill of this folder as `hill`."""

    @wraps(command)
    def call(folder: Path, **given: Any) -> Any:
        from koth_hill.connection import open_hill

        with open_hill(folder, accepts_earlier=accepts_earlier) as hill:
            return command(hill=hill, **given)

    return directory(call)


@click.group("hill", cls=Commands, short_help="Run a permanent contest.")
def hill_group() -> None:
    """Run a hill: a permanent contest, in the folder DIR.

    Authors submit bots and new versions of them at any time: each version is checked, and plays from then on. `koth
    docs hill` explains it.
    """


@hill_group.command("init", short_help="Make a new hill.")
@click.argument("game")
@directory
@takes(InitOptions)
@runs("koth_hill.cli.making.init")
def init() -> None:
    """Make a hill for GAME in the folder DIR: a database, replays, and the commitment of its first season."""


@hill_group.command("submit", short_help="Put a bot, or a new version of one, into a hill's folder.")
@in_hill
@click.argument("word", metavar="BOT", type=BOT)
@takes(SubmitOptions, "isolation")
@runs("koth_hill.cli.making.submit")
def submit() -> None:
    """Put BOT into the hill in the folder DIR: a folder, a file, a zip or @NAME; NAME=BOT gives it another name.

    A bot with the name of an earlier bot of its author is a new version, which replaces the earlier one after its
    check. Authors send bots to the site of a hill with `koth submit`.
    """


@hill_group.command("invite", short_help="Make authors, and print for each a link to set a password.")
@in_hill
@click.argument("names", nargs=-1, metavar="[NAME]...")
@takes(InviteOptions)
@runs("koth_hill.cli.invite.invite")
def invite() -> None:
    """Make an account for each author NAME, and print a link or code that sets a password once, within two weeks.

    A NAME with an account gets a link or code for a new password. If one NAME is refused, no account is made.
    """


@hill_group.command("run", short_help="Check new versions and play matches, until Ctrl-C.")
@in_hill
@takes(HillRunOptions, "knockout", "skip_broken", "exclude")
@runs("koth_hill.cli.run.run")
def run() -> None:
    """Check new versions and play matches: first of new versions, then of neighbours in the standings, then of all
    evenly.

    Ctrl-C and SIGTERM end the runner; finished matches are on record, and the next `koth hill run` continues. With
    --matches the runner also ends when nothing is left to play.
    """


@hill_group.command("serve", short_help="Serve the site of a hill.")
@directory
@click.option(
    "--url",
    metavar="URL",
    help="The address by which people reach the site, https://NAME behind a proxy "
    "(default: http://127.0.0.1 and the port).",
)
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="The port to listen on (default: a free one).",
)
@click.option(
    "--proxy",
    metavar="ADDRESS",
    help="The TLS proxy's address: the site trusts its headers about visitors (default with https: 127.0.0.1).",
)
@click.option("--plain-http", is_flag=True, help="Accept that passwords can be read on the network.")
def serve_command(
    folder: Path,
    url: str | None,
    host: str,
    port: int,
    proxy: str | None,
    plain_http: bool,
) -> None:
    """Serve the site of the hill in DIR until Ctrl-C: everybody can watch, authors send bots, the host moderates.

    The site plays nothing: run `koth hill run DIR`, too. While no host has an account, the command prints a link that
    makes the first host's account; `koth hill invite --host` makes more.
    """
    from koth.viewer.server import print_address
    from koth_hill.site.serve import SiteAddress, serve

    serve(folder, SiteAddress(url, host, port, proxy, plain_http), print_address)


@hill_group.command("season", short_help="Open, close, freeze, finish or publish a season.")
@in_hill
@click.argument("step", type=click.Choice(["open", "close", "freeze", "unfreeze", "final", "end", "publish"]))
@takes(SeasonOptions)
@runs("koth_hill.cli.season.season")
def season() -> None:
    """Move the season to its next step.

    open begins the next season after the last one was published, and prints the commitment to the new secret. close
    sets the time after which no bot is accepted; freeze refuses all bots from now on, and unfreeze takes that back.
    final begins matches between the current versions, as many for each, which the runner plays; their dice follow
    from the season's secret and the bots' digests. end stops a final before all matches are played. publish ends the
    season and reveals the secret: `koth verify DIR/seasons/N/final` proves the final.
    """


@hill_group.command("backup", short_help="Write a backup of a hill into a new folder.")
@in_hill
@click.argument("to", type=FILE, metavar="TO")
@runs("koth_hill.cli.backup.write_backup")
def backup() -> None:
    """Write the database, the record, and the files of the matches of the hill in DIR to the new folder TO.

    The runner and the site may go on meanwhile. A database of PostgreSQL is left out: run pg_dump before. The backup
    has the secrets of seasons that are not published: show it to nobody. To go back to a backup, stop the runner and
    the site, move the hill's folder away, and copy the backup there.
    """


@hill_group.command("migrate", short_help="Convert a hill of an earlier koth to this koth.")
@partial(in_hill, accepts_earlier=True)
@runs("koth_hill.cli.backup.migrate_tables")
def migrate() -> None:
    """Convert the database of the hill in DIR, made by an earlier koth, to this koth. Stop runner and site before.

    First `koth hill migrate` copies the database, in DIR; a database of PostgreSQL is for its host to dump.
    """
