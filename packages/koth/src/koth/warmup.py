"""Compilation before a game's first match on a machine: all kernels of its rules, once.

Numba's cache does not support two concurrent writers, so the first process that needs the kernels compiles them under
a lock: a command, a contest before its workers, or a program that plays a single match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from koth.compile.code_cache import compiling, is_compiled
from koth.compile.lazy import Listener, listening
from koth.engine.batch import Batch
from koth.engine.contract import find_frame_problem
from koth.errors import KothError
from koth.events import own_copy
from koth.game import Game, no_answers, state_hash
from koth.games import GameError, home
from koth.protocol.frames import FramesProtocol
from koth.replay.writer import check_kinds, final_scores


def compile_once(game: Game, meanwhile: Callable[[], AbstractContextManager[Listener | None]] = nullcontext) -> bool:
    """Compile the kernels of this game, unless this machine has done so; return whether they were compiled now.

    `meanwhile` is entered if kernels must be compiled; koth calls the listener that it yields with each kernel.
    """
    with compiling(game.name, _modules(game)) as first:
        if first:
            with meanwhile() as listener, listening(listener):
                try:
                    _compile_rules(game)
                except GameError:  # its message names the game already
                    raise
                except KothError as error:
                    raise GameError(f"the game {game.name}: {error}") from error
    return first


def has_started(game: Game) -> bool:
    """Return whether all kernels of this game are compiled on this machine."""
    return is_compiled(game.name, _modules(game))


def _modules(game: Game) -> list[Path]:
    """Return the modules with kernels: this one and the game's; of a package all modules, to test its rules."""
    at = home(game.name)
    of_game = [file for file in at.folder.glob("*.py") if at.package != "koth" or b"koth.kernel" in file.read_bytes()]
    return [Path(__file__).resolve(), *of_game]


def first_time(game: Game) -> str:
    """Return a note that the game's rules are being compiled, to follow a description; empty if they are compiled."""
    return "" if has_started(game) else f", and {_compiling_text(game)}"


def _compiling_text(game: Game) -> str:
    return f"compiling the rules of {game.name} (the first time only)"


@contextmanager
def compiling_beside(game: Game, on_doing: Callable[[str], None] = lambda text: None) -> Iterator[None]:
    """Compile in a thread during this context, which must call no kernel; wait for the thread at its end.

    `on_doing` is called from that thread with the number of compiled kernels. Errors of the compilation are raised at
    the end, unless the context has raised already.
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
    """Play a few turns of a small match in every ruleset, to compile every phase, and test every method."""
    for settings in game.rulesets.values():
        load_rules(game, settings)


def load_rules(game: Game, settings: Any) -> None:
    """Play a few turns, so that this process has loaded all kernels when somebody waits for its first match."""
    seats = game.contest_defaults.seats or min(max(2, game.seats[0]), game.seats[-1])
    batch = Batch(game, settings, seats, [0])
    game.match_info(settings, batch.state, 0, 0)
    batch.on_turn = _looking_at(game, batch)
    if batch.observations is not None:
        FramesProtocol(batch.buffers.questions).ask(batch.observations)
    while batch.observations is not None and batch.turn < 12:
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))
    final_scores(batch, list(map(str, range(seats))))
    state_hash(game, batch.state, 0)


def _looking_at(game: Game, batch: Batch) -> Callable[[], None]:
    """Return a callback that reads frame, events and living units after a turn, raising KothError for bad frames."""
    frame = own_copy(game.frame(batch.settings, batch.state, 0))

    def look() -> None:
        nonlocal frame
        now = game.frame(batch.settings, batch.state, 0)
        if trouble := find_frame_problem(now):
            raise KothError(trouble)
        check_kinds(game, game.events(batch.settings, batch.state, 0, frame, now))
        living, agents = game.alive(batch.settings, batch.state), game.agents(batch.settings, batch.seats)
        if living.shape[1] != len(agents):
            raise KothError(
                f"alive has {living.shape[1]} agents, agents has {len(agents)}: make both for the same units"
            )
        frame = own_copy(now)

    return look
