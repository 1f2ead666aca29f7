"""The examples learn, and plan: small, with fixed seeds."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

FOLDER = Path(__file__).parents[2] / "examples" / "learn"


def example(name: str) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def test_ppo_learns() -> None:
    """In few updates it gains a third more than it did at first; the same from the same seed."""
    ppo = example("ppo")
    small = {"seats": 2, "settings": {"turns": 40}, "matches": 16, "steps": 40, "hidden": (32,)}
    plan = replace(ppo.PLANS["pacman"], **small, rate=3e-3)
    network, curve = ppo.train(plan, updates=24, say=lambda line: None)
    begin, end = np.mean([line[2] for line in curve[:2]]), np.mean([line[2] for line in curve[-2:]])
    assert end > 4 / 3 * begin
    assert network.draws


@pytest.mark.parametrize(("plan", "memory"), [("zombies", 0), ("metalman", 0), ("metalman-by-memory", 8)])
def test_ppo_runs_for_every_plan(plan: str, memory: int) -> None:
    """Also with several agents, several actions, and a memory that is learnt through time."""
    ppo = example("ppo")
    plan = replace(ppo.PLANS[plan], matches=4, steps=6, hidden=(16,), memory=memory, limit=2)
    before = ppo.Learner(plan).network.weights
    network, curve = ppo.train(plan, updates=2, say=lambda line: None)
    assert curve[-1][0] > 0
    assert all((before[name] != weight).any() for name, weight in network.weights.items())
    assert all(np.isfinite(weight).all() for weight in network.weights.values())


def draw_curves(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The picture that curves.py makes of a file."""
    out = file.with_suffix(".png")
    monkeypatch.setattr(sys, "argv", ["curves.py", str(file), "--out", str(out)])
    example("curves").main()
    return out


@pytest.mark.parametrize(
    "rows",
    [["0,0,0,0"], ["64,1,-9,0", "128,2,-4,0"], ["64,1,0,0.5", "128,2,30,0.75"]],
    ids=["naught", "below", "above"],
)
def test_every_curve_is_drawn_within_its_axes(
    rows: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "one.csv"
    file.write_text("\n".join(["decisions,minutes,return,score", *rows]))
    with Image.open(draw_curves(file, monkeypatch)) as picture:
        wide, high = picture.size
        drawn = {
            (x, y) for x in range(48, wide - 48) for y in range(high) if picture.getpixel((x, y)) == (31, 111, 178)
        }
    assert (wide, high) == (420, 260)
    assert min(y for _, y in drawn) >= 47


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "there are no rows"),
        ("decisions,minutes,return,score\n", "there are no rows"),
        ("decisions,return\n1,2\n", "no column 'score'"),
        ("decisions,minutes,return,score\n1,2\n", "no curve can be read"),
        (None, "No such file"),
    ],
)
def test_what_is_no_curve_is_told(
    text: str | None, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.csv"
    if text is not None:
        file.write_text(text)
    with pytest.raises(SystemExit) as stopped:
        draw_curves(file, monkeypatch)
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert f"{file}: " in said
    assert told in said


def test_search_gains_more_than_greed() -> None:
    search = example("search")
    greedy, searching = (sum(search.play(seed, depth, 12)[0] for seed in range(2)) for depth in (0, 6))
    assert searching > greedy
