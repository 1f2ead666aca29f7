"""`koth warm`: compilation in advance of everything that a first match compiles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from koth.cli.compiling import compiling
from koth.cli.lists import load_games
from koth.cli.screen import echo
from koth.compile import COMPILED
from koth.compile.code_cache import code_folder
from koth.errors import KothError
from koth.games import load
from koth.warmup import compile_once


def warm(names: Sequence[str]) -> None:
    """Compile the named games, or all games that can be played; print for each whether it was compiled now.

    Raises GameError for an unknown game, before anything is compiled, and KothError if kernels are not compiled.
    """
    if not COMPILED:
        raise KothError("unset NUMBA_DISABLE_JIT, which disables compilation")
    for game in [load(name) for name in names] or load_games():
        is_new = compile_once(game, partial(compiling, game.name))
        echo(f"{game.name}: {'compiled' if is_new else 'was compiled before'}")
    echo(f"in {code_folder()}")
