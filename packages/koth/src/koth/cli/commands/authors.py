"""Commands for authors of bots and games."""

from __future__ import annotations

import click

from koth.cli.commands.group import AUTHORS, cli, runs
from koth.cli.commands.options import BOT, FILE, json_option, port_option, takes
from koth.services.options import CheckOptions, CompareOptions, DebugOptions


@cli.command("new", section=AUTHORS, short_help="Make a bot that plays.")
@click.argument("game")
@click.argument("folder", type=FILE, metavar="DIR")
@click.option(
    "--lang",
    metavar="LANGUAGE",
    default="python",
    show_default=True,
    help="c++, go, java, javascript, python or rust.",
)
@runs("new.new")
def new() -> None:
    """Make the folder DIR with a bot for GAME that can play at once."""


@cli.command("check", section=AUTHORS, short_help="Try a bot, explain faults.")
@click.argument("bot", metavar="BOT", type=BOT)
@json_option()
@takes(CheckOptions)
@runs("check.check")
def check() -> None:
    """Play BOT alone and against samples, and explain its faults in plain words.

    For each kind of fault: the place in the bot's own code, the message it received, its answer, and a correct
    answer. `koth check` also reports a bot whose answers differ when a match is played again with the same seed. The
    last line says how much was tried.

    Exit code 0: no fault; 1: faults, or a rival that did not start; 2: BOT can't be tried.
    """


@cli.command("compare", section=AUTHORS, short_help="Say which bot is better.")
@click.argument("old", metavar="OLD", type=BOT)
@click.argument("new", metavar="NEW", type=BOT)
@json_option("Print the verdict as one JSON object, and nothing else, to stdout.")
@takes(CompareOptions)
@runs("compare.compare")
def compare() -> None:
    """Play both bots on the same boards against the same rivals until it is clear whether NEW is better than OLD.

    OLD and NEW are bots as for `koth run`, or commits of a git repository: `koth compare HEAD~1 .` compares the bot
    in this folder with its last commit.

    Exit code 0: NEW is better; 1: OLD is better; 3: no verdict; 4: no difference (both play alike on all boards, or
    no difference is larger than --margin).
    """


@cli.command("dev", section=AUTHORS, short_help="Play a match at each save.")
@click.argument("bot", metavar="BOT", type=BOT)
@port_option
@takes(CheckOptions)
@runs("dev.dev")
def dev() -> None:
    """Play BOT against samples of the game, or rivals, again whenever one of its files is saved.

    A page shows the match, the output of the build, faults and stderr; after a save it shows the new match, with the
    same dice, at the same turn. The terminal prints the same texts. Ctrl-C ends the command.
    """


@cli.command("submit", section=AUTHORS, short_help="Send a bot to a hill.")
@click.argument("bot", metavar="BOT", type=BOT)
@click.argument("site")
@click.option("--wait", is_flag=True, help="Wait until the bot is checked; exit code 1 if the site refuses it.")
@json_option()
@runs("submit.submit")
def submit() -> None:
    """Send BOT, a folder, a file or a zip, to the hill with the address SITE, such as https://koth.example.org.

    NAME=BOT gives the bot another name.

    The site needs your token in KOTH_TOKEN: the page of your account makes tokens. A bot with the name of an earlier
    bot is a new version, which replaces the earlier one after its check.
    """


@cli.command("why", section=AUTHORS, short_help="Say why bots failed.")
@click.argument("run", metavar="RUN|HILL")
@click.argument("bot", required=False)
@click.option("--details", "-d", is_flag=True, help="Show each fault with the messages around it.")
@click.option("--match", type=click.IntRange(1), metavar="N", help="Show match N only.")
@json_option("Print a JSON list: the first fault of each kind and match.")
@runs("why.why")
def why() -> None:
    """Show why bots failed in the folder RUN, or in a season of HILL: one line for each bot and kind of fault.

    HILL is the folder of a hill, the address of its site, or one of the hill's seasons, such as DIR/seasons/2. With
    KOTH_TOKEN, a site shows texts and logs of your own bots.

    --details shows the first fault of each kind: the bot's messages and answers, the end of its stderr, how its
    process ended, the time it took, and the command that plays this turn again.
    """


@cli.command("debug", section=AUTHORS, short_help="Repeat a match, stepwise.")
@click.argument("replay", metavar="REPLAY")
@takes(DebugOptions)
@runs("debug.debug")
def debug() -> None:
    """Start a bot of REPLAY again, send the bot all that it received up to a turn, and compare its answers.

    REPLAY is a file, or a match of a hill: https://koth.example.org/matches/7 on its site, DIR/matches/7 in its
    folder. At that turn the command shows the board as the bot sees it, the message and the answer; in a terminal you
    can go on step by step. The bot has a minute for each answer.
    """


@cli.command("new-game", section=AUTHORS, short_help="Make a game that plays.")
@click.argument("name")
@click.argument("folder", required=False, type=FILE, metavar="[DIR]")
@click.option(
    "--plain", is_flag=True, help="One match is a Python object: no arrays, no compiled code; slower to play."
)
@runs("new_game.new_game")
def new_game() -> None:
    """Make the folder DIR (default: koth-NAME) with a game NAME: a package that can be installed and published.

    The game can be played and viewed at once; its README.md has the next steps.
    """
