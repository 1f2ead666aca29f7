"""The laws of all games, and that compiled and plain Python are the same game."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib

import pytest

from koth.engine.batch import Batch
from koth.game import state_hash
from koth.games.metalman import GAME
from koth.games.metalman.state import ORIGINAL, Settings
from koth.testing import LAWS, Case, RandomAnswers

CASES = {
    "two": Case(GAME, Settings(map="random", size=7), 2, seed=5),
    "four": Case(GAME, Settings(map="random", size=9), 4, seed=8),
    "original": Case(GAME, Settings(map="arena", phases=ORIGINAL, timer=9), 3, seed=2),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: object, case: Case) -> None:
    law(case)  # type: ignore[operator]


def fingerprint() -> str:
    """Everything that two dozen random matches showed their players, and all their states."""
    crc = 0
    hashes = []
    for phases, seats, size in (("published", 4, 12), ("original", 3, 9), ("published", 2, 19)):
        settings = Settings(map="random", size=size, phases=phases)
        seeds = range(100, 108)
        batch = Batch(GAME, settings, seats, seeds)
        policy = RandomAnswers(seeds, seats, wild=True)

        while batch.observations is not None and batch.turn < 12:
            for array in batch.observations.fields.values():
                crc = zlib.crc32(array.tobytes(), crc)
            batch.answer(policy(batch.observations))
        hashes += [state_hash(GAME, batch.state, match) for match in range(len(seeds))]
    return f"{crc:08x} {' '.join(hashes)}"


@pytest.mark.compiled
def test_plain_python_plays_the_same_game() -> None:
    code = "from tests.games.metalman.test_laws import fingerprint; print(fingerprint())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == fingerprint()
