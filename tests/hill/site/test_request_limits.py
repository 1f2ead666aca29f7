"""Large requests are refused before anything of them is kept."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from django.core.cache import cache
from django.urls import reverse

from koth.discovery.packing import LARGEST_ARCHIVE
from koth.hill import authors, tokens, uploads
from koth.hill.models import Author
from koth.hill.site.request_limits import (
    BYTES_IN_MEMORY,
    LARGEST_FORM,
    PIECE_BYTES,
    REQUESTS_AT_ONCE,
    THREADS_OF_ONE,
    FairQueue,
    Message,
    Receive,
    RequestLimits,
    Send,
    Sender,
    find_sender,
)
from koth.hill.site.serve import THREADS
from koth.hill.site.throttle import network_of, take
from tests.hill.conftest import Place
from tests.hill.site.conftest import visitor


def sent(path: str, pieces: list[int], size: int | None, kind: bytes = b"") -> tuple[list[int], int]:
    """Return the statuses of a request's answer, and how many bytes of it the application heard."""
    statuses: list[int] = []
    heard = 0
    left = list(pieces)

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        nonlocal heard
        while (message := await receive())["type"] == "http.request":
            heard += len(message["body"])
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                return

    async def receive() -> Message:
        length = left.pop(0)
        return {"type": "http.request", "body": bytes(length), "more_body": bool(left)}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    headers = [] if size is None else [(b"content-length", str(size).encode())]
    headers += [(b"content-type", kind)] * bool(kind)
    scope: dict[str, Any] = {"type": "http", "method": "GET", "path": path, "headers": headers}
    asyncio.run(RequestLimits(app, lambda _: Sender("author 1", LARGEST_ARCHIVE))(scope, receive, send))
    return statuses, heard


@pytest.mark.parametrize("path", ["/submit", "/api/uploads", "/join"])
def test_what_is_small_goes_through_and_what_is_large_does_not(path: str) -> None:
    assert sent(path, [LARGEST_FORM // 2, LARGEST_FORM // 2], LARGEST_FORM) == ([200], LARGEST_FORM)
    assert sent(path, [1], LARGEST_ARCHIVE + LARGEST_FORM + 1) == ([413], 0)
    assert sent(path, [1], -1) == ([413], 0)


def test_only_bots_may_be_large() -> None:
    assert sent("/api/uploads", [1], LARGEST_FORM + 1)[0] == [200]
    assert sent("/join", [1], LARGEST_FORM + 1) == ([413], 0)


def test_who_says_no_size_or_a_wrong_one_is_heard_up_to_the_limit() -> None:
    assert sent("/join", [LARGEST_FORM // 2] * 5, None) == ([413], 0)
    assert sent("/join", [LARGEST_FORM // 2] * 5, 7) == ([413], 0)


@pytest.mark.parametrize("word", ["punycode", '"Punycode"', "hex", "utf-7", "utf-8-sig", "utf-8x"])
def test_only_utf_8_is_read(word: str) -> None:
    """Python takes half a minute to read a megabyte of punycode."""
    for charset in (f"Charset={word}", f"charset*=''{word}", f"charset*0={word}", f"charset=utf-8; charset={word}"):
        assert sent("/join", [1], 1, f"multipart/form-data; boundary=b; {charset}".encode()) == ([415], 0)


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=b", "text/plain;charset=UTF-8", 'a/b; charset="utf-8"; c=d']
)
def test_utf_8_may_be_named(kind: str) -> None:
    assert sent("/join", [1], 1, kind.encode()) == ([200], 1)


def test_only_authors_send_bots(site: Place) -> None:
    def allowed(*headers: tuple[bytes, bytes]) -> int:
        found = find_sender({"type": "http", "method": "POST", "path": "/submit", "headers": list(headers)})
        return 0 if found is None else found.largest

    session = visitor("anna").cookies["sessionid"].value.encode()
    token = tokens.make_token(authors.invite("anna"), "ci").encode()
    right = (b"cookie", b"sessionid=" + session), (b"authorization", b"Bearer " + token)
    assert [allowed(one) for one in right] == [uploads.read_policy().largest_upload] * 2
    assert [allowed((name, value[:-1])) for name, value in right] == [0, 0]
    Author.objects.update(is_active=False)
    assert [allowed(one) for one in right] == [0, 0]


def test_a_visitor_asks_for_so_much_at_once() -> None:
    statuses: list[int] = []

    async def ask(address: str, count: int) -> None:
        done = asyncio.Event()

        async def app(scope: Message, receive: Receive, send: Send) -> None:
            await done.wait()

        async def receive() -> Message:
            return {"type": "http.request", "body": b""}

        async def send(message: Message) -> None:
            statuses.append(message.get("status", 0))

        authors = {b"author": Sender("author-1", 0)}
        limited = RequestLimits(app, lambda scope: authors.get(dict(scope["headers"]).get(b"cookie", b"")))
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": "/", "headers": [], "client": (address, 1)}
        asked = [asyncio.create_task(limited(scope, receive, send)) for _ in range(REQUESTS_AT_ONCE)]
        await _all_wait(asked)
        for _ in range(count - REQUESTS_AT_ONCE):
            await limited(scope, receive, send)
        others = ({**scope, "client": ("192.0.2.9", 1)}, {**scope, "headers": [(b"cookie", b"author")]})
        asked += [asyncio.create_task(limited(other, receive, send)) for other in others]
        done.set()
        await asyncio.gather(*asked)
        await limited(scope, receive, send)

    asyncio.run(ask("192.0.2.7", REQUESTS_AT_ONCE))
    assert statuses == []
    asyncio.run(ask("192.0.2.7", REQUESTS_AT_ONCE + 2))
    assert [status for status in statuses if status] == [503, 503]


def test_a_visitor_leaves_threads_to_others() -> None:
    """A visitor has few requests in threads, and none in one while it reads an answer."""
    called: list[str] = []

    async def ask() -> None:
        done, read = asyncio.Event(), asyncio.Event()

        async def app(scope: Message, receive: Receive, send: Send) -> None:
            called.append(scope["client"][0])
            await done.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def receive() -> Message:
            return {"type": "http.request", "body": b""}

        async def send(message: Message) -> None:
            await read.wait()

        limited = RequestLimits(app)
        visitors = ["192.0.2.7"] * (THREADS + 1) + ["192.0.2.9"]
        asked = [
            asyncio.create_task(
                limited(
                    {"type": "http", "method": "GET", "path": "/", "headers": [], "client": (one, 1)}, receive, send
                )
            )
            for one in visitors
        ]
        await _all_wait(asked)
        assert called == ["192.0.2.7"] * THREADS_OF_ONE + ["192.0.2.9"]
        done.set()
        await _all_wait(asked)
        assert sorted(called) == visitors
        read.set()
        await asyncio.gather(*asked)

    assert THREADS_OF_ONE < THREADS
    asyncio.run(ask())


@pytest.mark.parametrize("size", [0, PIECE_BYTES, 3 * BYTES_IN_MEMORY])
def test_an_answer_is_sent_in_pieces(size: int) -> None:
    """Fifty connections of one visitor that read nothing took 800 MB of memory for a bot's sources."""
    sent: list[Message] = []

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(size), "more_body": True})
        await send({"type": "http.response.body"})

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(RequestLimits(app)({"type": "http", "method": "GET", "path": "/", "headers": []}, receive, send))
    assert [message["type"] for message in sent[:2]] == ["http.response.start", "http.response.body"]
    assert sum(len(message["body"]) for message in sent[1:]) == size
    assert max(len(message["body"]) for message in sent[1:]) <= PIECE_BYTES
    assert [message["more_body"] for message in sent[1:]] == [True] * (len(sent) - 2) + [False]


def test_a_class_that_signs_in_leaves_threads_to_others() -> None:
    """Each password that is hashed takes 100 MB, and everybody may ask for it."""
    called: list[str] = []
    paths = ["/sign-in", "/join", "/account", "/password/x/y", "/new-host/z", "/sign-in"]

    async def ask() -> None:
        done = asyncio.Event()

        async def app(scope: Message, receive: Receive, send: Send) -> None:
            called.append(scope["path"])
            await done.wait()

        async def receive() -> Message:
            return {"type": "http.request", "body": b""}

        async def send(message: Message) -> None:
            raise AssertionError(message)

        limited = RequestLimits(app)
        scope: dict[str, Any] = {"type": "http", "method": "POST", "headers": []}
        asked = [
            asyncio.create_task(limited({**scope, "path": path, "client": (f"192.0.2.{number}", 1)}, receive, send))
            for number, path in enumerate([*paths, "/"])
        ]
        await _all_wait(asked)
        assert called == [paths[0], "/"]
        done.set()
        await asyncio.gather(*asked)
        assert sorted(called) == sorted([*paths, "/"])

    asyncio.run(ask())


def test_nobody_waits_behind_many_transcripts_of_one_author() -> None:
    """One author's loop over transcripts gave others 409 in 18 of 20 tries."""
    made: list[str] = []
    turns = FairQueue(in_all=1)

    async def make(name: str) -> None:
        async with turns.turn(name):
            made.append(name)
            await asyncio.sleep(0)

    async def ask() -> None:
        await asyncio.gather(*map(make, ["anna", "anna", "anna", "ben", "carl"]))

    asyncio.run(ask())
    assert made == ["anna", "ben", "carl", "anna", "anna"]


@pytest.mark.parametrize("path", ["/matches/7/log/0/text", "/matches/7/replay"])
def test_one_transcript_or_replay_is_made_at_a_time(path: str) -> None:
    at_work, most, statuses = 0, 0, []

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        for _ in range(10):
            await asyncio.sleep(0)
        at_work -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        statuses.append(message.get("status"))

    async def ask() -> None:
        limited = RequestLimits(app, lambda scope: Sender(scope["client"][0], 0))
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": path, "headers": []}
        await asyncio.gather(*(limited({**scope, "client": (name, 1)}, receive, send) for name in "abc"))

    asyncio.run(ask())
    assert (most, statuses.count(200)) == (1, 3)


def test_many_wrong_passwords_slow_down_the_sign_ins_of_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("koth.hill.site.throttle.time.monotonic", lambda: now[0])
    cache.clear()
    assert [take("x", 100, 1.0) for _ in range(102)] == [True] * 100 + [False] * 2
    assert take("y", 100, 1.0)
    now[0] += 1.0
    assert [take("x", 100, 1.0) for _ in range(2)] == [True, False]


async def _all_wait(tasks: list[asyncio.Task[None]]) -> None:
    """Let tasks run until all of them wait."""
    for _ in tasks:
        for _ in range(10):
            await asyncio.sleep(0)


def test_who_has_a_network_is_one_visitor() -> None:
    found = [network_of(word) for word in ("192.0.2.7", "2001:db8::1", "2001:db8::2:3", "::ffff:192.0.2.7", "")]
    assert found == ["192.0.2.7", "2001:db8::", "2001:db8::", "192.0.2.7", ""]


def test_names_that_mean_nothing_are_not_kept(site: Place) -> None:
    """Of each of these addresses there are endlessly many."""
    places = ("/guide/", reverse("static", args=["x"]), "/bots/", "/authors/", "/matches?bot=")
    found = []
    for number in range(5):
        for place in places:
            visitor().get(f"{place}{number}")
        found.append(_kept())
    assert found[1:] == found[:1] * 4


def _kept() -> dict[str, int]:
    """Return how much each function of the site keeps of what it has returned."""
    modules = [its for name, its in list(sys.modules.items()) if name.startswith("koth.hill")]
    found = {one for its in modules for one in vars(its).values() if hasattr(one, "cache_info")}
    return {one.__name__: one.cache_info().currsize for one in found if one.__module__.startswith("koth")}
