"""Games with their rules compiled before a command uses them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from koth.cli.screen import waiting
from koth.compile.lazy import Listener
from koth.game import Game
from koth.games import load
from koth.warmup import compile_once


def open_game(name: str) -> Game:
    """Return the game `name` with its rules compiled. Raises GameError."""
    game = load(name)
    compile_once(game, lambda: compiling(name))
    return game


@contextmanager
def compiling(name: str) -> Iterator[Listener]:
    """Show how many of the kernels are compiled."""
    text = f"compiling the rules of {name} (the first time only)"
    with waiting(text) as doing:
        yield lambda kernel, number, count: doing(f"{text}: {number} of {count} kernels")
