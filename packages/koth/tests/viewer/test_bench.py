"""koth dev: after each save the open page shows the new match at the same turn, and what is wrong beside it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any

import pytest

from koth.cli import dev
from koth.cli.saves import Saves
from koth.diagnostics.checkup import CheckStep
from koth.games import home, load
from koth.services.options import CheckOptions
from koth.viewer.workbench import Now, Workbench
from tests.viewer.test_page import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.needs("chromium")

CLASS = """
from koth.games.zombies.bot import Move

class Mine:
    def do_turn(self, context):
        {}
        return Move.EAST
"""


class Dev:
    """`koth dev` as a process, and what it has printed."""

    def __init__(self, folder: Path, *words: str) -> None:
        code = "import sys; from koth.cli import main; main()"
        command = [sys.executable, "-c", code, "dev", *words, "--isolation", "none"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[0]
        self.printed: list[str] = []
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def _read(self, stdout: IO[str]) -> None:
        self.printed += stdout

    def end(self, number: int) -> int:
        """Tell it to end; its exit code."""
        self.process.send_signal(number)
        code = self.process.wait(120)
        self._reader.join(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page on a laptop. (What it asks for while the server ends fails, which is meant: tests leave it first.)"""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    yield context.new_page()
    context.close()


def bench(page: Page, word: str) -> None:
    """Wait until the bench says this."""
    until(page, "word => document.getElementById('bench')?.innerText.includes(word)", word)


def save(file: Path, text: str) -> None:
    """As editors do: another file, then its name."""
    beside = file.with_suffix(".new")
    beside.write_text(text)
    os.replace(beside, file)


@pytest.mark.slow
def test_a_class_is_saved_and_the_page_stays_at_its_turn(page: Page, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    file = tmp_path / "mine" / "bot.py"
    file.write_text(CLASS.format("pass"))
    dev = Dev(tmp_path, "mine", "--against", "@runner", "--set", "players=4", "--max-turns", "12")
    try:
        page.goto(dev.address)
        bench(page, "round 1: 12 turns")
        bench(page, "no fault")
        until(page, "document.querySelector('#turn span')?.textContent === '12'")
        until(page, "location.hash.includes('match-0001')")
        page.evaluate("location.hash += '&turn=7'")
        until(page, "document.querySelector('#turn b')?.textContent === '7'")
        save(file, CLASS.format("if context.game_clock == 5: print('now!'); {}['far']"))
        bench(page, "round 2: 12 turns")
        bench(page, "KeyError: 'far' (bot.py, line 6)")
        until(page, "location.hash.includes('match-0002')")
        until(page, "document.querySelector('#turn b')?.textContent === '7'")
        until(page, "document.getElementById('written').open && document.body.innerText.includes('now!')")
        page.click("#bench li button")
        until(page, "document.querySelector('#turn b')?.textContent === '6'")
        save(file, CLASS.format("pass").replace("context):", "context)"))
        bench(page, "it does not start: SyntaxError: expected ':' (bot.py, line 5)")
        save(file, CLASS.format("pass"))
        bench(page, "round 4: 12 turns")
        page.goto("about:blank")
    finally:
        code = dev.end(signal.SIGINT)
    assert code == 0
    printed = "".join(dev.printed)
    assert printed.count("--- ") == 4
    assert "KeyError: 'far' (bot.py, line 6)" in printed
    assert "the bot does not start: SyntaxError: expected ':' (bot.py, line 5)" in printed


@pytest.mark.slow
def test_a_compiled_bot_breaks_and_is_mended(page: Page, tmp_path: Path) -> None:
    shutil.copytree(home("pacman").folder / "bots" / "grazer", tmp_path / "mine")
    file = tmp_path / "mine" / "bot.c"
    good = file.read_text()
    dev = Dev(tmp_path, "mine", "--against", "@greedy", "--game", "pacman", "--max-turns", "3")
    try:
        page.goto(dev.address)
        bench(page, "round 1: 3 turns")
        save(file, good.replace("int main", "int main main"))
        bench(page, "its build failed")
        bench(page, "bot.c:")
        until(page, "document.getElementById('match') !== null")  # the match before is still there
        save(file, good)
        bench(page, "round 3: 3 turns")
        until(page, "location.hash.includes('match-0003')")
        page.goto("about:blank")
    finally:
        code = dev.end(signal.SIGTERM)
    assert code == 0
    assert "error: " in "".join(dev.printed)


def test_a_match_that_a_save_has_cut_short_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Workbench(load("zombies"), tmp_path, "mine", Now(1))
    is_saved = threading.Event()

    def match(bot: Any, others: Any, replay: Path, on_turn: Any) -> None:
        replay.parent.mkdir()
        replay.write_bytes(b"the beginning of a match")
        is_saved.set()

    bot = SimpleNamespace(name="mine")
    checkup: Any = SimpleNamespace(
        game=bench.game, isolation=None, build=lambda bot: (bot, CheckStep("found", "")), play_match=match
    )
    saves: Any = SimpleNamespace(are_new=is_saved.is_set)
    monkeypatch.setattr(dev, "find_only", lambda *words: bot)
    rounds = dev._Rounds(checkup, "mine", [], bench, saves, CheckOptions())
    rounds._play_round()
    assert is_saved.is_set()
    assert [*bench.replay.parent.iterdir()] == []


@pytest.mark.slow
def test_saves_are_seen(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "bot.py").write_text("1")
    saves, stop = Saves(tmp_path), threading.Event()
    (tmp_path / "__pycache__" / "bot.pyc").write_text("1")
    (tmp_path / ".bot.py.swp").write_text("1")
    assert not saves.are_new()
    save(tmp_path / "bot.py", "22")
    assert saves.are_new()
    assert saves.wait(stop)
    saves.look()
    assert not saves.are_new()
    (tmp_path / "bot.py").unlink()
    assert saves.wait(stop)
    alone = Saves(tmp_path / "other.py")
    time.sleep(0.01)
    (tmp_path / "other.py").write_text("1")
    assert alone.are_new()
    stop.set()
    assert not alone.wait(stop)
