"""Bots' drawings are on the board of pages of the run's folder, and in no other page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from koth.cli import cli
from koth.viewer.export import export
from tests.cli.program import SMALL
from tests.viewer.test_page import wait_for_turn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BOT = """
from koth.games.zombies.bot import Move, debug

class Drawing:
    def do_turn(self, context):
        if context.game_clock == 2:
            for x in range(6):
                for y in range(6):
                    debug.mark(x, y, color="#ff00ff")
            debug.line(0, 8, 6, 8, color="#00ff00")
            debug.text(3, 10, "here I go")
        return Move.STAY
"""
COUNT = """([red, green, blue]) => {
  const canvas = document.querySelector("#board");
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let k = 0; k < data.length; k += 4) {
    count += data[k] === red && data[k + 1] === green && data[k + 2] === blue;
  }
  return count;
}"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder with a match in which a bot has drawn in turn 2, and not in others."""
    folder = tmp_path_factory.mktemp("drawn")
    (folder / "bot.py").write_text(BOT)
    words = ["run", "zombies", f"artist={folder / 'bot.py'}", "@stand_still", "--matches", "1", "--seed", "4"]
    done = CliRunner().invoke(cli, [*words, *SMALL, "--max-turns", "5", "--out", str(folder / "run")])
    assert done.exit_code == 0, done.output
    return folder / "run"


def colors(page: Page) -> tuple[int, int]:
    """Return the share of the board in the colours of the square's edges, and of the line."""
    told: list[Any] = [page.evaluate(COUNT, color) for color in ([255, 0, 255], [0, 255, 0])]
    return told[0], told[1]


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_drawings_are_on_the_board(drawn: Path, view: Callable[[Path], str], browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.goto(f"{view(drawn)}#match=match-0001&turn=2")
    wait_for_turn(page, 2)
    page.wait_for_function(f"() => ({COUNT})([255, 0, 255]) > 0")
    squares, line = colors(page)
    assert squares > 500
    assert line > 20
    page.keyboard.press("ArrowRight")
    wait_for_turn(page, 3)
    page.wait_for_function(f"() => ({COUNT})([255, 0, 255]) === 0")
    assert colors(page) == (0, 0)
    page.close()


def test_an_exported_page_has_none(drawn: Path) -> None:
    assert "here I go" not in export(drawn / "replays" / "match-0001.koth.gz")
