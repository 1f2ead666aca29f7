"""The first start of a game on a machine: everything that hosting and recording it need is compiled, once.

Numba's cache is not made for two processes that write it at once, so this is done under a lock, by whoever comes
first: a command, a contest before its workers, or a match that a program plays by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import numpy as np

from koth.compile.code_cache import compiling, is_compiled
from koth.compile.lazy import Listener, listening
from koth.engine.batch import Batch
from koth.engine.contract import frame_trouble
from koth.errors import KothError
from koth.game import Field, Game, no_answers, state_hash
from koth.games import GameError, home
from koth.protocol.frames import FramesProtocol
from koth.replay.delta_codec import Roster, Series, pack
from koth.session.referee import compile_kernels


def compile_once(game: Game, meanwhile: Callable[[], AbstractContextManager[Listener | None]] = nullcontext) -> bool:
    """Compile what a match of this game needs, unless this machine has done so; return whether it was compiled now.

    `meanwhile` is entered if it has not; what it gives is told of each kernel.
    """
    with compiling(game.name, _modules(game)) as first:
        if first:
            with meanwhile() as listener, listening(listener):
                _compile_hosting()
                try:
                    _compile_rules(game)
                except GameError:  # which names the game
                    raise
                except KothError as error:
                    raise GameError(f"the game {game.name}: {error}") from error
    return first


def has_started(game: Game) -> bool:
    """Whether nothing of this game is to be compiled any more on this machine."""
    return is_compiled(game.name, _modules(game))


def _modules(game: Game) -> list[Path]:
    """Return the modules whose kernels are compiled: the game's, and all that hosting and recording it need."""
    folder = home(game.name).folder
    kernels = [file for file in folder.glob("*.py") if b"koth.kernel" in file.read_bytes()]
    return [Path(__file__).resolve(), *kernels]


def first_time(game: Game) -> str:
    """Return the words to put behind the work that is done meanwhile; empty once the game is compiled."""
    return "" if has_started(game) else f", and {_compiling_text(game)}"


def _compiling_text(game: Game) -> str:
    return f"compiling the rules of {game.name} (the first time only)"


@contextmanager
def compiling_beside(game: Game, on_doing: Callable[[str], None] = lambda text: None) -> Iterator[None]:
    """Compile the same in a thread, while something else is done that calls no kernel: bots are built.

    `on_doing` is called from that thread with how many kernels are compiled. At the end all are. An error of the
    compilation is raised there, unless the other work raised one.
    """
    if has_started(game):
        yield
        return

    def report(kernel: str, number: int, count: int) -> None:
        on_doing(f"{_compiling_text(game)}: {number} of {count} kernels")

    with ThreadPoolExecutor(1, "compiling") as thread:
        compiled = thread.submit(compile_once, game, lambda: nullcontext(report))
        yield
        compiled.result()


def _compile_rules(game: Game) -> None:
    """Play a few turns of a small match in every ruleset, so that every phase is compiled."""
    for settings in game.rulesets.values():
        seats = game.contest_defaults.table or max(2, game.seats.start)
        batch = Batch(game, settings, seats, [0])
        if batch.observations is not None:
            FramesProtocol(batch.buffers.questions).ask(batch.observations)
        while batch.observations is not None and batch.turn < 12:
            batch.answer(no_answers(batch.observations, batch.nobody_gone()))
        if trouble := frame_trouble(game.frame(settings, batch.state, 0)):
            raise KothError(trouble)
        state_hash(game, batch.state, 0)


def _compile_hosting() -> None:
    """Ask nobody, and tell in a replay's words who was asked, what was answered, and what has changed."""
    compile_kernels()
    roster, three = Roster(), np.arange(3, dtype=np.int32)
    roster.encode("all", three, three)
    roster.encode("some", three[:2], three[:2])
    pack(three, Field("i4"))
    told, heard = Series(np.zeros(3, np.int64)), Series(np.zeros(3, np.int64))
    for values in ([1, 2, 3], [2, 3, 4]):
        heard.apply(told.change(np.array(values)) or {})
