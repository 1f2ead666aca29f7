"""The program of the baselines trains and evaluates, and makes bots (with PyTorch, which is in no extra)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.games import load as load_game

PROGRAM = Path(__file__).parents[2] / "examples" / "learn" / "baselines.py"


@pytest.mark.long
def test_baselines_of_a_game(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    options = ["--games", "metalman", "--share", "0.01", "--matches", "2", "--out", tmp_path]
    subprocess.run([sys.executable, PROGRAM, *options], check=True, timeout=600)
    found = (tmp_path / "table.md").read_text()
    assert all(f"| {title} |" in found for title in ("random", "PPO"))
    assert (tmp_path / "curves.png").stat().st_size
    bot = load_bot(load_game("metalman"), tmp_path / "metalman_1", Interpreters())
    assert bot.protocol == "frames"
