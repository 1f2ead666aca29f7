"""The limits of the site: sizes, requests at once, posts in a quarter of an hour, connections of a real server."""

from __future__ import annotations

import gzip
import re
import shutil
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.core.signals import request_finished
from django.db import connections
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import reverse
from waitress import wasyncore

from koth_hill import authors, tokens
from koth_hill.models import Author, Policy
from koth_hill.site.limits import (
    COSTLY_AT_ONCE,
    LARGEST_FORM,
    POSTS,
    THREADS,
    THREADS_OF_ONE,
    RequestLimits,
    Slots,
    network_of,
)
from koth_hill.site.serve import FORM_PARTS, make_server
from koth_hill.site_settings import LOCAL
from tests.hill.conftest import Place
from tests.hill.site.conftest import PASSWORD, visitor
from tests.viewer.conftest import CHROMIUM

LIMIT = 60.0
"""Seconds after which a test that waits has failed."""
FORM = "multipart/form-data; boundary=b"


def post_bytes(path: str, size: int, name: str | None = None, **headers: str) -> int:
    answer = visitor(name).generic("POST", path, b"x" * size, content_type=FORM, headers=headers)
    return int(answer.status_code)


@pytest.mark.parametrize("path", ["/join", "/submit", "/api/versions", "/write"])
def test_a_visitor_sends_no_large_request(path: str, site: Place) -> None:
    Policy.objects.create(open_registration=True)
    assert post_bytes(path, LARGEST_FORM + 1) == 413
    assert post_bytes(path, 1) != 413


def test_authors_upload_large_bots_and_nothing_else(site: Place) -> None:
    large = LARGEST_FORM + 1
    token = tokens.make_token(authors.invite("anna"), "ci")
    assert post_bytes("/submit", large, "anna") != 413
    assert post_bytes("/api/versions", large, authorization=f"Bearer {token}") != 413
    assert post_bytes("/write", large, "anna") == 413
    assert post_bytes("/api/versions", large, authorization=f"Bearer {token[:-1]}") == 413
    Author.objects.update(is_active=False)
    assert post_bytes("/api/versions", large, authorization=f"Bearer {token}") == 413


@pytest.mark.parametrize("word", ["punycode", '"Punycode"', "hex", "utf-7", "utf-8-sig", "utf-8x"])
def test_only_utf_8_is_read(word: str, site: Place) -> None:
    """Python takes half a minute to read a megabyte of punycode."""
    for charset in (f"Charset={word}", f"charset*=''{word}", f"charset*0={word}", f"charset=utf-8; charset={word}"):
        answer = visitor().generic("POST", "/code", b"x", content_type=f"{FORM}; {charset}")
        assert answer.status_code == 415
    for kind in (FORM, "text/plain;charset=UTF-8", 'a/b; charset="utf-8"; c=d'):
        assert visitor().generic("POST", "/code", b"x", content_type=kind).status_code != 415


def test_slots_are_of_one_visitor_and_of_all() -> None:
    slots, found = Slots(2, 3), []
    with ExitStack() as stack:
        found += [stack.enter_context(slots.take(who)) for who in "aaabc"]
    with slots.take("c") as is_free:
        assert (found, is_free) == ([True, True, False, True, False], True)


class HeldSite:
    """The middleware before a site that answers when it is told to."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.inside = threading.Semaphore(0)
        self.limits = RequestLimits(self._answer)
        self.answers: list[threading.Thread] = []

    def _answer(self, request: HttpRequest) -> HttpResponse:
        self.inside.release()
        assert self.go.wait(LIMIT)
        return HttpResponse("hello")

    def ask(self, path: str, address: str = "192.0.2.1", method: str = "GET", user: Any = None) -> HttpResponse:
        request = RequestFactory().generic(method, path, REMOTE_ADDR=address)
        request.user = user or AnonymousUser()
        return self.limits(request)

    def begin(self, *words: Any, **keys: Any) -> None:
        """Ask in a thread, and return when the site is about to answer."""
        self.answers.append(threading.Thread(target=self.ask, args=words, kwargs=keys))
        self.answers[-1].start()
        assert self.inside.acquire(timeout=LIMIT)


@pytest.fixture
def held(site: Place) -> Iterator[HeldSite]:
    found = HeldSite()
    yield found
    found.go.set()
    for thread in found.answers:
        thread.join()


def test_an_address_leaves_threads_to_others(held: HeldSite) -> None:
    for _ in range(THREADS_OF_ONE):
        held.begin("/")
    refused = held.ask("/")
    assert (refused.status_code, refused["Retry-After"], refused["Refresh"]) == (429, "2", "2")
    refused = held.ask("/write", method="POST")
    assert (refused.status_code, "Refresh" in refused, b"Go back" in refused.content) == (429, False, True)
    held.begin("/", "192.0.2.2")
    held.begin("/static/x", "192.0.2.1")
    assert THREADS_OF_ONE < THREADS
    held.go.set()
    for thread in held.answers:
        thread.join()
    assert held.ask("/").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/matches/7/log/0/text",
        "/tries/7/transcript",
        "/matches/7/replay",
        "/tries/7/replay",
        "/api/matches/7/replay",
    ],
)
def test_a_visitor_gets_one_transcript_and_one_replay_at_a_time(path: str, held: HeldSite) -> None:
    anna, ben = (Author(pk=pk, name=name) for pk, name in ((1, "anna"), (2, "ben")))
    held.begin(path, user=anna)
    assert held.ask(path, "192.0.2.9", user=anna).status_code == 429
    held.begin(path, user=ben)
    assert held.ask(path, user=Author(pk=3, name="carl")).status_code == 429, "an address has two"
    for number in range(COSTLY_AT_ONCE - 2):
        held.begin(path, f"192.0.3.{number}")
    assert held.ask(path, "192.0.2.77").status_code == 429
    held.begin("/", "192.0.2.77")


def test_as_many_passwords_are_hashed_at_once_as_there_are_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    cache.clear()
    held = HeldSite()
    held.begin("/sign-in", method="POST")
    held.begin("/password/x/y", "192.0.2.2", method="POST")
    refused = [
        held.ask(path, "192.0.2.3", method="POST").status_code for path in ("/join", "/account", "/new-host/z")
    ]
    held.begin("/sign-in", "192.0.2.3")
    held.go.set()
    assert refused == [429] * 3


def test_posts_of_an_address_are_counted_for_a_quarter_of_an_hour(site: Place) -> None:
    sent = {"code": "x"}
    assert [visitor().post("/code", sent).status_code for _ in range(POSTS["code"] + 1)][-2:] == [422, 429]
    assert b"a quarter of an hour" in visitor().post("/code", sent).content
    assert visitor().get("/code").status_code == 200
    assert visitor().post("/code", sent, REMOTE_ADDR="192.0.2.2").status_code == 422


def test_who_has_a_network_is_one_visitor() -> None:
    found = [network_of(word) for word in ("192.0.2.7", "2001:db8::1", "2001:db8::2:3", "::ffff:192.0.2.7", "")]
    assert found == ["192.0.2.7", "2001:db8::", "2001:db8::", "192.0.2.7", ""]


def test_a_script_learns_where_a_form_leads(site: Place) -> None:
    visitor("anna")
    client = visitor()
    answer = client.post("/sign-in", {"username": "anna", "password": PASSWORD}, headers={"X-Requested-With": "koth"})
    assert (answer.status_code, answer.json()) == (200, {"address": "/"})
    assert client.get("/account").status_code == 200, "it is signed in"


def test_texts_are_compressed_and_replays_are_not(site: Place) -> None:
    site.submit("a", "anna")
    site.submit("b", "ben")
    site("run", "--matches", 1, "--isolation", "none")
    asked = {"Accept-Encoding": "gzip"}
    page, replay = (visitor().get(path, headers=asked) for path in ("/rules", "/matches/1/replay"))
    assert (page["Content-Encoding"], "Content-Encoding" in replay) == ("gzip", False)
    part = visitor().get("/matches/1/replay", headers={**asked, "Range": "bytes=0-9"})
    assert (part.status_code, part.content) == (206, replay.content[:10])
    script = reverse("static", args=["codemirror.js"])
    plain, packed = (visitor().get(script, headers=headers) for headers in ({}, asked))
    assert gzip.decompress(packed.content) == plain.content
    parts = ("codemirror.js", "main.js", "style.css", "write.css", "write.js", "files.js", "editor.js")
    sizes = [len(visitor().get(reverse("static", args=[part]), headers=asked).content) for part in parts]
    assert sum(sizes) < 385_000, "of the editor's page, which has some small files more"


def test_names_that_mean_nothing_are_not_kept(site: Place) -> None:
    """Of each of these addresses there are endlessly many."""
    places = (reverse("static", args=["x"]), "/bots/", "/authors/", "/matches?bot=")
    found = []
    for number in range(5):
        for place in places:
            visitor().get(f"{place}{number}")
        found.append(_kept())
    assert found[1:] == found[:1] * 4


def _kept() -> dict[str, int]:
    """Return how much each function of the site keeps of what it has returned."""
    modules = [its for name, its in list(sys.modules.items()) if name.startswith("koth_hill")]
    found = {one for its in modules for one in vars(its).values() if hasattr(one, "cache_info")}
    return {one.__name__: one.cache_info().currsize for one in found if one.__module__.startswith("koth")}


# --- a real server


@contextmanager
def serving(trusted_proxy: str | None = None) -> Iterator[Callable[[bytes], socket.socket]]:
    """Serve the open hill; the value connects and sends something."""

    def close(**_: Any) -> None:
        connections.close_all()  # of the server's threads

    with socket.socket() as door, ExitStack() as opened:
        door.bind(("127.0.0.1", 0))
        address = door.getsockname()
        server = make_server(door, trusted_proxy)
        thread = threading.Thread(target=server.run)
        thread.start()
        request_finished.connect(close)

        def connect(sent: bytes) -> socket.socket:
            found = opened.enter_context(closing(socket.create_connection(address, LIMIT)))
            found.sendall(sent)
            return found

        try:
            yield connect
        finally:
            server.task_dispatcher.shutdown()
            server.trigger.pull_trigger(lambda: _stop(server))
            thread.join()
            request_finished.disconnect(close)


def _stop(server: Any) -> None:
    """Close all connections with what they keep, in the server's own thread, which then ends."""
    for channel in list(server.active_channels.values()):
        channel.handle_close()
        for request in filter(None, [channel.request, *channel.requests]):
            request.close()
    wasyncore.close_all(server._map)


def head(path: str = "/rules", *lines: str, method: str = "GET") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", f"Host: {LOCAL[0]}", *lines, "", ""]).encode()


def status(door: socket.socket) -> int:
    """Return the status of an answer."""
    return int(door.recv(100).split(maxsplit=2)[1])


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (head("/rules", f"X: {'x' * (1 << 15)}"), 431),
        (head("/join", "Content-Length: 99999999", method="POST"), 413),
        (head("/join", "Content-Length: 1, 2", method="POST"), 400),
        (head("/join", "Content-Length: 5", "Content-Length: 0", method="POST") + b"x" * 5, 400),
        (head("/join", "Transfer-Encoding: chunked, gzip", method="POST"), 501),
        (head("/join", "Transfer-Encoding: xchunked", method="POST"), 501),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX : y\r\n\r\n", 400),
        (b"\0\r\n\r\n", 400),
    ],
)
def test_requests_that_two_servers_may_read_differently_are_refused(sent: bytes, expected: int, site: Place) -> None:
    with serving() as connect:
        door = connect(sent)
        assert status(door) == expected
        with suppress(ConnectionResetError):
            while door.recv(1 << 16):
                pass  # the connection is closed: nothing behind it is a request


def test_a_body_of_unknown_size_is_read_up_to_the_limit(site: Place) -> None:
    Policy.objects.create(largest_upload=LARGEST_FORM)
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    chunks = (LARGEST_FORM + FORM_PARTS) // 0x10000
    with serving() as connect:
        for count, expected in ((chunks, 413), (16, 415)):
            door = connect(
                head("/code", "Transfer-Encoding: chunked", "Content-Type: a/b; charset=hex", method="POST")
            )
            door.sendall(chunk * count + b"0\r\n\r\n")
            assert status(door) == expected


def test_slow_visitors_take_no_thread(site: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies that do not come, unread answers of 30 MB, and idle connections leave all threads to others."""
    monkeypatch.setattr("koth_hill.site.pages.packed", lambda *_: gzip.compress(bytes(30 << 20), 1))
    with serving() as connect:
        slow = [connect(head("/join", "Content-Length: 1000", method="POST") + b"x") for _ in range(2 * THREADS)]
        slow += [connect(head(reverse("static", args=["site.css"]))) for _ in range(THREADS + 2)]
        slow += [connect(b"GET /") for _ in range(50)]
        for door in slow[2 * THREADS : 3 * THREADS + 2]:
            assert status(door) == 200
        assert status(connect(head())) == 200


def test_a_connection_without_a_byte_for_some_time_is_closed(site: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth_hill.site.serve.SILENCE_TIMEOUT", 1)
    with serving() as connect:
        for door in (connect(b""), connect(b"GET /"), connect(head("/join", "Content-Length: 9", method="POST"))):
            assert door.recv(1) == b""


@pytest.mark.needs("chromium")
def test_a_browser_sends_a_refused_form_again(site: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was typed stays, also where the answer is the form again."""
    from playwright.sync_api import sync_playwright

    visitor("anna")
    refusals = [True, True, False, True, False]

    @contextmanager
    def take(slots: Slots, who: str) -> Iterator[bool]:
        yield slots._of_one == THREADS_OF_ONE or not refusals.pop(0)

    monkeypatch.setattr(Slots, "take", take)
    with serving() as connect, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
        page = browser.new_page()
        port = connect(b"").getpeername()[1]
        page.goto(f"http://{LOCAL[0]}:{port}/sign-in")
        page.fill("[name=username]", "anna")
        page.fill("[name=password]", "wrong")
        page.click("main button")
        page.wait_for_selector(".errorlist")
        assert page.input_value("[name=username]") == "anna"
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        page.wait_for_selector("#sign-out")
        assert page.url == f"http://{LOCAL[0]}:{port}/"
        browser.close()
    assert refusals == []


@pytest.mark.parametrize(
    ("trusted", "expected"), [("127.0.0.1", "192.0.2.7"), ("192.0.2.1", "127.0.0.1"), (None, "127.0.0.1")]
)
def test_behind_a_proxy_the_visitors_address_counts(trusted: str | None, expected: str, site: Place) -> None:
    """The proxy adds the last address; before it stands what the visitor says."""
    with serving(trusted) as connect:
        with closing(connect(head("/sign-in", "X-Forwarded-For: 192.0.2.7", "Connection: close"))) as door:
            page = b"".join(iter(lambda: door.recv(1 << 16), b"")).decode()
        token, cookie = (
            re.search(pattern, page) for pattern in ('csrfmiddlewaretoken" value="(.*?)"', "csrftoken=(.*?);")
        )
        assert token
        assert cookie
        form = f"username=anna&password=no&csrfmiddlewaretoken={token[1]}".encode()
        more = ["X-Forwarded-For: 198.51.100.1, 192.0.2.7", "Content-Type: application/x-www-form-urlencoded"]
        more += [f"Content-Length: {len(form)}", f"Cookie: csrftoken={cookie[1]}"]
        assert status(connect(head("/sign-in", *more, method="POST") + form)) == 200
    assert AccessAttempt.objects.get().ip_address == expected
