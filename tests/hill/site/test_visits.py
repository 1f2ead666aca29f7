"""A visitor plays against the leaders: the page that leads there, and one drive in a browser."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from django.urls import reverse

from koth.games import load
from koth.hill.models import Policy
from koth.hill.site.request_limits import REQUESTS_AT_ONCE, Message, RequestLimits
from koth.hill.site.visit_proxy import CONNECTIONS, VisitProxy
from koth.hill.site.visit_proxy import VISIT as VISIT_ADDRESS
from koth.hill.visit_process import open_socket
from koth.hill.visits import VISITS, Leaders, Visits, socket_of
from koth.sandbox.isolation import PLAIN
from koth.session.local import InlineBot
from tests.cli.program import finished, program
from tests.hill.conftest import Place
from tests.hill.site.conftest import visitor
from tests.hill.site.test_drive import Season
from tests.hill.site.test_drive import season as season

PATIENCE = 200
"""Seconds in which the leaders are ready."""
VISIT = f"/play/{'w' * 22}/play/events"


async def nobody(*_: Any) -> None:
    raise AssertionError("Django is not asked")


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


@pytest.mark.parametrize(
    "end", ["/play", "/play/events", "/games/pacman/play.js", "/replays/visit-1-1", "/", "/a..b"]
)
def test_pages_of_a_visit_are_passed_on(end: str) -> None:
    assert VISIT_ADDRESS.fullmatch(f"/play/{'w' * 22}{end}")


@pytest.mark.parametrize(
    "end", ["", "/..", "/../", "/play/../../", "/.", "/\0", "/a?b", "/a#b", "/a%2e", "/\u0661", "/a\n"]
)
def test_no_other_address_is_passed_on(end: str) -> None:
    """`/play/WORD/..` would begin a visit, of anybody, past the site's limits."""
    assert not VISIT_ADDRESS.fullmatch(f"/play/{'w' * 22}{end}")


def test_a_flood_of_requests_of_visits_is_refused(tmp_path: Path) -> None:
    """Those of one address that are answered at once are counted; without a process they are refused in words."""
    said: list[Any] = []

    async def ask(limited: RequestLimits) -> None:
        heard = [{"type": "http.request", "body": b"{}", "more_body": False}]

        async def receive() -> Message:
            if heard:
                return heard.pop()
            await asyncio.sleep(100)
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            said.append(message)

        scope = {"type": "http", "method": "POST", "path": VISIT, "scheme": "http", "headers": []}
        await limited(scope, receive, send)

    async def drive() -> None:
        limited = RequestLimits(nobody, visits=VisitProxy(tmp_path))
        await asyncio.wait_for(ask(limited), 60)
        limited.at_once[""] = REQUESTS_AT_ONCE
        await asyncio.wait_for(ask(limited), 60)

    asyncio.run(drive())
    assert [message["status"] for message in said if "status" in message] == [503, 503]
    words = b"".join(message["body"] for message in said if "body" in message)
    assert b"interrupted" in words
    assert b"too much at once" in words


def test_answers_need_not_wait_for_pages_and_streams(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (await reader.readline()).startswith(b"POST"):
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            await writer.drain()
        await reader.read()  # until the proxy closes the connection
        writer.close()

    async def ask(proxy: VisitProxy, method: str, end: str) -> list[Any]:
        said: list[Any] = []

        async def receive() -> Message:
            await asyncio.sleep(1000)
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            said.append(message)

        scope = {"method": method, "path": f"/play/{'w' * 22}{end}", "scheme": "http", "headers": []}
        await proxy(scope, b"", receive, send)
        return said

    async def drive() -> list[Any]:
        (tmp_path / VISITS).mkdir()
        proxy = VisitProxy(tmp_path)
        async with await asyncio.start_unix_server(answer, socket_of(tmp_path)):
            ends = ("/play/events", "/replays/visit-1-1")
            busy = [asyncio.create_task(ask(proxy, "GET", end)) for end in ends * (CONNECTIONS + 1)]
            await asyncio.sleep(0)
            try:
                return await asyncio.wait_for(ask(proxy, "POST", "/play/say"), 60)
            finally:
                for task in busy:
                    task.cancel()
                await asyncio.gather(*busy, return_exceptions=True)

    assert asyncio.run(drive())[0]["status"] == 204


def test_a_page_hears_of_its_match_until_it_is_closed(tmp_path: Path) -> None:
    (tmp_path / VISITS).mkdir()
    visits = Visits(tmp_path / VISITS, PLAIN)
    game = load("zombies")
    bot: Any = InlineBot("other", lambda observations, match_info: {})
    visits.leaders = Leaders(game, "published", next(iter(game.rulesets.values())), [bot])
    word = visits.begin(["one"])
    (visit,) = visits.playing
    person, body, is_closed = visit.tables[0].person, bytearray(), asyncio.Event()

    heard: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if heard:
            return heard.pop()
        await is_closed.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        body.extend(message.get("body", b"-"))
        if b'"hello"' in body:
            is_closed.set()

    async def drive() -> None:
        config = uvicorn.Config(visits.make_app(), log_level="error", lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        with open_socket(tmp_path) as door:
            serving = asyncio.create_task(server.serve(sockets=[door]))
            scope = {
                "type": "http", "method": "GET", "path": f"/play/{word}/play/events", "scheme": "http",
                "headers": [(b"cookie", b"secret")],
            }  # fmt: skip
            try:
                await asyncio.wait_for(RequestLimits(nobody, visits=VisitProxy(tmp_path))(scope, receive, send), 60)
                async with asyncio.timeout(60):
                    while person._listeners:
                        await asyncio.sleep(0.01)
            finally:
                server.should_exit = True
                await serving

    try:
        asyncio.run(drive())
    finally:
        visit.tables[0].interrupt()
    assert b'"hello"' in body


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
