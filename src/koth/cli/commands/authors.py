"""Commands of whoever writes a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import click

from koth.cli.commands.group import cli
from koth.cli.commands.options import (
    COUNT,
    FILE,
    SEED,
    Seed,
    host_options,
    isolation_option,
    jobs_option,
    json_option,
    match_option,
    max_turns_option,
    options_of,
    page_options,
    rules_options,
    start_timeout_option,
)
from koth.cli.completion import bots, games

if TYPE_CHECKING:
    from typing import Unpack

    from koth.cli.debug import DebugCommandOptions
    from koth.cli.why import WhyOptions

GAME = "The game to play (default: the bot's manifest or imports say which)."
SEED_1 = "Play the match of this seed: all dice follow from it."


@cli.command("check", short_help="Try a bot before a contest, and say what is wrong with it.")
@click.argument("bot", metavar="BOT", shell_complete=bots)
@click.option("--game", shell_complete=games, help=GAME)
@rules_options
@click.option("--max-turns", type=COUNT, metavar="N", help="End every match after N turns (default: after seconds).")
@click.option("--seed", type=SEED, default=1, show_default=True, help=SEED_1)
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    shell_complete=bots,
    help="A rival to play with; give it again for more (default: samples of the game).",
)
@start_timeout_option
@host_options
@isolation_option("the bot")
@json_option()
def check_command(bot: str, as_json: bool, **options: Any) -> NoReturn:
    """Play BOT alone and against samples, and say in plain words what it does wrong.

    For each kind of fault: where in the bot's own code, what it received, what it said, and an answer that would have
    been right. A bot that answers the same questions otherwise when it plays a match again with the same seed is
    reported, too. The last line says how much was tried.

    Exit code 0: no fault; 1: faults, or a rival that did not start; 2: BOT is nothing that can be tried.
    """
    from koth.cli.check import check
    from koth.services.options import CheckOptions

    check(bot, options_of(CheckOptions, options), as_json)


@cli.command("compare", short_help="Say whether a bot is better than another one, and by how much.")
@click.argument("old", metavar="OLD", shell_complete=bots)
@click.argument("new", metavar="NEW", shell_complete=bots)
@click.option("--game", shell_complete=games, help=GAME)
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    shell_complete=bots,
    help="A rival of both; give it again for more (default: the game's default entrants).",
)
@click.option(
    "--matches",
    "-n",
    type=COUNT,
    metavar="N",
    help="Stop after N matches of each bot, at the latest (default: 96 boards).",
)
@click.option(
    "--margin",
    type=click.FloatRange(0),
    metavar="POINTS",
    help="Count a difference of so many points per match as none.",
)
@rules_options
@max_turns_option
@click.option(
    "--seed",
    type=Seed(),
    metavar="SEED",
    help="Play the boards of this seed: all dice follow from it (default: a new one).",
)
@jobs_option
@click.option("--out", type=FILE, metavar="DIR", help="Keep both contests with their replays: DIR/old and DIR/new.")
@start_timeout_option
@host_options
@isolation_option()
@json_option("Print the verdict as one JSON object, and nothing else, to stdout.")
def compare_command(old: str, new: str, as_json: bool, **options: Any) -> NoReturn:
    """Play both bots on the same boards against the same rivals until it is clear whether NEW is better than OLD.

    OLD and NEW are bots as elsewhere, or commits of a git repository: `koth compare HEAD~1 .` compares the bot in
    this folder with its last commit.

    Exit code 0: NEW is better; 1: OLD is better; 3: no verdict; 4: no difference (both play alike on all boards, or
    no difference is larger than --margin).
    """
    from koth.cli.compare import compare
    from koth.services.options import CompareOptions

    compare(old, new, options_of(CompareOptions, options), as_json)


@cli.command("dev", short_help="Play a match after each save, on a page that stays open.")
@click.argument("bot", metavar="BOT", shell_complete=bots)
@click.argument("against", nargs=-1, metavar="[OPPONENT...]", shell_complete=bots)
@click.option("--game", shell_complete=games, help=GAME)
@rules_options
@max_turns_option
@click.option("--seed", type=SEED, default=1, show_default=True, help=SEED_1)
@start_timeout_option
@host_options
@isolation_option()
@page_options
def dev_command(bot: str, port: int, no_open: bool, **options: Any) -> None:
    """Play BOT against OPPONENTs (default: samples of the game), again whenever one of its files is saved.

    A page shows the match; after a save it shows the new one at the same turn, with the same dice, and beside it what
    was wrong: output of the build, faults, stderr. The terminal says the same. Ctrl-C ends it.
    """
    from koth.cli.dev import dev
    from koth.services.options import CheckOptions

    dev(bot, options_of(CheckOptions, options), port, not no_open)


@cli.command("why", short_help="Say why bots failed in a run; write a bot's log for its author.")
@click.argument("run", metavar="RUN|HILL")
@click.argument("bot", required=False)
@click.option("--details", "-d", is_flag=True, help="Show each fault with the messages around it.")
@click.option(
    "--bundle",
    type=FILE,
    metavar="FILE",
    help="Write a zip for BOT's author: all that BOT received, answered and printed, nothing of its rivals.",
)
@match_option
@json_option("Print a JSON list: the first fault of each kind and match.")
def why_command(run: str, bot: str | None, **options: Unpack[WhyOptions]) -> None:
    """Say why bots failed in the folder RUN, or in a season of HILL: a line per bot and kind of fault.

    HILL is the folder of a hill, the address of its site, or a season of either, such as DIR/seasons/2; a site
    with KOTH_TOKEN shows texts and logs of your own bots.

    With --details, the first fault of each kind: what the bot received and said, the end of its stderr, how
    its process ended, the time it took, and the command that plays this moment again.
    """
    from koth.cli.why import print_why

    print_why(run, bot, options)


@cli.command("debug", short_help="Start a bot of a replay again and go through it step by step.")
@click.argument("replay", metavar="REPLAY")
@click.option("--bot", required=True, metavar="NAME", help="The bot to start.")
@click.option(
    "--turn", type=click.IntRange(1), required=True, help="Stop at the questions of this turn; the first is 1."
)
@click.option("--source", type=FILE, metavar="BOT", help="Where the bot lies now (default: where the run found it).")
@click.option("--unit", type=click.IntRange(0), metavar="N", help="Show the board as this unit of the bot sees it.")
@click.option(
    "--steps", type=click.IntRange(1), default=1, show_default=True, help="How many questions to show from there on."
)
@click.option(
    "--debugger",
    is_flag=False,
    flag_value="auto",
    metavar="[NAME]",
    help="Wait for your debugger before the question: debugpy, jdb, node inspect or gdb (default: by language).",
)
@click.option("--port", type=click.IntRange(1, 65535), help="Where the debugger listens (default: its usual port).")
@host_options
@isolation_option("the bot")
def debug_command(replay: str, bot: str, turn: int, **options: Unpack[DebugCommandOptions]) -> None:
    """Start a bot of REPLAY again, send it what it received up to a turn, and compare its answers.

    REPLAY is a file, or a match of a hill: https://koth.example.org/matches/7 on its site, DIR/matches/7 in its
    folder.
    At the turn the board is shown as the bot sees it, with what it receives and answers; in a terminal it goes on
    step by step from there. No clock runs.
    """
    from koth.cli.debug import debug

    debug(replay, bot, turn, options)
