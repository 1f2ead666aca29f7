"""One frame of every game, as a picture that somebody has looked at.

    KOTH_GOLDEN=1 pytest tests/viewer/test_golden.py

takes them anew. Browsers smooth edges differently, so a few pixels may differ a little.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from koth.games import GAMES, load
from tests.viewer.recording import record
from tests.viewer.test_page import wait_for_turn

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GOLDEN = Path(__file__).parents[1] / "golden" / "pictures"
TURN = 3
FAR = 48
"""How far a colour may be from the golden one's, of 255, to count as the same."""
MOST = 0.003
"""The share of pixels that may be farther."""
VIEW = {"width": 720, "height": 560}


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("name", GAMES)
def test_a_frame_looks_as_it_did(name: str, browser: Browser, view: Callable[[Path], str], tmp_path: Path) -> None:
    game = load(name)
    seats = game.contest_defaults.seats or max(2, game.seats.start)
    bots = [f"bot {seat}" for seat in range(seats)]
    record(tmp_path / "one.koth.gz", game, next(iter(game.rulesets.values())), bots, TURN + 1)
    address = view(tmp_path / "one.koth.gz")
    for theme in ("light", "dark"):
        check_frame(name, theme, browser, address)


def check_frame(name: str, theme: str, browser: Browser, address: str) -> None:
    image = pytest.importorskip("PIL.Image")
    context = browser.new_context(viewport=VIEW, color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{address}#turn={TURN}")
    wait_for_turn(page, TURN)
    page.wait_for_selector("#standings tbody tr")
    page.wait_for_timeout(150)
    data = page.locator("#board").screenshot()
    context.close()
    shot = image.open(io.BytesIO(data)).convert("RGB")
    margin = (shot.width - shot.height) // 2
    shot = shot.crop((margin, 0, shot.width - margin, shot.height))
    file = GOLDEN / f"{name}-{theme}.png"
    if os.environ.get("KOTH_GOLDEN") == "1":
        GOLDEN.mkdir(exist_ok=True)
        shot.quantize(128).save(file, optimize=True)
    now = np.asarray(shot, dtype=np.int16)
    then = np.asarray(image.open(file).convert("RGB"), dtype=np.int16)
    assert now.shape == then.shape
    far = (np.abs(now - then).max(axis=2) > FAR).mean()
    assert far <= MOST, f"{far:.1%} of the pixels are another colour than in {file.name}"
    assert len(np.unique(now.reshape(-1, 3), axis=0)) > 8
