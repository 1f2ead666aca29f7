"""Commands that keep a hill, and with which authors send bots to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from koth.cli.commands.group import Commands, cli
from koth.cli.commands.options import (
    COUNT,
    FILE,
    Duration,
    cluster_options,
    host_options,
    isolation_option,
    jobs_option,
    json_option,
    pairs,
    replays_option,
    rules_options,
    subprocesses_option,
    untrusted_option,
)
from koth.cli.completion import bots, games

if TYPE_CHECKING:
    from typing import Unpack

    from koth.cli.hill import InitOptions, SubmitOptions
    from koth.cli.hill_invite import InviteOptions
    from koth.cli.hill_rounds import RoundsOptions
    from koth.cli.hill_run import HillRunOptions
    from koth.cli.hill_season import SeasonOptions
    from koth.hill.client import Site


class Target(click.ParamType["Path | Site"]):
    """A hill: its folder, or the address of its site."""

    name = "target"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path | Site:
        """Return the path, or the site."""
        from koth.hill.client import Site, is_address

        return Site(value) if is_address(value) else Path(value)


class Folder(click.Path):
    """The folder of a hill."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; refuse the address of a site."""
        from koth.hill.client import is_address

        if is_address(str(value)):
            self.fail(f"{value} is a site: this is done in the hill's folder, on the machine of the site", param, ctx)
        return super().convert(value, param, ctx)


directory = click.argument("folder", type=Folder(path_type=Path), metavar="DIR")
target_argument = click.argument("target", type=Target(), metavar="TARGET")
"""A hill's folder, or the address of its site."""
bot_name = click.argument("bot", metavar="BOT")


database_option = click.option(
    "--database",
    metavar="URL",
    help="postgresql://USER:PASSWORD@HOST/NAME, for several runners at once (default: SQLite in DIR).",
)


@cli.group("hill", cls=Commands, short_help="Run a permanent contest; authors submit new versions at any time.")
def hill_group() -> None:
    """Run a hill: a permanent contest, in the folder DIR. It needs the extra hill.

    Authors submit bots and new versions of them at any time: each version is checked, and plays from then on. `koth
    docs hill` explains it.
    """


@hill_group.command("init", short_help="Make a new hill.")
@click.argument("game", shell_complete=games)
@directory
@rules_options
@click.option("--seats", type=COUNT, metavar="N", help="How many bots play in one match (default: as the game says).")
@click.option(
    "--rank-by",
    type=click.Choice(("rating", "score")),
    help="Rank by rating, or by score where a match has no winner (default: as the game says).",
)
@database_option
@click.option("--matches-a-day", type=COUNT, metavar="N", help="Play so many matches in 24 hours at most.")
@click.option(
    "--hours-a-day",
    type=click.FloatRange(0, min_open=True),
    metavar="H",
    help="Let bots use so many hours of processor time in 24 hours at most.",
)
@replays_option
@click.option(
    "--keep-days", type=COUNT, metavar="N", help="Remove replays, stderr and notes of matches older than N days."
)
@json_option()
def init_command(game: str, folder: Path, **options: Unpack[InitOptions]) -> None:
    """Make a hill for GAME in the folder DIR: a database, replays, and the commitment of its first season."""
    from koth.hill.connection import set_up

    set_up()
    from koth.cli.hill import init

    init(game, folder, options)


@hill_group.command("submit", short_help="Send a bot, or a new version of one.")
@target_argument
@click.argument("bot", metavar="BOT", shell_complete=bots)
@click.option("--author", metavar="NAME", help="Whose bot it is; an author of that name is made (default: host).")
@click.option("--wait", is_flag=True, help="On a site: wait until it is checked; exit code 1 if it is refused.")
@host_options
@isolation_option("compilers")
@json_option()
def submit_command(target: Path | Site, bot: str, **options: Unpack[SubmitOptions]) -> None:
    """Send BOT to the hill TARGET: a folder, a file, a zip or @NAME; NAME=BOT gives it another name.

    TARGET is the hill's folder or the address of its site, which needs a token of yours in KOTH_TOKEN: the page of
    your account makes one. Under the name of a bot that is there already it is its new version, which takes its place
    once it is checked.
    """
    if not isinstance(target, Path):
        from koth.cli import hill_remote

        with hill_remote.understood(target):
            hill_remote.submit(target, bot, options)
    if options["wait"]:
        raise click.UsageError("--wait is for a site: in a folder koth hill run checks what was sent")
    from koth.hill.connection import opened

    with opened(target) as hill:
        from koth.cli.hill import submit

        submit(hill, bot, options)


@hill_group.command("invite", short_help="Make authors, and print a link for each to set a password.")
@directory
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--file", type=FILE, metavar="FILE", help="A text with names, one on each line.")
@click.option("--host", "is_host", is_flag=True, help="They may do what a host may.")
@click.option("--url", required=True, metavar="URL", help="The site's address, as `koth serve` is given it.")
@json_option("Print a JSON list.")
def invite_command(folder: Path, **options: Unpack[InviteOptions]) -> None:
    """Make an author of each NAME, and print the link with which they set a password: once, and within two weeks.

    A name that is there already gets a link to a new password. All names are taken, or none.
    """
    from koth.hill.connection import opened

    with opened(folder) as hill:
        from koth.cli.hill_invite import invite

        invite(hill, options)


@hill_group.command("run", short_help="Check new versions and play matches, until Ctrl-C.")
@directory
@click.option("--matches", "-n", type=COUNT, metavar="N", help="End after so many matches.")
@click.option("--for", "seconds", type=Duration(), metavar="TIME", help="End after this time: 90s, 30m, 12h or 7d.")
@jobs_option
@untrusted_option
@isolation_option()
@subprocesses_option
@host_options
@cluster_options
@json_option("Print how many matches were played as one JSON object, and nothing else, to stdout.")
def run_command(folder: Path, **options: Unpack[HillRunOptions]) -> None:
    """Check new versions and play matches: new versions first, then neighbours that are not settled, then all evenly.

    Ctrl-C and SIGTERM end it; what was played is on record, and the next `koth hill run` goes on. With --matches it
    ends, too, when there is nothing to play.
    """
    from koth.hill.connection import opened

    with opened(folder) as hill:
        from koth.cli.hill_run import run

        run(hill, options)


@hill_group.command("rounds", short_help="Let programs be authors: edit, play, read the logs, edit again.")
@directory
@click.option(
    "--author",
    "authors",
    multiple=True,
    metavar="NAME=COMMAND",
    help="An author, and the line of the shell that changes its bot in each round.",
)
@click.option("--rounds", "-r", type=COUNT, metavar="N", help="Play until so many rounds are over.")
@click.option("--matches", "-n", type=COUNT, metavar="N", help="Matches of a round (default: 20 for each author).")
@click.option("--timeout", type=Duration(), metavar="TIME", help="How long a command may take (default: 1h).")
@jobs_option
@untrusted_option
@isolation_option()
@subprocesses_option
@host_options
@cluster_options
@json_option("Print the curves and what came of each round as one JSON object, and nothing else, to stdout.")
def rounds_command(folder: Path, **options: Unpack[RoundsOptions]) -> None:
    """Let programs be authors, in rounds. In each, every author's COMMAND changes its bot; then the bots play.

    A COMMAND is a program of yours, such as a coding agent: it is NOT kept apart, and can do on this machine
    whatever you can. It runs in DIR/rounds/work/NAME, which has its bot (bot/) and what it should know (arena/): the
    rules, the guide, and of its last round the standings, why its bot failed, and its matches with replays and logs.
    What it leaves in bot/ is submitted, checked in the sandbox, and played. A command that fails or takes too long,
    and a bot that is refused, leave the last version in play.

    Ctrl-C, SIGTERM and even SIGKILL lose nothing: say --rounds again, without --author, and they go on. Without
    --rounds the rounds so far are shown; DIR/rounds/curves.html is their picture.
    """
    from koth.hill.connection import opened

    with opened(folder) as hill:
        from koth.cli.hill_rounds import rounds

        rounds(hill, options)


@hill_group.command("withdraw", short_help="Take a bot out of play.")
@directory
@bot_name
@json_option()
def withdraw_command(folder: Path, bot: str, as_json: bool) -> None:
    """Take BOT out of play. Its matches stay, and it may be submitted again."""
    from koth.hill.connection import opened

    with opened(folder):
        from koth.cli.hill import withdraw

        withdraw(bot, as_json)


@hill_group.command("suspend", short_help="Take a bot out of play for a reason.")
@directory
@bot_name
@click.option("--why", required=True, metavar="TEXT", help="The reason, for authors and for the record.")
@json_option("Print a JSON list.")
def suspend_command(folder: Path, bot: str, why: str, as_json: bool) -> None:
    """Take BOT out of play for a reason, which its author can read. A new version of it may be submitted."""
    from koth.hill.connection import opened

    with opened(folder):
        from koth.cli.hill import suspend

        suspend(bot, why, as_json)


@hill_group.command("check", short_help="Check a refused version again.")
@directory
@bot_name
@json_option()
def check_command(folder: Path, bot: str, as_json: bool) -> None:
    """Put the newest version of BOT, which was refused, into the queue of checks again: `koth hill run` checks it."""
    from koth.hill.connection import opened

    with opened(folder):
        from koth.cli.hill import check_again

        check_again(bot, as_json)


@hill_group.command("void", short_help="Take a match out of the standings.")
@directory
@click.argument("match", type=COUNT)
@click.option("--why", required=True, metavar="TEXT", help="The reason, for authors and for the record.")
@json_option()
def void_command(folder: Path, match: int, why: str, as_json: bool) -> None:
    """Take the match with the number MATCH out of ratings and scores. It stays on record, with the reason."""
    from koth.hill.connection import opened

    with opened(folder):
        from koth.cli.hill import void

        void(match, why, as_json)


@hill_group.command("season", short_help="Open, freeze, finish or publish a season.")
@directory
@click.argument("step", type=click.Choice(["open", "freeze", "final", "publish"]))
@click.option("--ruleset", metavar="NAME", help="open: which of the game's rulesets to play (default: as before).")
@click.option(
    "--set",
    "settings",
    multiple=True,
    callback=pairs,
    metavar="KEY=VALUE",
    help="open: change one constant of the rules.",
)
@click.option("--matches", "-n", type=COUNT, metavar="N", help="final: most matches of each bot.")
@jobs_option
@untrusted_option
@isolation_option()
@subprocesses_option
@host_options
@json_option("Print the season as one JSON object; of a final its results.")
def season_command(folder: Path, step: str, **options: Unpack[SeasonOptions]) -> None:
    """Take the season one step on.

    open begins the next season, once the last one is published, with a new secret, whose commitment is printed.
    freeze is the deadline: no bot is taken any more. final plays a contest between the bots that play then, until it
    is settled, in DIR/season-N; its dice follow from the season's secret, mixed with the digests of the bots. publish
    ends the season and reveals the secret: `koth verify DIR/season-N` proves the final on any machine.
    """
    from koth.hill.connection import opened

    with opened(folder) as hill:
        from koth.cli.hill_season import season

        season(hill, step, options)


@hill_group.command("backup", short_help="Write all of a hill into a new folder.")
@directory
@click.argument("to", type=FILE, metavar="TO")
@json_option()
def backup_command(folder: Path, to: Path, as_json: bool) -> None:
    """Write all that the hill in DIR has into the new folder TO: its database, replays and finals.

    A runner may go on meanwhile. The backup has the secrets of seasons that are not published: keep it to yourself.
    """
    from koth.hill.connection import opened

    with opened(folder) as hill:
        from koth.cli.hill_backup import write_backup

        write_backup(hill, to, as_json)


@hill_group.command("restore", short_help="Make a hill of a backup.")
@click.argument("source", type=FILE, metavar="FROM")
@directory
@database_option
@json_option()
def restore_command(source: Path, folder: Path, database: str | None, as_json: bool) -> None:
    """Make a new hill in the folder DIR of the backup FROM, in SQLite or in another database."""
    from koth.hill.connection import set_up

    set_up()
    from koth.cli.hill_backup import read_backup

    read_backup(source, folder, database, as_json)


@hill_group.command("migrate", short_help="Bring a hill of an earlier koth up to this one, after a backup.")
@directory
@click.option("--backup", "to", type=FILE, metavar="TO", help="The backup's new folder (default: in DIR/backups).")
@json_option()
def migrate_command(folder: Path, to: Path | None, as_json: bool) -> None:
    """Bring the tables of the hill in DIR, made by an earlier koth, up to those of this koth. Stop its site before.

    A backup is written first: the earlier koth can restore it.
    """
    from koth.hill.connection import opened

    with opened(folder, accepts_earlier=True) as hill:
        from koth.cli.hill_backup import bring_up

        bring_up(hill, to, as_json)
