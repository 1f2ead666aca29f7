"""Commands of whoever runs a contest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from click.core import ParameterSource

from koth.cli.commands.group import cli
from koth.cli.completion import bots, games
from koth.cli.options import (
    FILE,
    Seed,
    exclude_option,
    host_options,
    isolation_option,
    jobs_option,
    processes_option,
    rules_options,
    tls_options,
)
from koth.errors import KothError

if TYPE_CHECKING:
    from typing import Unpack

    from koth.cli.cluster import WorkerOptions
    from koth.cli.run import RunOptions

OF_A_RESUME = {"resume", "jobs", "as_json", "isolation", "strangers", "processes", "watch", "no_open"}
OF_A_RESUME |= {"interpreters", "paths", "frege", "cluster", "tls_ca_file", "tls_cert", "tls_key", "same_speed"}
OF_A_RESUME |= {"game", "bots", "games", "exclude", "skip_broken"}
"""What may be said when a run is gone on with."""


@cli.command("run", short_help="Run a contest and print its standings.")
@click.argument("game", required=False, shell_complete=games)
@click.argument("bots", nargs=-1, metavar="[BOT]...", shell_complete=bots)
@click.option(
    "--matches",
    "-n",
    type=click.IntRange(1, 100_000),
    help="Matches that a bot plays, at least (default: as the statement says).",
)
@click.option(
    "--seed", type=Seed(), help="A number, or 32 hex digits, that all dice follow from (default: a new one)."
)
@click.option(
    "--replays",
    type=click.Choice(["all", "answers", "none"]),
    default="all",
    show_default=True,
    help="What replays hold; frames can be made again from answers.",
)
@click.option("--timings", is_flag=True, help="Put the time of each question on record, too.")
@click.option("--seats", type=click.IntRange(1, 100_000), metavar="N", help="Seats of a match (default: as stated).")
@click.option(
    "--seeds",
    type=click.Choice(["shared", "independent"]),
    default="shared",
    show_default=True,
    help="Whether the matches of one table share their dice.",
)
@click.option(
    "--max-turns", type=click.IntRange(1, 100_000), metavar="N", help="A trial: end every match after N turns."
)
@click.option("--until", metavar="GOAL", help="Stop when it is settled, or top=3 is; --matches is the most.")
@rules_options
@jobs_option
@click.option("--cluster", metavar="ADDRESS", help="Have them played by the workers of this Dask scheduler.")
@tls_options
@click.option(
    "--same-speed",
    type=click.FloatRange(1.0),
    metavar="FACTOR",
    help="Refuse machines that are faster or slower by more than this (1.2).",
)
@click.option("--out", type=FILE, help="The run's folder (default: runs/GAME-TIME).")
@click.option("--resume", type=FILE, metavar="DIR", help="Go on with an interrupted run.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and nothing else, to stdout.")
@click.option("--watch", is_flag=True, help="Open a page that shows the contest while it runs.")
@click.option("--no-open", is_flag=True, help="With --watch: print the page's address, do not open a browser.")
@click.option("--skip-broken", is_flag=True, help="Go on without bots that can't be started.")
@exclude_option
@host_options
@isolation_option()
@click.option(
    "--strangers", is_flag=True, help="Refuse to run below isolation strong, or with a seed that can be guessed."
)
@processes_option
@click.option("--start-timeout", type=click.FloatRange(0.01, 600), metavar="SECONDS", help="To start (default: 10).")
@click.option("--freeze", is_flag=True, help="Stop bots while they are not asked.")
@click.option(
    "--move-time", type=click.FloatRange(0.001, 600), metavar="SECONDS", help="For a question (default: 1)."
)
@click.pass_context
def run_command(
    ctx: click.Context, /, game: str | None, bots: tuple[str, ...], **options: Unpack[RunOptions]
) -> None:
    """Run a contest of GAME between BOTs and print its standings.

    A BOT is a folder, a file, a zip, a folder of bots, or @NAME for a sample (see `koth bots`); BOT#ENTRY picks
    one of several there, NAME=BOT gives it another name. Without a BOT the game's default field plays.
    """
    from koth.cli.resume import resume
    from koth.cli.run import start

    if options["watch"]:
        from koth.viewer.server import need_web

        need_web()
    elsewhere = None
    if options["cluster"] is not None:
        from koth.cli.cluster import crew_of

        elsewhere = crew_of(options["cluster"], options)
    folder = options["resume"]
    if folder is not None:
        given = {name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        if given - OF_A_RESUME:
            also = (
                "--matches, --exclude, --skip-broken, --jobs, --cluster, --same-speed, --json, --watch, --isolation"
            )
            also += ", --strangers, --allow-subprocesses, --interpreter"
            text = "--resume takes the contest as it was started, and BOTs that join it or are new versions"
            raise KothError(f"{text}; only {also}, --allow-read and --frege go with it")
        resume(folder, [word for word in (game, *bots) if word is not None], options, elsewhere)
    elif game is None:
        raise KothError("which game? `koth games` lists them; then: koth run GAME")
    else:
        start(game, bots, options, elsewhere)


@cli.command("worker", short_help="Offer this machine to a cluster that plays contests.")
@click.argument("address")
@jobs_option
@click.option(
    "--listen",
    metavar="ADDRESS",
    help="Where this worker listens (default: the address of this machine that reaches the scheduler).",
)
@tls_options
@host_options
@isolation_option()
@processes_option
def worker_command(address: str, **options: Unpack[WorkerOptions]) -> None:
    """Join the Dask scheduler at ADDRESS and play matches for the contests there, until Ctrl-C.

    Use tls://HOST:PORT. tcp://127.0.0.1:PORT is for a machine that only you use: it lets every user of the machine
    run programs as you. Bots come by digest and are built and kept apart here; a contest of another koth, or that
    asks for stronger isolation than there is here, is not played.
    """
    from koth.cli.cluster import work

    work(address, options)


@cli.command("standings", short_help="Print the standings of a run, as a table, CSV, JSON or Markdown.")
@click.argument("run", type=FILE)
@click.option("--csv", is_flag=True, help="Print comma-separated values.")
@click.option("--json", is_flag=True, help="Print one JSON object, with every two bots head to head.")
@click.option("--markdown", is_flag=True, help="Print tables for a page or a post.")
@click.option(
    "--against", type=FILE, metavar="TABLE.csv", help="Compare with a published table (columns bot, score)."
)
def standings_command(run: Path, against: Path | None, **forms: bool) -> None:
    """Print the standings of RUN (the folder of a contest, over or not), and who beat whom how often."""
    from koth.cli.standings import standings_of

    wanted = [form for form, is_wanted in forms.items() if is_wanted]
    if len(wanted) > 1:
        raise KothError(f"{' and '.join(f'--{form}' for form in wanted)} are different forms; choose one")
    standings_of(run, wanted[0] if wanted else "table", against)


@cli.command("verify", short_help="Record a replay's match again, or a whole run's, and compare everything.")
@click.argument("path", type=FILE, metavar="REPLAY|RUN")
@click.option(
    "--seconds",
    type=click.FloatRange(0.001, 1e6),
    help="What a match may take to compute (default: 600): it may have been made to take for ever.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def verify_command(path: Path, seconds: float | None, as_json: bool) -> NoReturn:
    """Record a replay's match again from its key, answers and faults, and compare all that it tells.

    Of a run every replay is compared, also with the digest that was taken when it was written, with what the run
    has on record, and with the secret that the run was committed to.

    Exit code 0: all agrees; 1: what differs is printed.
    """
    from koth.cli.verify import verify

    verify(path, as_json, seconds)


@cli.command("doctor", short_help="Show how bots are kept apart here, and what would do it better.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor_command(as_json: bool) -> None:
    """Try every level of isolation here and show what each keeps from bots.

    The levels, from the weakest: none, limits, partial, strong, strong+cgroup. `koth run` takes the strongest
    that can be had; strangers' bots need strong.
    """
    from koth.cli.doctor import doctor

    doctor(as_json)
