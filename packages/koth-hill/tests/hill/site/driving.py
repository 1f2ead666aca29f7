"""A hill, its site, and people who use it in browsers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.program import SMALL, Done, finished, program
from tests.hill.site.conftest import PASSWORD
from tests.viewer.conftest import CHROMIUM

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 600
"""Seconds in which a bot is checked, whatever else this machine does."""


class Season:
    """A hill in a folder, its site, and the people who use it."""

    def __init__(self, folder: Path, address: str, browser: Browser) -> None:
        self.folder, self.address = folder, address
        self._browser = browser

    def person(self, has_scripts: bool = False) -> Page:
        """Return a page of a browser of somebody's own."""
        page = self._browser.new_context(java_script_enabled=has_scripts).new_page()
        page.set_default_timeout(60_000)
        return page

    def join(self, name: str) -> Page:
        """Have somebody join, and return their page."""
        page = self.person()
        page.goto(f"{self.address}/join")
        page.fill("[name=name]", name)
        page.fill("[name=password1]", PASSWORD)
        page.fill("[name=password2]", PASSWORD)
        page.click("main button")
        assert page.url == f"{self.address}/write"
        page.goto(f"{self.address}/submit")
        return page

    def koth(self, *words: object) -> Done:
        """Run a command, which must work."""
        done = finished(program(*words, cwd=self.folder.parent))
        assert done.code == 0, done.err
        return done


@pytest.fixture
def season(tmp_path: Path) -> Iterator[Season]:
    from playwright.sync_api import sync_playwright

    folder = tmp_path / "hill"
    done = finished(
        program("hill", "init", "zombies", folder, "--seats", 2, "--rank-by", "rating", *SMALL, cwd=tmp_path)
    )
    assert done.code == 0, done.err
    command = [sys.executable, "-m", "koth", "hill", "serve", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
        assert server.stdout is not None
        address, *_ = server.stdout.readline().split()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
        yield Season(folder, address.rstrip("/"), browser)
        browser.close()
        server.terminate()


def write(page: Page, text: str) -> None:
    """Replace what is in the editor."""
    page.click(".cm-content:visible")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)
