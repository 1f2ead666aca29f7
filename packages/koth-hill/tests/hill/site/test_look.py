"""The site in a real browser: no page breaks its policy, is too wide, or shuts anybody out."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from django.urls import reverse

from koth_hill import authors, registry, tokens
from koth_hill.models import Author, Bot, Match, Season, Seat, Version
from koth_hill.uploads import read_policy, receive
from tests.hill.conftest import Place
from tests.hill.site.conftest import hill as hill
from tests.hill.site.conftest import site as site
from tests.hill.site.conftest import visitor
from tests.hill.site.test_safety import HOST, OWN, SEEN, SIGNED_IN, named
from tests.viewer.conftest import CHROMIUM

pytestmark = pytest.mark.needs("chromium")

LONG = "W" * 40
LOUD = """
import sys

class Bot:
    def do_turn(self, context):
        print("a line that is far too long for a phone, which is " + "long " * 40, file=sys.stderr)
        raise ValueError("no")
"""
ROLES = {SIGNED_IN: "anna", OWN: "anna", HOST: "hanna"}
"""Authors to whom pages are shown that are not for everybody."""
NAMES = {"author": "anna"}
UNSEEN = {
    "visit",
    *("live", "listing", "details", "replay", "static", "new-host", "match-transcript", "download", "source"),
    *("work", "work-bot", "try-listing", "try-listing-bot", "try-replay", "try-details", "try-transcript"),
}
"""Addresses that are not pages of a browser, or not there in this hill."""
ARE_NARROW = "[...document.querySelectorAll('.scroll')].every((part) => part.scrollWidth <= part.clientWidth)"
"""An expression that is true if no table needs sideways scrolling: on pages for everybody, but for the API's."""
VIEWS = (("dark", 390, 844, 1), ("light", 1366, 768, 3))
"""Colours and sizes: of a phone, for every page, and of a laptop, for every third page."""


class Looked(NamedTuple):
    """The address of a site, and the pages that each role has, by its cookie."""

    address: str
    paths: dict[str, list[str]]


@pytest.fixture
def looked(site: Place) -> Iterator[Looked]:
    """The site of a hill in use, served by a process of its own: names are long, bots fail, a season is published."""
    site.submit("Fox", "anna", LOUD)
    site.submit("M" * 40, LONG)
    Version.objects.update(state="playing")
    site("run", "--matches", 2, "--isolation", "none")
    cookies = {
        "": "",
        "anna": visitor("anna").cookies["sessionid"].value,
        "hanna": visitor("hanna", is_host=True).cookies["sessionid"].value,
    }
    anna, fox, match = Author.objects.get(name="anna"), Bot.objects.get(name="Fox"), Match.objects.get(pk=1)
    allowed = read_policy()
    allowed.open_registration, allowed.announcement = True, f"Welcome. {LONG} https://example.org/{LONG}"
    allowed.save()
    receive(anna, f"{LONG}.py", b"class Bot: pass")
    refused = Version.objects.create(author=anna, archive=b"", sent="hen.zip", state="refused", reason="No. " * 50)
    tokens.make_token(anna, "laptop")
    authors.invite_class("ben\n" + "V" * 40, actor="hanna")
    Season.objects.update(finalists=[version.pk for version in Version.objects.all()], final_matches=3)
    registry.suspend("M" * 40, "it is too long", "hanna")
    place = Seat.objects.get(match=match, version__bot=fox).place
    values = {"place": place, "number": 1, "uidb64": "MQ", "token": "no"}
    rows = {"version": refused, "own": fox, "host": anna, "season": match.season, "final": match.season}
    paths: dict[str, list[str]] = {cookie: [] for cookie in cookies.values()}
    for name in sorted(set(SEEN) - UNSEEN):
        wanted = named()[name].pattern.converters
        known = {**values, "pk": rows.get(name.partition("-")[0], match).pk, "name": NAMES.get(name, "Fox")}
        path = reverse(name, kwargs={key: known[key] for key in wanted})
        paths[cookies[ROLES.get(SEEN[name], "")]].append(path)
    paths[""] += ["/matches?bot=nobody", "/nowhere"]
    command = [sys.executable, "-m", "koth", "hill", "serve", str(site.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield Looked(server.stdout.readline().split()[0].rstrip("/"), paths)
        server.terminate()


@pytest.mark.slow
def test_every_page_can_be_used_by_everybody(looked: Looked) -> None:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    axe = Axe()
    said: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
        for scheme, width, height, step in VIEWS:
            for cookie, paths in looked.paths.items():
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
                if cookie:
                    context.add_cookies([{"name": "sessionid", "value": cookie, "url": looked.address}])
                page = context.new_page()
                page.on("console", lambda message: said.append(message.text))
                for path in paths[::step]:
                    page.goto(looked.address + path)
                    page.wait_for_selector("main:visible")  # the viewer's stands when its match is read
                    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
                    assert cookie or path == "/api" or page.evaluate(ARE_NARROW), (path, width)
                    found = [(one["id"], one["nodes"][0]["html"]) for one in axe.run(page).response["violations"]]
                    assert not found, (path, width, scheme, found)
                context.close()
        browser.close()
    assert [text for text in said if "Security Policy" in text] == []
