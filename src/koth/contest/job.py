"""One match to play, with all that it needs, and what came of it: what goes to a worker and back."""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from koth.bots.hearing import Overloaded
from koth.bots.sandbox.isolation import Isolation
from koth.errors import KothError
from koth.game import Budgets
from koth.games import load
from koth.match import Entrant, Result, play
from koth.secret import Key
from koth.settings import choose

PACE = 0.1
"""Seconds between two turns that are told to whoever watches."""


@dataclass(frozen=True)
class Job:
    """A match of a contest. It has the key of its block, never the secret of the run."""

    match: int
    game: str
    ruleset: str
    overrides: Mapping[str, Any]
    key: Key
    bots: Sequence[Entrant]
    """In seat order."""
    budgets: Budgets
    isolation: Isolation
    replay: Path | None
    """Where its replay goes; it is written without the key."""
    frames: bool
    turns: int | None = None
    """It ends after so many, if it is a trial."""


@dataclass(frozen=True)
class Failure:
    """Why a match could not be played: the arena's fault. `bot` was kept from its work, if it was that."""

    text: str
    bot: str = ""


def play_job(job: Job, on_turn: Callable[[int], None]) -> Result | Failure:
    """Play it, once."""
    game = load(job.game)
    _, settings = choose(game, job.ruleset, job.overrides)
    _keep_what_is_loaded()
    try:
        return play(
            game,
            settings,
            job.bots,
            job.key,
            match=job.match,
            ruleset=job.ruleset,
            replay=job.replay,
            frames=job.frames,
            tell_key=False,
            budgets=job.budgets,
            isolation=job.isolation,
            on_turn=_every_so_often(on_turn),
            turns=job.turns,
        )
    except Overloaded as error:
        return Failure(str(error), error.name)
    except KothError as error:
        return Failure(str(error))
    except Exception as error:  # a mistake in the rules or in koth must not cost the other matches
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Failure(f"{type(error).__name__}: {error} ({Path(where.filename).name}, line {where.lineno})")


@cache
def _keep_what_is_loaded() -> None:
    """Spare the garbage collector from looking through all modules again and again while matches are played."""
    gc.collect()
    gc.freeze()


def _every_so_often(tell: Callable[[int], None]) -> Callable[[int], None]:
    """Pass on at most some ten turns a second."""
    last = 0.0

    def turn_over(turn: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > PACE:
            last = now
            tell(turn)

    return turn_over
