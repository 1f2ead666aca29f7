"""The command line. Each command lives in a module of its own and is imported when it is used."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from koth import __version__
from koth.errors import KothError, choices, visible

COMMANDS = {
    "run": ("koth.cli.run", "Run a contest and print its standings."),
    "view": ("koth.cli.look", "Watch a replay, or a run's matches, in the browser."),
    "watch": ("koth.cli.look", "Watch a replay in the terminal."),
    "play": ("koth.cli.play", "Play against bots yourself, in the browser."),
    "export": ("koth.cli.export", "Write a replay as one file: a page that plays offline, a GIF, an MP4."),
    "verify": ("koth.cli.look", "Play a replay's match again and compare every turn."),
    "doctor": ("koth.cli.doctor", "Show how bots are kept apart here, and what would do it better."),
    "check": ("koth.cli.check", "Try a bot before a contest, and say what is wrong with it."),
    "why": ("koth.cli.why", "Say why bots failed in a run."),
    "debug": ("koth.cli.debug", "Start a bot of a replay again and go through it step by step."),
    "logs": ("koth.cli.why", "Write a bot's own log of a run, for its author."),
    "games": ("koth.cli.lists", "List the games."),
    "bots": ("koth.cli.lists", "List a game's sample bots."),
    "new": ("koth.cli.new", "Make a new bot that plays at once."),
    "sdk": ("koth.cli.sdk", "Write the JVM games' API for an author's IDE."),
}
"""Module and one line of help by command."""


class _Commands(click.Group):
    """Commands by name, imported late: `koth --help` must not wait for compilers."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(COMMANDS[cmd_name][0]), f"{cmd_name}_command")
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise click.UsageError(f"there is no command {args[0]!r}{choices(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="koth")
def cli() -> None:
    """An arena for king-of-the-hill bot contests."""


def main() -> None:
    """The program `koth`. Mistakes end with one line on stderr and exit code 2."""
    try:
        code = cli.main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.ClickException as error:
        click.echo(f"koth: {visible(' '.join(error.format_message().split()))}", err=True)
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except KothError as error:
        click.echo(f"koth: {visible(str(error).expandtabs(4), keep=chr(10))}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it once more at its end
        sys.exit(0)
