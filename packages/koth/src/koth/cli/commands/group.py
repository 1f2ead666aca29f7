"""The group of all commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any

import click

from koth import __version__
from koth.cli.commands import packages
from koth.cli.exit_codes import MEANINGS
from koth.errors import KothError, choices


class Commands(click.Group):
    """A group that lists commands in the order in which people need them; for an unknown command the error lists
    them.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise click.UsageError(f"there is no command {args[0]!r}{choices(args[0], self.commands)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_commands(self.commands, formatter)


def write_commands(commands: Mapping[str, click.Command], formatter: click.HelpFormatter) -> None:
    """Write the names and short texts of commands."""
    with formatter.section("Commands"):
        formatter.write_dl([(name, command.short_help or "") for name, command in commands.items()])


class _Koth(Commands):
    """The group of all commands, also of other packages; the group's help ends with the exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *packages.find_names()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command. Raises KothError for a command of a package that is missing or can't be loaded."""
        return super().get_command(ctx, name) or packages.load_command(name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        others = {name: packages.load_or_explain(name) for name in packages.find_names()}
        write_commands({**self.commands, **others}, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Raises GameError for an error in the code of an installed game, with its file and line."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:  # of a process or a connection: click would take it for stdout's, and exit 1
            raise RuntimeError("a process or a connection of koth has ended") from error
        except (click.ClickException, click.exceptions.Exit, click.Abort, KothError, OSError, MemoryError):
            raise
        except Exception as error:
            from koth.games import error_in_package  # koth --help waits for no NumPy

            if (of_game := error_in_package(error)) is not None:
                raise of_game from error
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in MEANINGS.items()])


def runs(place: str) -> Callable[[Callable[[], None]], Callable[..., Any]]:
    """Let a command call a function, which only that call imports: --help stays fast.

    `place` is MODULE.FUNCTION in `koth.cli`, or in another package of koth. The function gets the values of the
    command's options and arguments as keywords.
    """
    module, _, name = place.rpartition(".")

    def decorate(command: Callable[[], None]) -> Callable[..., Any]:
        @wraps(command)
        def call(**given: Any) -> Any:
            found = import_module(module if module.startswith("koth_") else f"koth.cli.{module}")
            return getattr(found, name)(**given)

        return call

    return decorate


@click.group(cls=_Koth, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="koth")
def cli() -> None:
    """An arena for king-of-the-hill bot contests."""
