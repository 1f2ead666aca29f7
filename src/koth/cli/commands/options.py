"""Options that several commands take, and the types of their values; defaults stand in `koth.services.options`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

FILE = click.Path(path_type=Path)
SEED = click.IntRange(0, 2**63 - 1)
COUNT = click.IntRange(1, 100_000)
"""Of matches, seats or turns."""
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


class Duration(click.ParamType[float]):
    """A time with its unit, in seconds."""

    name = "time"
    UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}  # noqa: RUF012  (click's types have no annotations)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number, unit = value[:-1], value[-1:]
        if unit not in self.UNITS or not (number.isascii() and number.isdigit() and 0 < len(number) < 7):
            self.fail(f"{value!r} is no time: a whole number and s, m, h or d, as in 30m", param, ctx)
        return float(int(number) * self.UNITS[unit])


def options(*given: Callable[[F], F]) -> Callable[[F], F]:
    """Add these options to a command, in the order in which its help lists them."""

    def add(command: F) -> F:
        for option in reversed(given):
            command = option(command)
        return command

    return add


def options_of(kind: Callable[..., T], given: dict[str, Any]) -> T:
    """Return options of a use case, as a command was given them; what was not given has the default of its field."""
    if "cluster" in given:
        from koth.cli.said import ClusterOptions, cluster_of

        of_others = {name: value for name, value in given.items() if name not in ClusterOptions.__annotations__}
        given = {**of_others, "cluster": cluster_of(given)}
    given = {name: value for name, value in given.items() if value is not None}
    return kind(**given)


def json_option(what: str = "Print one JSON object.") -> Callable[[F], F]:
    """Add the option that prints the same for programs."""
    return click.option("--json", "as_json", is_flag=True, help=what)


def isolation_option(whose: str = "bots") -> Callable[[F], F]:
    """Add the level of isolation; `whose` code is isolated by it."""
    text = f"Isolation of {whose}: none, limits, partial, strong or strong+cgroup (default: the best available here)."
    return click.option("--isolation", metavar="LEVEL", help=text)


def pairs(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Return options of the form KEY=VALUE as a dict."""
    pairs = [text.partition("=") for text in texts]
    for text, (_, equals, _) in zip(texts, pairs, strict=True):
        if not equals:
            raise click.UsageError(f"{option.opts[0]} wants {option.metavar}, not {text!r}")
    return {key.strip(): value.strip() for key, _, value in pairs}


host_options = options(
    click.option(
        "--interpreter",
        "interpreters",
        multiple=True,
        callback=pairs,
        metavar="WORD=PROGRAM",
        help="Start PROGRAM where a bot's command says WORD: python=/opt/python2.7/bin/python, frege=frege.jar ...",
    ),
    click.option(
        "--allow-read",
        multiple=True,
        type=FILE,
        metavar="PATH",
        help="Let bots read this file or folder of the machine, too.",
    ),
)
"""Grants of the host to bots, wherever they are started."""

tls_options = options(
    click.option("--tls-ca-file", metavar="FILE", help="Certificate of the authority that the cluster's TLS trusts."),
    click.option("--tls-cert", metavar="FILE", help="This machine's certificate for the cluster's TLS."),
    click.option("--tls-key", metavar="FILE", help="The private key of that certificate."),
)
"""The TLS of a cluster that other machines reach."""

rules_options = options(
    click.option("--ruleset", metavar="NAME", help="Which of the game's rulesets to play (default: its first)."),
    click.option(
        "--set",
        "settings",
        multiple=True,
        callback=pairs,
        metavar="KEY=VALUE",
        help="Give a setting of the rules another value (`koth docs GAME` lists them).",
    ),
)
"""By which rules a match is played."""

max_turns_option = click.option(
    "--max-turns", type=COUNT, metavar="N", help="End every match after N turns, as for a quick trial."
)

start_timeout_option = click.option(
    "--start-timeout",
    type=click.FloatRange(0.01, 600),
    metavar="SECONDS",
    help="Time of a bot to start in (default: as the game says).",
)

untrusted_option = click.option(
    "--untrusted",
    is_flag=True,
    help="The bots are strangers': refuse isolation below strong, and seeds that can be guessed.",
)

subprocesses_option = click.option(
    "--allow-subprocesses",
    is_flag=True,
    help="Accept bots that start programs where koth can't measure the CPU time of those.",
)

replays_option = click.option(
    "--replays",
    type=click.Choice(["all", "answers", "none"]),
    default="all",
    show_default=True,
    help="What to keep of each match: everything, only answers (pictures are computed when needed), or nothing.",
)

jobs_option = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Play N matches at the same time (default: one on each core but one).",
)

exclude_option = click.option(
    "--exclude",
    multiple=True,
    metavar="NAME",
    help="Leave out bots, files and folders of this name (* is a wildcard).",
)

match_option = click.option(
    "--match", type=click.IntRange(0), metavar="N", help="Look at match N alone (the first is 0)."
)

page_options = options(
    click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page (default: a free one)."),
    click.option("--no-open", is_flag=True, help="Print the page's address; do not open a browser."),
)
"""Where a page is served, and whether it is opened."""

cluster_options = options(
    click.option("--cluster", metavar="ADDRESS", help="Let the workers of this Dask scheduler play the matches."),
    tls_options,
)
"""Where matches are played, if not here."""

contest_options = options(
    jobs_option,
    click.option("--view", is_flag=True, help="Show the contest in the browser while it runs."),
    click.option("--no-open", is_flag=True, help="With --view: print the page's address; do not open a browser."),
    json_option("Print the results as one JSON object, and nothing else, to stdout."),
    click.option("--skip-broken", is_flag=True, help="Play without the bots that can't be built or started."),
    exclude_option,
    untrusted_option,
    isolation_option(),
    subprocesses_option,
    host_options,
    cluster_options,
)
"""Options of the matches of a contest, for commands that begin or continue one."""
