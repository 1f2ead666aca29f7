"""The laws of all games, and that compiled and plain Python are the same game."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from collections.abc import Callable

import pytest

from koth.engine.batch import Batch
from koth.game import state_hash
from koth.games.pacman import GAME
from koth.games.pacman.state import Settings
from koth.testing import LAWS, Case, RandomAnswers

CASES = {
    "one": Case(GAME, Settings(turns=60), 1, seed=2, cap=60),
    "four": Case(GAME, Settings(side=14, turns=60), 4, seed=8, turns=40, cap=60),
    "crowd": Case(GAME, Settings(side=12, turns=50), 7, seed=5, cap=50),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Case], None], case: Case) -> None:
    law(case)


def fingerprint() -> str:
    """Everything that a few random matches showed their bots, and all their states."""
    crc = 0
    hashes = []
    for settings, seats, seeds in (
        (Settings(), 3, range(20, 23)),
        (Settings(side=9, ghosts=1, power_pellets=2, fruit=1), 4, range(30, 34)),
        (Settings(side=7, ghosts=3, power_pellets=2, fruit=0, ghost_sight=2), 2, range(2)),
    ):
        batch = Batch(GAME, settings, seats, seeds)
        policy = RandomAnswers(seeds, seats)
        while batch.observations is not None and batch.turn < 40:
            for array in batch.observations.fields.values():
                crc = zlib.crc32(array.tobytes(), crc)
            batch.answer(policy(batch.observations))
        hashes += [state_hash(GAME, batch.state, match) for match in range(len(seeds))]
    return f"{crc:08x} {' '.join(hashes)}"


def test_plain_python_plays_the_same_game() -> None:
    code = "from tests.games.pacman.test_laws import fingerprint; print(fingerprint())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": os.pathsep.join(["", os.getcwd()]).lstrip(os.pathsep),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == fingerprint()
