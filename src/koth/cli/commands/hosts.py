"""Commands of whoever runs a contest."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import click

from koth.cli.commands.group import cli
from koth.cli.commands.options import (
    COUNT,
    FILE,
    Seed,
    contest_options,
    host_options,
    isolation_option,
    jobs_option,
    json_option,
    max_turns_option,
    options_of,
    replays_option,
    rules_options,
    start_timeout_option,
    subprocesses_option,
    tls_options,
)
from koth.cli.completion import bots, games
from koth.errors import KothError


@cli.command("run", short_help="Run a contest and print its standings.")
@click.argument("game", required=False, shell_complete=games)
@click.argument("bots", nargs=-1, metavar="[BOT]...", shell_complete=bots)
@click.option(
    "--matches", "-n", type=COUNT, metavar="N", help="Matches that each bot plays (default: as the game says)."
)
@click.option(
    "--until",
    metavar="GOAL",
    help="Stop early: settled (when all ranks are) or top=3 (when the first three are); --matches is the most.",
)
@click.option("--seats", type=COUNT, metavar="N", help="How many bots play in one match (default: as the game says).")
@click.option(
    "--round-robin",
    type=COUNT,
    metavar="N",
    help="Let every two bots meet at N tables of two, each played from both seats where seats differ.",
)
@click.option(
    "--seed",
    type=Seed(),
    metavar="SEED",
    help="Repeat the contest of this seed: a number or 32 hex digits that all dice follow from (default: a new one).",
)
@click.option(
    "--seeds",
    type=click.Choice(["shared", "independent"]),
    help="Dice of matches in which the same bots change seats: shared or independent (default: independent with "
    "--untrusted, because bots can remember dice, else shared).",
)
@rules_options
@max_turns_option
@click.option(
    "--move-time",
    type=click.FloatRange(0.001, 600),
    metavar="SECONDS",
    help="Time of a bot for each move; more comes out of its bank for the match (default: as the game says).",
)
@start_timeout_option
@click.option("--freeze", is_flag=True, help="Suspend bots while they are not asked, so that they can't think ahead.")
@click.option("--out", type=FILE, metavar="DIR", help="The run's folder (default: runs/GAME-TIME).")
@replays_option
@contest_options
def run_command(
    game: str | None, bots: tuple[str, ...], as_json: bool, view: bool, no_open: bool, **options: Any
) -> None:
    """Run a contest of GAME between BOTs and print its standings.

    A BOT is a folder, a file, a zip, a folder of bots, or @NAME for a sample (see `koth list GAME`); BOT#ENTRY picks
    one of several there, NAME=BOT gives it another name. Without a BOT the game's default entrants play.

    Exit code 3: some matches could not be played, or two reports of one disagree.
    """
    from koth.cli.run import run
    from koth.services.options import RunOptions

    if game is None:
        raise KothError("which game? `koth list` lists them; then: koth run GAME")
    run(game, bots, options_of(RunOptions, options), as_json, view, no_open)


@cli.command("resume", short_help="Go on with an interrupted contest, with more matches or other bots.")
@click.argument("run", type=FILE)
@click.argument("bots", nargs=-1, metavar="[BOT]...", shell_complete=bots)
@click.option(
    "--matches", "-n", type=COUNT, metavar="N", help="Matches that each bot plays: as many as now, or more."
)
@click.option(
    "--new-standings",
    is_flag=True,
    help="Go on, without a question, where no earlier match counts any more: all bots play in each, and they change.",
)
@contest_options
def resume_command(
    run: Path, bots: tuple[str, ...], as_json: bool, view: bool, no_open: bool, **options: Any
) -> None:
    """Play what is missing of the contest in the folder RUN, by its own rules, seed and clocks.

    A BOT joins the contest; one with the name of a bot that plays already is its new version. --exclude takes bots
    out. Earlier matches whose bots all stay as they are go on counting; where all bots play in each match, none does.

    Exit code 3: some matches could not be played, or two reports of one disagree.
    """
    from koth.cli.run import resume
    from koth.services.options import ResumeOptions

    resume(run, bots, options_of(ResumeOptions, options), as_json, view, no_open)


@cli.command("warm", short_help="Compile the rules of games ahead of their first match.")
@click.argument("names", nargs=-1, metavar="[GAME]...", shell_complete=games)
def warm_command(names: tuple[str, ...]) -> None:
    """Compile the rules of GAMEs (default: all that `koth list` lists), and what hosting them needs.

    A game's first match on a machine compiles them otherwise: say this in an image, in CI and on the nodes of a
    cluster. The code lies in the user's cache (`KOTH_CACHE_DIR` moves it), for this processor and these versions.
    """
    from koth.cli.warm import warm

    warm(names)


@cli.command("worker", short_help="Offer this machine to a cluster that plays contests.")
@click.argument("address")
@jobs_option
@click.option(
    "--listen",
    metavar="ADDRESS",
    help="Where this worker listens (default: the address of this machine that reaches the scheduler).",
)
@tls_options
@isolation_option()
@subprocesses_option
@host_options
def worker_command(address: str, **options: Any) -> None:
    """Join the Dask scheduler at ADDRESS and play matches for the contests there, until Ctrl-C.

    Use tls://HOST:PORT. tcp://127.0.0.1:PORT is for a machine that only you use: it lets every user of the machine
    run programs as you. Bots come by digest and are built and isolated here; a contest of another version of koth, or
    one that asks for stronger isolation than there is here, is not played.
    """
    from koth.cli.terminal import Terminal
    from koth.services.cluster import WorkerOptions, join_cluster

    join_cluster(address, options_of(WorkerOptions, options), Terminal())


@cli.command("standings", short_help="Print the standings of a contest, as a table, CSV, JSON or Markdown.")
@click.argument("run", metavar="RUN|HILL")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json", "markdown"]),
    default="table",
    show_default=True,
    help="What to print; csv has the bots alone, json every two of them head to head, too.",
)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option(
    "--published",
    type=FILE,
    metavar="TABLE.csv",
    help="Compare with the table of an earlier contest (columns bot, score).",
)
@click.option("--explain", is_flag=True, help="Print below the table what its columns mean.")
def standings_command(run: str, form: str, published: Path | None, explain: bool) -> None:
    """Print the standings of a contest, over or not, and which bot beat which how often.

    RUN is the folder of a contest. HILL is the folder of a hill, the address of its site, or a season of either, such
    as DIR/seasons/2: its bots count by the newest versions that have played.
    """
    from koth.cli.standings import print_standings

    print_standings(run, form, published, explain)


@cli.command("verify", short_help="Record a replay's match again, or a whole contest's, and compare everything.")
@click.argument("path", metavar="REPLAY|RUN|HILL")
@click.option(
    "--timeout",
    type=click.FloatRange(0.001, 1e6),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="Give up a match that takes longer to compute: a forged replay may take for ever.",
)
@json_option()
def verify_command(path: str, timeout: float, as_json: bool) -> NoReturn:
    """Record a replay's match again from its key, answers and faults, and compare the two records.

    Of a run, or a season of a hill (DIR, DIR/seasons/2, or its address), every replay is compared, also with the
    digest that was taken when it was written, with what is on record, and with the secret that was committed to.

    Exit code 0: everything agrees; 1: what differs is printed.
    """
    from koth.cli.verify import print_verification

    print_verification(path, as_json, timeout)


@cli.command("doctor", short_help="Show how bots are isolated on this machine, and what would do it better.")
@json_option()
def doctor_command(as_json: bool) -> None:
    """Try every level of isolation on this machine and show what each keeps from bots.

    The levels, from the weakest: none, limits, partial, strong, strong+cgroup. `koth run` takes the strongest that
    works; strangers' bots need strong.
    """
    from koth.cli.doctor import doctor

    doctor(as_json)
