"""Replays, the viewer's server as a process, and a browser to look at it."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn

from koth.games import load
from koth.viewer.server import make_app
from tests.viewer.quiet import listen_always
from tests.viewer.recording import record, shoot_zombies, small_zombies

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = "<b>bold</b>\u202egnp.exe\x07\n"
NAMES = ("Runner", HOSTILE, "Coward")
REFUSES = """
const refuse = () => { throw new DOMException("denied", "SecurityError"); };
Object.defineProperty(self, "localStorage", {get: refuse});
Object.defineProperty(navigator, "clipboard", {get: refuse});
Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("denied"));
history.replaceState = refuse;
"""
"""The script of a browser that refuses whatever a page can do without."""
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
    """Serve what `koth view PATH` serves, in a thread of this process; gives the page's address."""
    with ExitStack() as stack:
        yield lambda path: stack.enter_context(serving(path))


@contextmanager
def serving(path: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as door:
        config = uvicorn.Config(make_app(path), log_level="error", lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([door],), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}/"
        server.should_exit = True
        thread.join(60)


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
