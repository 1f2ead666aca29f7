"""Commands for hosts of contests."""

from __future__ import annotations

import click

from koth.cli.commands.group import HOSTS, cli, runs
from koth.cli.commands.options import BOT, FILE, json_option, takes, view_option
from koth.services.options import PlayingOptions, RunOptions, StandingsOptions


@cli.command("run", section=HOSTS, short_help="Play a contest, rank bots.")
@click.argument("game", required=False)
@click.argument("bots", nargs=-1, metavar="[BOT]...", type=BOT)
@view_option
@json_option("Print the results as one JSON object, and nothing else, to stdout.")
@takes(RunOptions)
@runs("run.run")
def run() -> None:
    """Run a contest of GAME between BOTs and print its standings.

    A BOT is a folder, a file, a zip, a folder of bots, or @NAME for a sample (see `koth list GAME`); BOT#ENTRY picks
    one of several bots in a file, NAME=BOT gives a bot another name. Without a BOT the game's default entrants play.
    In a terminal, koth asks before it plays only one bot. The variables KOTH_INTERPRETERS and KOTH_ALLOW_READ let
    bots use more of this machine (`koth docs host`).

    Exit code 3: some matches could not be played, or two reports of one disagree.
    """


@cli.command("resume", section=HOSTS, short_help="Go on, or play more.")
@click.argument("folder", metavar="RUN", type=FILE)
@click.argument("bots", nargs=-1, metavar="[BOT]...", type=BOT)
@view_option
@json_option("Print the results as one JSON object, and nothing else, to stdout.")
@takes(PlayingOptions)
@runs("run.resume")
def resume() -> None:
    """Play the missing matches of the contest in the folder RUN, with its rules, seed and time limits.

    A BOT joins the contest, or replaces the bot of the same name. --exclude removes bots. An earlier match counts as
    long as all its bots stay unchanged. If all bots play in each match, start a new run instead: no earlier match
    would count.

    Exit code 3: some matches could not be played, or two reports of one disagree.
    """


@cli.command("warm", section=HOSTS, short_help="Compile games ahead.")
@click.argument("names", nargs=-1, metavar="[GAME]...")
@runs("warm.warm")
def warm() -> None:
    """Compile the rules of GAMEs (default: all that `koth list` lists), and the code that hosts need.

    Otherwise a game's first match on a machine compiles its rules: run `koth warm` in an image, in CI and on the
    nodes of a cluster. The code is in the user's cache (`KOTH_CACHE_DIR` moves the cache), for this processor and
    these versions.
    """


@cli.command("standings", section=HOSTS, short_help="Print the standings.")
@click.argument("run", metavar="RUN|HILL")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "json", "markdown"]),
    help="Print the standings in this format instead.",
)
@click.option("--explain", is_flag=True, help="Explain the table's columns below the table.")
@takes(StandingsOptions)
@runs("standings.print_standings")
def standings() -> None:
    """Print the standings of a contest, finished or not, and how often each bot beat every other bot.

    RUN is the folder of a contest. HILL is the folder of a hill, the address of its site, or one of the hill's
    seasons, such as DIR/seasons/2: the standings are the hill's own, of the versions that play (after a season's end,
    of those that played then).
    """


@cli.command("verify", section=HOSTS, short_help="Compute matches again.")
@click.argument("path", metavar="REPLAY|RUN|HILL")
@json_option()
@runs("verify.print_verification")
def verify() -> None:
    """Record a replay's match again from its key, answers and faults, and compare the two records.

    For a run or a season of a hill (DIR, DIR/seasons/2, or an address), compare every replay, also with its digest,
    the results on record, and the secret behind the commitment.

    Exit code 0: everything agrees; 1: differences are printed.
    """


@cli.command("doctor", section=HOSTS, short_help="Show how bots are confined.")
@json_option()
@runs("doctor.doctor")
def doctor() -> None:
    """Try every level of isolation on this machine and show what each level prevents bots from doing.

    The levels, from the weakest: none, limits, partial, strong, strong+cgroup. `koth run` uses the strongest that
    works; bots of strangers need strong.
    """
