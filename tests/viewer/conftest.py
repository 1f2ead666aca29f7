"""Replays, the viewer's server as a process, and a browser to look at it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from koth.games import load
from tests.viewer.quiet import listen_always
from tests.viewer.recording import record, shoot_zombies, small_zombies

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = "<b>bold</b>\u202egnp.exe\x07\n"
NAMES = ("Runner", HOSTILE, "Coward")
CHROMIUM = (
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder with two matches of zombies, the first of 300 turns (three members)."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "replays").mkdir()
    game = load("zombies")
    for index, turns in enumerate((300, 40)):
        path = folder / f"replays/match-{index}.koth.gz"
        record(path, game, small_zombies(game), NAMES, turns, shoot_zombies)
    return folder


@pytest.fixture(scope="session")
def replay(run: Path) -> Path:
    """The first match's replay."""
    return run / "replays" / "match-0.koth.gz"


@pytest.fixture
def view() -> Iterator[Callable[[Path], str]]:
    """Start `koth view PATH`; gives the page's address."""
    started: list[subprocess.Popen[str]] = []

    def start(path: Path) -> str:
        code = "import sys; from koth.cli import main; main()"
        command = [sys.executable, "-c", code, "view", "--no-open", str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        return process.stdout.readline().split()[0]

    yield start
    for process in started:
        process.terminate()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture(scope="module")
def browser(wrong: list[str]) -> Iterator[Browser]:
    """Headless Chromium. (Not for the session: while it is open no other event loop can run.)"""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
        listen_always(chromium, wrong)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def wrong() -> list[str]:
    """Return the errors of all pages of the browser."""
    return []


@pytest.fixture(autouse=True)
def quiet(wrong: list[str]) -> Iterator[None]:
    """Nothing goes wrong on any page of any test."""
    wrong.clear()
    yield
    assert wrong == []
