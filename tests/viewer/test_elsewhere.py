"""Pictures of games from elsewhere: the example's own, and the default one of a game that has just been made."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.test_installed_games import EXAMPLE, install
from tests.viewer.test_page import wait_for_turn
from tests.viewer.test_pictures import KNOWN, check

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SNAKES = ("snakes", "@careful", "@hungry", "--ruleset", "fog", "--set", "side=7", "--set", "turns=15")
GOLD = ("gold", "@greedy", "@wanderer", "--set", "turns=15")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two games, which every koth that is started now finds; nothing is compiled."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.chdir(tmp_path)
    install(tmp_path, "koth-snakes", {"snakes": "koth_snakes"}, {})
    (tmp_path / "koth_snakes").symlink_to(EXAMPLE / "koth_snakes")
    koth("new-game", "gold")
    install(tmp_path, "koth-gold", {"gold": "koth_gold"}, {})
    (tmp_path / "koth_gold").symlink_to(tmp_path / "koth-gold" / "koth_gold")
    return tmp_path


def koth(*words: str) -> None:
    done = subprocess.run([sys.executable, "-m", "koth", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("words", [SNAKES, GOLD], ids=["snakes", "gold"])
def test_pictures_keep_the_contract(
    words: tuple[str, ...], elsewhere: Path, browser: Browser, view: Callable[[Path], str]
) -> None:
    """Over the replay of a contest's match, on the page that `koth view` serves; the page itself comes up, too."""
    koth("run", *words, "--games", "1", "--seed", "3", "--out", "run")
    os.rename(min((elsewhere / "run" / "replays").iterdir()), elsewhere / "one.koth.gz")
    address = view(elsewhere / "one.koth.gz")
    found = check(browser, address, words[0])
    assert found["wrong"] == []
    assert found["turns"] > 3
    assert set(found["names"]) <= KNOWN
    page = browser.new_page()
    page.goto(f"{address}#turn=3")
    wait_for_turn(page, 3)
    assert page.locator("#standings tbody tr").count() == 2
    page.close()
