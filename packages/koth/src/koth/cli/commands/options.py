"""Options of commands, made from the fields of dataclasses.

A field's type is the option's type, the text below the field is the option's help. `NAMES` and `WORDS` list the
exceptions.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache, wraps
from inspect import get_annotations
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import click

from koth.cli.commands.group import Option
from koth.errors import KothError
from koth.services.options import OUTPUT, parse_seconds, types_of

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
BOT = click.Path()
"""The type of an argument that names a bot: shells complete the argument with files."""
COUNT = click.IntRange(1, 100_000)
HUGE = 1e9
"""Limits from here on are left out of help; the dataclass checks them."""
NAMES = {
    "first": ("--from",),
    "jobs": ("--jobs", "-j"),
    "last": ("--to",),
    "matches": ("--matches", "-n"),
    "seconds": ("--for",),
    "settings": ("--set",),
}
WORDS = {
    "against": "BOT",
    "cluster": "ADDRESS",
    "database": "URL",
    "file": "FILE",
    "isolation": "LEVEL",
    "out": "PATH",
    "seed": "SEED",
    "settings": "KEY=VALUE",
    "source": "BOT",
    "text": "TEXT",
    "title": "TITLE",
    "until": "GOAL",
    "url": "URL",
    "at": "TIME",
}


class Seed(click.ParamType[int | str]):
    """The type of a seed: a number, or the digits of a secret."""

    name = "seed"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        return int(value) if value.isascii() and value.isdigit() and len(value) < 20 else value


class Duration(click.ParamType[float]):
    """The type of a time that is written with its unit; the value is in seconds."""

    name = "time"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return parse_seconds(value)
        except KothError as error:
            self.fail(str(error), param, ctx)


def takes(kind: type, *without: str) -> Callable[[F], F]:
    """Add the options of this dataclass to a command, which gets the dataclass as `options`."""

    def add(command: F) -> F:
        @wraps(command)
        def call(**given: Any) -> Any:
            own = {name: given.pop(name) for name in types_of(kind) if name in given}
            return command(options=kind(**{name: value for name, value in own.items() if value is not None}), **given)

        for field in reversed(_in_order(kind)):
            if field.name not in without and "variable" not in field.metadata:
                call = _option(field, kind)(call)
        return call  # type: ignore[return-value]

    return add


def _in_order(kind: type) -> list[Field[Any]]:
    """Return a dataclass's fields: first fields with a short option, then its own fields, then its bases' fields."""
    known = {field.name: field for field in fields(kind)}
    names = dict.fromkeys(name for base in kind.__mro__ for name in get_annotations(base) if name in known)
    return [known[name] for name in sorted(names, key=lambda name: len(NAMES.get(name, ())) < 2)]


def _option(field: Field[Any], kind: type) -> Callable[[F], F]:
    name, of = field.name, types_of(kind)[field.name]
    takes: dict[str, Any] = {"metavar": WORDS.get(name, "NAME")}
    if of is bool:
        takes = {"is_flag": True}
    elif get_origin(of) is Mapping:
        takes |= {"multiple": True, "callback": pairs}
    elif get_origin(of) is Sequence:
        takes |= {"multiple": True, "type": FILE if Path in get_args(get_args(of)[0]) else str}
    elif get_origin(of) is Literal:
        takes = {"type": click.Choice(get_args(of))}
    elif get_origin(of) is Annotated:
        bounds, span = of.__metadata__[0], click.IntRange if of.__origin__ is int else click.FloatRange
        most = bounds.most if bounds.most < HUGE else None
        in_time = bounds.word == "TIME"
        takes = {"metavar": bounds.word, "type": Duration() if in_time else span(bounds.least, most)}
    elif Path in (of, *get_args(of)):
        takes |= {"type": FILE}
    elif name == "seed":
        takes |= {"type": Seed()}
    if of is not bool and isinstance(field.default, str | int | float) and field.default != "":
        takes |= {"default": field.default, "show_default": True}
    takes["required"] = field.default is MISSING and field.default_factory is MISSING
    words = NAMES.get(name, (f"--{name.replace('_', '-')}",))
    group = field.metadata.get("group", "")
    return click.option(*words, name, cls=Option, group=group, help=_help(kind, name), **takes)


def _help(kind: type, name: str) -> str:
    """Return the text below a field's last declaration."""
    declared = next(base for base in kind.__mro__ if name in get_annotations(base))
    return _texts(declared.__module__)[declared.__name__, name]


@cache
def _texts(module: str) -> dict[tuple[str, str], str]:
    """Return the texts below the fields of a module's classes."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {
        (found.name, field.target.id): " ".join(str(text.value.value).split())
        for found in tree.body
        if isinstance(found, ast.ClassDef)
        for field, text in pairwise(found.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }


def pairs(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Return the values of an option of the form KEY=VALUE as a dict."""
    pairs = [text.partition("=") for text in texts]
    for text, (_, equals, _) in zip(texts, pairs, strict=True):
        if not equals:
            raise click.UsageError(f"{option.opts[0]} wants {option.metavar}, not {text!r}")
    return {key.strip(): value.strip() for key, _, value in pairs}


def json_option(what: str = "Print one JSON object.") -> Callable[[F], F]:
    """Add the option `--json`, whose help is `what`."""
    return click.option("--json", "as_json", cls=Option, group=OUTPUT, is_flag=True, help=what)


def view_option(command: F) -> F:
    """Add the option `--view`, for a page that shows the contest."""
    what = "Show the contest in the browser while it runs."
    return click.option("--view", cls=Option, group=OUTPUT, is_flag=True, help=what)(command)


def port_option(command: F) -> F:
    """Add the option for a page's port."""
    what = "Port of the page (default: a free one)."
    return click.option("--port", type=click.IntRange(0, 65535), metavar="N", default=0, help=what)(command)
