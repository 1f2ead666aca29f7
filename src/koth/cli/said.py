"""Readers of options that several commands share: KEY=VALUE of the rules, and what the host gives bots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import click

from koth.discovery.interpreters import Interpreters
from koth.errors import BotError
from koth.game import Game, TimeControl


class HostOptions(TypedDict):
    """Options of what the host gives bots: programs for words of their commands, and places that they may read."""

    interpreters: tuple[str, ...]
    paths: tuple[Path, ...]


class TlsOptions(TypedDict):
    """Files of a cluster's TLS."""

    tls_ca_file: str | None
    tls_cert: str | None
    tls_key: str | None


def overrides(sets: Iterable[str]) -> dict[str, str]:
    """Return the settings that `--set` changes, as text."""
    return dict(_pair(text) for text in sets)


def time_control_of(game: Game, start_timeout: float | None) -> TimeControl:
    """Return the game's time control, with another time to start in if one is given."""
    return game.time_control if start_timeout is None else replace(game.time_control, start=start_timeout)


def interpreters(options: HostOptions) -> Interpreters:
    """Return the host's programs and readable places for bots, from the options. Raises BotError."""
    return Interpreters.given(options["interpreters"], options["paths"])


def on_record(record: Mapping[str, Any], options: HostOptions, where: Path) -> Interpreters:
    """Return the host's programs and readable places for bots, from a run's record. Raises BotError.

    Who goes on with a stranger's folder has not chosen what bots are shown there: only the command line shows them
    more than what belongs to the programs that run them.
    """
    recorded, said = Interpreters.recorded(record), interpreters(options)
    for word, _, program in (text.partition("=") for text in options["interpreters"]):
        if said.meant(word) != recorded.meant(word):
            raise BotError(f"{where}: its bots were not started with {word}={program}; that takes a new run")
    if beyond := recorded.grants_beyond(said):
        raise BotError(
            f"{where}: its bots were shown more of this machine; if that is right, say: {' '.join(beyond)}"
        )
    return recorded


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set wants KEY=VALUE, not {text!r}")
    return key.strip(), value.strip()
