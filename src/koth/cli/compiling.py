"""Compilation of a game's rules before a command uses them, with a progress bar."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn

from koth.cli.screen import errors, escape_markup
from koth.compile.lazy import Listener
from koth.game import Game
from koth.games import load
from koth.warmup import compile_once


def open_game(name: str) -> Game:
    """Return the game of this name with its rules compiled. Raises GameError."""
    game = load(name)
    compile_once(game, lambda: compiling(name))
    return game


@contextmanager
def compiling(name: str) -> Iterator[Listener | None]:
    """Show a progress bar of the kernels that are compiled, in a terminal; a plain line elsewhere."""
    text = f"compiling the rules of {name} (the first time only)"
    if not errors.is_terminal:
        errors.print(f"{escape_markup(text)} ...")
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(24), TextColumn("{task.fields[kernel]}", markup=False))
    with Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task(escape_markup(text), kernel="")

        def show_kernel(kernel: str, number: int, count: int) -> None:
            progress.update(task, completed=number, total=count, kernel=kernel.removeprefix("koth."))

        yield show_kernel
