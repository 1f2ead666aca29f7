"""The same results in other processes: uncompiled, and under other hash seeds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from koth.games import GAMES

PACKAGE = Path(__file__).parents[2]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Python with these arguments, in the package's folder, warnings being errors."""
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=PACKAGE,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "1"}, id="uncompiled"),
        pytest.param({"NUMBA_DISABLE_JIT": "0", "PYTHONHASHSEED": "4294967295"}, id="another hash seed"),
    ],
)
def test_goldens_are_the_same(environment: dict[str, str]) -> None:
    result = run("-m", "tests.golden", "--check", **environment)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", ["zombies", *(pytest.param(game, marks=pytest.mark.long) for game in GAMES if game != "zombies")]
)
def test_rule_boards_are_the_same_uncompiled(game: str) -> None:
    """A game's tests of its numbered rules, apart from those marked `compiled`, are run once more."""
    chosen = ("-k", "test_rule_", "-m", "not compiled", f"tests/games/{game}")
    result = run("-m", "pytest", "-p", "no:cacheprovider", *chosen, NUMBA_DISABLE_JIT="1")
    assert result.returncode == 0, result.stdout[-3000:]


def test_garbage_never_raises_and_dice_are_drawn_once_uncompiled() -> None:
    """Every golden's case once more, where an index that is too large is an error, and draws can be watched."""
    chosen = ("-k", "garbage or dice_are", "tests/testing/test_laws.py")
    result = run("-m", "pytest", "-p", "no:cacheprovider", *chosen, NUMBA_DISABLE_JIT="1")
    assert result.returncode == 0, result.stdout[-3000:]
