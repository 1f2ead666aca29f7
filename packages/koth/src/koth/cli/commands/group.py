"""The group of all commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any

import click

from koth import __version__
from koth.cli.commands import packages
from koth.errors import KothError, choices
from koth.services.options import GROUPS

HOSTS, AUTHORS, LOOK = "Run a contest", "Write a bot or a game", "Look"
"""The sections of the list of commands."""
OTHERS = "Hills, studies, clusters, other packages"
"""The section of the commands that other packages bring."""
START = (
    ("koth list", "List the games."),
    ("koth run GAME --view", "Watch a contest between sample bots."),
    ("koth new GAME my_bot", "Make a bot; koth check my_bot tries it."),
    ("koth docs", "List the pages about koth, the first to read first."),
)
"""Commands to begin with, and what each does."""
COLUMN = 40
"""The width of a command and its short text, of which two stand in a line."""


class Option(click.Option):
    """An option of a group of options, under whose heading help shows it."""

    def __init__(self, *words: Any, group: str = "", **given: Any) -> None:
        self.group = group
        super().__init__(*words, **given)


class GroupedCommand(click.Command):
    """A command of a section; help shows its options in their groups."""

    def __init__(self, *words: Any, section: str = "", **given: Any) -> None:
        self.section = section
        super().__init__(*words, **given)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)) is not None:
                groups.setdefault(getattr(option, "group", ""), []).append(record)
        groups.setdefault("Other options" if groups.keys() > {""} else "Options", groups.pop("", []))
        for group, records in sorted(groups.items(), key=lambda group: (*GROUPS, group[0]).index(group[0])):
            with formatter.section(group):
                formatter.write_dl(records)


class Commands(click.Group):
    """A group that lists commands in the order in which people need them; for an unknown command the error lists
    them.
    """

    command_class = GroupedCommand

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise click.UsageError(f"there is no command {args[0]!r}{choices(args[0], self.commands)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.short_help or "") for name, command in self.commands.items()])


class _Koth(Commands):
    """The group of all commands, also of other packages; the group's help is a first screen of 24 lines."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *packages.find_names()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command. Raises KothError for a command of a package that is missing or can't be loaded."""
        return super().get_command(ctx, name) or packages.load_command(name)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands to begin with, then all commands in their sections."""
        self.format_usage(ctx, formatter)
        formatter.write("koth hosts contests of bots; koth COMMAND --help describes a command.\nStart here:\n")
        formatter.write("".join(f"  {words:26}{text}\n" for words, text in START))
        for section in (HOSTS, AUTHORS, LOOK):
            own = {name: of for name, of in self.commands.items() if getattr(of, "section", "") == section}
            formatter.write(f"{section}:\n{_in_columns(own)}")
        found = {name: packages.load_or_explain(name) for name in packages.find_names()}
        missing = ", ".join(name for name in packages.OWN if name not in found)
        where = f"  {missing}: in packages of their own (koth hill says how)\n" if missing else ""
        formatter.write(f"{OTHERS}:\n{_in_columns(found)}{where}")

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


def _in_columns(commands: Mapping[str, click.Command]) -> str:
    """Return lines with the names and short texts of commands, two in a line where both fit."""
    cells = [f"  {name:10} {command.short_help or ''}" for name, command in commands.items()]
    lines, line = [], ""
    for cell in cells:
        if line and len(line) < COLUMN and len(cell) <= COLUMN:
            lines.append(f"{line:{COLUMN}}{cell}")
            line = ""
        else:
            lines += [line] * bool(line)
            line = cell
    return "".join(f"{line}\n" for line in [*lines, *[line] * bool(line)])


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
