"""The examples train, and what comes out is a bot (with PyTorch, which is in no extra)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from koth.discovery.folder import load
from koth.discovery.interpreters import Interpreters
from koth.games import load as load_game

FOLDER = Path(__file__).parents[2] / "examples" / "learn"


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "game", "decisions"), [("self_play", "zombies", 20_000), ("against_samples", "pacman", 1_000)]
)
def test_an_example_trains(name: str, game: str, decisions: int, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "bot"
    said = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py", "--decisions", str(decisions), "--out", out],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert f"exported {out}" in said.stdout
    assert load(load_game(game), out, Interpreters()).protocol == "frames"
    curve = out.with_suffix(".csv").read_text().splitlines()
    assert int(curve[-1].split(",")[0]) >= decisions
