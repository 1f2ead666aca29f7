"""A visitor plays against the leaders: the page that leads there, and one drive in a browser."""

from __future__ import annotations

import signal
import time
from threading import Thread
from typing import Any
from urllib.parse import quote

import pytest
import uvicorn
from django.urls import reverse

from koth.games import load
from koth.sandbox.isolation import PLAIN
from koth.session.local import InlineBot
from koth_hill.models import Policy
from koth_hill.visit_process import open_socket
from koth_hill.visits import VISITS, Leaders, Visits
from tests.cli.program import finished, program
from tests.hill.conftest import Place
from tests.hill.site.conftest import visitor
from tests.hill.site.driving import Season
from tests.hill.site.driving import season as season

PATIENCE = 200
"""Seconds in which the leaders are ready."""


def test_the_host_may_want_no_visitors(site: Place) -> None:
    assert reverse("play") in visitor().get("/").content.decode()
    page = visitor().get("/play")
    assert (page.status_code, "no runner" in page.content.decode() or "not at work" in page.content.decode()) == (
        200,
        True,
    )
    assert visitor().post("/play").status_code == 503
    Policy.objects.create(visitors_play=False)
    assert reverse("play") not in visitor().get("/").content.decode()
    assert (visitor().get("/play").status_code, visitor().post("/play").status_code) == (404, 404)


VISIT = f"/play/{'w' * 22}"


@pytest.mark.parametrize(
    "end", ["/play", "/play/messages", "/games/pacman/play.js", "/replays/visit-1-1", "/", "/a..b"]
)
def test_without_a_process_that_plays_a_visit_is_refused_in_words(end: str, site: Place) -> None:
    answer = visitor().get(VISIT + end)
    assert (answer.status_code, b"interrupted" in answer.content) == (503, True)


@pytest.mark.parametrize(
    "end", ["/..", "/../", "/play/../../", "/.", "/\0", "/a?b", "/a#b", "/a%2e", "/\u0661", "/a\n"]
)
def test_no_other_address_is_passed_on(end: str, site: Place) -> None:
    """`/play/WORD/..` would begin a visit, of anybody, past the site's limits."""
    assert visitor().get(VISIT + quote(end)).status_code == 404


def test_a_visit_is_passed_on_without_cookies(site: Place) -> None:
    (site.folder / VISITS).mkdir()
    visits = Visits(site.folder / VISITS, PLAIN)
    game = load("zombies")
    bot: Any = InlineBot("other", lambda observations, match_info: {})
    visits.leaders = Leaders(game, "published", next(iter(game.rulesets.values())), [bot])
    config = uvicorn.Config(visits.make_app(), log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    with open_socket(site.folder) as door:
        thread = Thread(target=server.run, args=([door],))
        thread.start()
        try:
            place = visitor().post("/play").headers["Location"].removesuffix("/play")
            page, script = visitor().get(f"{place}/play"), visitor().get(f"{place}/games/zombies/play.js")
            assert (page.status_code, script.headers["Content-Type"].partition(";")[0]) == (200, "text/javascript")
            while not (found := visitor().get(f"{place}/play/messages?after=1").json()):
                time.sleep(0.01)
            assert found[-1].keys() & {"spec", "hello"}
            sent, own = {"ready": True}, {"Origin": "http://127.0.0.1"}
            codes = [
                visitor().post(f"{place}/play/say", sent, "application/json", headers=headers).status_code
                for headers in ({}, {"Origin": "http://evil.example"}, own)
            ]
            assert codes == [403, 403, 200]
        finally:
            for visit in visits.playing:
                visit.matches[-1].interrupt()
            server.should_exit = True
            thread.join()


@pytest.mark.long
@pytest.mark.needs("chromium")
def test_a_visitor_plays_while_the_season_does(season: Season) -> None:
    for sample in ("runner", "hunter"):
        season.koth("hill", "submit", season.folder, f"@{sample}", "--author", "sample")
    runner = program("hill", "run", season.folder, cwd=season.folder.parent)
    try:
        page, wrong = season.person(has_scripts=True), []
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{season.address}/")
        page.click("text=Play the leaders")
        end = time.monotonic() + PATIENCE
        while not page.locator("main form button").count():
            assert time.monotonic() < end, page.inner_text("main")
            page.wait_for_timeout(500)
            page.reload()
        page.click("main form button")
        page.wait_for_selector("#welcome[open]")
        page.keyboard.press("Enter")
        for turn in (1, 2):
            page.wait_for_selector(f"#subtitle >> text='your move {turn}'")
            page.keyboard.press("s")
        page.reload()
        page.wait_for_selector("#subtitle >> text='your move 3'")

        other = season.person()
        other.goto(f"{season.address}/play")
        assert "Playing needs JavaScript" in other.inner_text("main")
        other.click("main form button")
        assert "at your address" in other.inner_text("[role=alert]")

        page.click("#leave")
        page.click("#gone")
        page.wait_for_selector("#over[open]")
        page.click("#watch")
        page.wait_for_selector("#standings tbody tr")
        other.click("main form button")
        other.wait_for_url("**/play")
        assert "Playing needs JavaScript" in other.content()
        assert wrong == []
    finally:
        runner.send_signal(signal.SIGINT)
        done = finished(runner)
    assert "match " in done.err, "the season goes on"
    assert not [line for line in done.err.splitlines() if "Traceback" in line]
