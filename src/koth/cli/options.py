"""Options that several commands take, and the types of their values. Nothing but click is imported here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
SEED = click.IntRange(0, 2**63 - 1)
DIGITS = 32
"""Of a seed that nobody can guess."""


class Seed(click.ParamType[int | str]):
    """A number below 2**63, or the 32 hex digits of a secret."""

    name = "seed"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        if len(value) == DIGITS and set(value.lower()) <= set("0123456789abcdef"):
            return value.lower()
        if not (value.isascii() and value.isdigit() and len(value) < 20 and int(value) < 2**63):
            self.fail(f"{value!r} is no number from 0 to 2**63 - 1, and not {DIGITS} hex digits", param, ctx)
        return int(value)


def host_options(command: F) -> F:
    """What the host gives bots, wherever they are started."""
    meaning = "What a word of a bot's command means: python=PATH, ruby=PATH ..."
    for option in (
        click.option("--frege", type=FILE, metavar="JAR", help="The Frege compiler, for bots in Frege."),
        click.option("--allow-read", "paths", multiple=True, type=FILE, help="A folder that bots may read, too."),
        click.option("--interpreter", "interpreters", multiple=True, metavar="WORD=PROGRAM", help=meaning),
    ):
        command = option(command)
    return command


def tls_options(command: F) -> F:
    """How a cluster is spoken to beyond this machine."""
    for name, what in (("tls-key", "The key"), ("tls-cert", "The certificate"), ("tls-ca-file", "The authority")):
        command = click.option(f"--{name}", metavar="FILE", help=f"{what} of the cluster's TLS.")(command)
    return command


def rules_options(command: F) -> F:
    """By which rules is played."""
    one = "Change one constant of the rules."
    command = click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help=one)(command)
    return click.option("--ruleset", help="Which rules (default: the game's first).")(command)


def isolation_option(whose: str = "bots are") -> Callable[[F], F]:
    """How much those that run strangers' code are trusted."""
    text = f"How {whose} kept apart (default: the best there is here)."
    return click.option("--isolation", metavar="LEVEL", help=text)


def processes_option(command: F) -> F:
    """Whether the host vouches for bots that start programs."""
    text = "Take bots that start programs, also where nobody can time those."
    return click.option("--allow-subprocesses", is_flag=True, help=text)(command)


def jobs_option(command: F) -> F:
    """How much of this machine is used."""
    many = click.IntRange(1, 256)
    return click.option("--jobs", "-j", type=many, default=1, show_default=True, help="Matches at a time.")(command)


def exclude_option(command: F) -> F:
    """Which bots are left out."""
    text = "Leave out a bot, file or folder of this name (or *)."
    return click.option("--exclude", multiple=True, metavar="NAME", help=text)(command)


def match_option(command: F) -> F:
    """Of which match something is told."""
    text = "Only this match (the first is 0)."
    return click.option("--match", type=click.IntRange(0), metavar="N", help=text)(command)


def page_options(command: F) -> F:
    """Where a page is served, and whether it is opened."""
    port, free = click.IntRange(0, 65535), "Which port (default: a free one)."
    command = click.option("--no-open", is_flag=True, help="Print the address, do not open a browser.")(command)
    return click.option("--port", type=port, default=0, help=free)(command)
