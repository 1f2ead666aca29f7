"""Commands of whoever writes a bot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from koth.cli.commands.group import cli
from koth.cli.completion import bots, games
from koth.cli.options import (
    FILE,
    SEED,
    Seed,
    host_options,
    isolation_option,
    jobs_option,
    match_option,
    page_options,
    rules_options,
)

if TYPE_CHECKING:
    from typing import Unpack

    from koth.cli.check import CheckOptions
    from koth.cli.compare import CompareOptions
    from koth.cli.debug import DebugOptions
    from koth.cli.dev import DevOptions


@cli.command("check", short_help="Try a bot before a contest, and say what is wrong with it.")
@click.argument("bot", metavar="BOT", shell_complete=bots)
@click.option("--game", shell_complete=games, help="Which game it plays (default: its manifest or imports tell).")
@rules_options
@click.option("--max-turns", type=click.IntRange(1, 100_000), help="Of each match (default: all that take seconds).")
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of each match.")
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    shell_complete=bots,
    help="Against these (default: samples of the game).",
)
@host_options
@isolation_option("it is")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def check_command(bot: str, game: str | None, **options: Unpack[CheckOptions]) -> NoReturn:
    """Play BOT alone and against samples, and say in plain words what it does wrong.

    For each kind of fault: where in the bot's own code, what it received, what it said, and an answer that would have
    been right. Of a bot that does not start nothing is said but why. The last line tells how much was tried.
    Exit code 0: no fault; 1: there were faults, or a rival did not come up; 2: it is no bot that could be tried.
    """
    from koth.cli.check import check

    check(bot, game, options)


@cli.command("compare", short_help="Say whether a bot is better than another one, and by how much.")
@click.argument("old", metavar="OLD", shell_complete=bots)
@click.argument("new", metavar="NEW", shell_complete=bots)
@click.option("--game", shell_complete=games, help="Which game they play (default: whose API they import).")
@click.option(
    "--against", multiple=True, metavar="BOT", shell_complete=bots, help="Against these (default: the game's field)."
)
@click.option("--matches", "-n", type=click.IntRange(1, 100_000), help="Most matches of each (default: 96 blocks).")
@click.option(
    "--margin", type=click.FloatRange(0), metavar="POINTS", help="Count so few points a match as no difference."
)
@rules_options
@click.option(
    "--max-turns", type=click.IntRange(1, 100_000), metavar="N", help="A trial: end every match after N turns."
)
@click.option("--seed", type=Seed(), help="What all dice follow from (default: a new one).")
@jobs_option
@click.option("--out", type=FILE, metavar="DIR", help="Keep both contests with their replays: DIR/old and DIR/new.")
@host_options
@isolation_option()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and nothing else, to stdout.")
def compare_command(old: str, new: str, game: str | None, **options: Unpack[CompareOptions]) -> NoReturn:
    """Play both bots on the same boards against the same rivals until it is clear whether NEW is better than OLD.

    OLD and NEW are bots as elsewhere, or commits of a git repository: `koth compare HEAD~1 .` compares the bot in
    this folder with its last commit. Exit code 0: NEW is better; 1: it is not (OLD is, both play alike on all boards,
    or no difference is larger than --margin); 3: no verdict.
    """
    from koth.cli.compare import compare

    compare((old, new), game, options)


@cli.command("dev", short_help="Play a match after each save, on a page that stays open.")
@click.argument("bot", metavar="BOT", shell_complete=bots)
@click.argument("against", nargs=-1, metavar="[OPPONENT...]", shell_complete=bots)
@click.option("--game", shell_complete=games, help="Which game it plays (default: its manifest or imports tell).")
@rules_options
@click.option("--max-turns", type=click.IntRange(1, 100_000), help="Of each match (default: all).")
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of each match.")
@host_options
@isolation_option("bots are")
@page_options
def dev_command(bot: str, against: tuple[str, ...], game: str | None, **options: Unpack[DevOptions]) -> None:
    """Play BOT against OPPONENTs (default: samples of the game), again whenever one of its files is saved.

    A page shows the match; after a save it shows the new one at the same turn, with the same dice, and beside it what
    was wrong: what a build printed, faults, stderr. The terminal says the same. Ctrl-C ends it.
    """
    from koth.cli.dev import dev

    dev(bot, against, game, options)


@cli.command("why", short_help="Say why bots failed in a run.")
@click.argument("run", type=FILE, metavar="RUN")
@click.argument("bot", required=False)
@click.option("--details", "-d", is_flag=True, help="Each fault with the messages around it.")
@match_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list: the first fault of each kind and match.")
def why_command(run: Path, bot: str | None, details: bool, match: int | None, as_json: bool) -> None:
    """Say why bots failed in the run in the folder RUN: a line per bot and kind of fault.

    With --details, the first fault of each kind: what the bot received and said, the end of its stderr, how
    its process ended, the time it took, and the command that plays this moment again.
    """
    from koth.cli.why import why

    why(run, bot, details, match, as_json)


@cli.command("debug", short_help="Start a bot of a replay again and go through it step by step.")
@click.argument("replay", type=FILE, metavar="REPLAY")
@click.option("--bot", required=True, metavar="NAME", help="Which bot of the match.")
@click.option("--turn", type=click.IntRange(0), required=True, help="Stop when so many turns have been played.")
@click.option("--from", "source", type=FILE, metavar="BOT", help="Its folder, if moved.")
@click.option("--body", type=click.IntRange(0), metavar="N", help="Show the board through the eyes of this body.")
@click.option("--steps", type=click.IntRange(1), default=1, show_default=True, help="Questions to show from there.")
@click.option(
    "--debugger", is_flag=False, flag_value="auto", metavar="[NAME]", help="debugpy, jdb, node inspect or gdb."
)
@click.option("--port", type=click.IntRange(1, 65535), help="Where the debugger listens (default: its own).")
@host_options
@isolation_option("it is")
def debug_command(replay: Path, bot: str, turn: int, **options: Unpack[DebugOptions]) -> None:
    """Start a bot of REPLAY again, feed it what it received up to a turn, and compare its answers.

    At the turn the board is shown from its eyes, with what it receives and answers; in a terminal it goes on
    step by step from there. With --debugger it waits for yours before it is asked. No clock runs.
    """
    from koth.cli.debug import debug

    debug(replay, bot, turn, options)


@cli.command("logs", short_help="Write a bot's own log of a run, for its author.")
@click.argument("run", type=FILE, metavar="RUN")
@click.argument("bot")
@click.option("--out", type=FILE, metavar="FILE", help="The file (default: RUN/logs/BOT.zip).")
@match_option
def logs_command(run: Path, bot: str, out: Path | None, match: int | None) -> None:
    """Write what BOT received, answered and printed in the matches of RUN into one file for its author.

    Nothing that only its rivals saw is in it.
    """
    from koth.cli.logs import logs

    logs(run, bot, out, match)
