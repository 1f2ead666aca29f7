"""Pictures of games from elsewhere: the example's own, and the default one of a game that has just been made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.elsewhere import EXAMPLE, Elsewhere
from tests.viewer.test_page import wait_for_turn
from tests.viewer.test_pictures import check

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SNAKES = ("snakes", "@careful", "@hungry", "--ruleset", "fog", "--set", "side=7", "--set", "turns=15")
GOLD = ("gold", "@greedy", "@wanderer", "--set", "turns=15")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    place = Elsewhere(tmp_path_factory.mktemp("elsewhere"))
    place.install(EXAMPLE)
    place.koth("new-game", "gold")
    place.install(place.folder / "koth-gold")
    return place


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("words", [SNAKES, GOLD], ids=["snakes", "gold"])
def test_pictures_keep_the_contract(
    words: tuple[str, ...],
    elsewhere: Elsewhere,
    browser: Browser,
) -> None:
    """Over the replay of a contest's match, on the page that `koth view` serves; the page itself comes up, too."""
    elsewhere.koth("run", *words, "--matches", "1", "--seed", "3", "--out", words[0])
    replay = elsewhere.folder / f"{words[0]}-one" / "one.koth.gz"
    replay.parent.mkdir()
    shutil.copy(elsewhere.first_replay(words[0]), replay)
    viewing = [sys.executable, "-m", "koth", "view", str(replay)]
    environment = os.environ | elsewhere.environment
    with subprocess.Popen(viewing, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().split()[0]
            found = check(browser, address, words[0])
            page = browser.new_page()
            page.goto(f"{address}#turn=3")
            wait_for_turn(page, 3)
            assert page.locator("#standings tbody tr").count() == 2
            page.close()
        finally:
            process.kill()
    assert found["wrong"] == []
    assert found["turns"] > 3
