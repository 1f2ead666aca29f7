"""What several commands are told in the same words: KEY=VALUE of the rules, and what `python` means."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

import click

from koth.bots.languages import Interpreters
from koth.errors import KothError


def overrides(sets: Iterable[str]) -> dict[str, str]:
    """The constants that `--set` changes, as text."""
    return dict(_pair("--set", "KEY=VALUE", text) for text in sets)


def interpreters(told: Iterable[str]) -> Interpreters:
    """What `--interpreter` makes of `python`; the last word counts."""
    found = Interpreters()
    for text in told:
        key, path = _pair("--interpreter", "python=PATH", text)
        if key != "python":
            raise click.UsageError(f"--interpreter: koth chooses an interpreter for python only, not for {key!r}")
        program = shutil.which(path)
        if program is None:
            raise KothError(f"--interpreter: {path!r} is no program that can be run")
        found = Interpreters(program)
    return found


def _pair(option: str, form: str, text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"{option} wants {form}, not {text!r}")
    return key.strip(), value.strip()
