"""The site in a real browser: no page breaks its policy, is too wide, or shuts anybody out."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.hill.conftest import Place
from tests.hill.site.conftest import hill as hill
from tests.viewer.conftest import CHROMIUM

pytestmark = pytest.mark.needs("chromium")

PAGES = (
    *(
        "/",
        "/rules",
        "/matches",
        "/matches?bot=nobody",
        "/bots",
        "/bots/Fox",
        "/authors/anna",
        "/seasons",
        "/seasons/1",
    ),
    *("/announcements", "/machine", "/sign-in", "/nowhere", "/guide/hill"),
)
SIZES = {"phone": (390, 844), "laptop": (1366, 768), "large": (2560, 1440)}


@pytest.fixture
def address(hill: Place) -> Iterator[str]:
    """The address of the site of a hill with a bot that has a long name, served by a process of its own."""
    hill.submit("Fox", "anna")
    hill.submit("M" * 40, "W" * 40)
    command = [sys.executable, "-m", "koth", "serve", str(hill.folder), "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[0].rstrip("/")
        server.terminate()


def test_every_page_can_be_used_by_everybody(address: str) -> None:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    axe = Axe()
    said: list[str] = []
    with sync_playwright() as playwright:  # after the hill was made: Django works in no thread with an event loop
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
        for scheme, (size, (width, height)) in itertools.product(("dark", "light"), SIZES.items()):
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.on("console", lambda message: said.append(message.text))
            for path in PAGES:
                page.goto(address + path)
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, size)
                found = [(one["id"], one["nodes"][0]["html"]) for one in axe.run(page).response["violations"]]
                assert not found, (path, size, scheme, found)
            context.close()
        browser.close()
    assert [text for text in said if "Security Policy" in text] == []
