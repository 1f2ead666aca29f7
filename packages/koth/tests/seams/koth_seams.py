"""A package of a stranger that adds to koth what it may: a command, a reader, an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from koth.contest.reading import Audience, MatchReader
from koth.contest.run import MakeExecutor
from koth.contest.run_reader import RunReader
from koth.contest.workers import on_this_machine


@click.command()
@click.argument("name")
def greet(name: str) -> None:
    """Greet somebody."""
    click.echo(f"hello {name}")


def play_here(address: str, note: Callable[[str], None]) -> MakeExecutor:
    note(f"no cluster at {address}: this machine plays")
    return partial(on_this_machine, 1)


@contextmanager
def open_album(folder: Path, season: int | None, is_final: bool, audience: Audience) -> Iterator[MatchReader]:
    """Open an album, a text file with the name of a run, as that run."""
    yield RunReader(folder / (folder / "album.txt").read_text(encoding="utf-8").strip(), audience)
