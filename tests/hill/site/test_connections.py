"""Connections to the site that say nothing, half a request, or read no answer, and those of others beside them."""

from __future__ import annotations

import asyncio
import resource
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from koth.hill.site import connections, request_limits, visit_proxy
from koth.hill.site.connections import Crowd, make_connection_class
from koth.hill.site.request_limits import App, Message, Receive, RequestLimits, Send
from tests.hill.conftest import Place

LIMIT = 60.0
"""Seconds after which a test that waits has failed."""
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
Asked = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def hello(scope: Message, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


@asynccontextmanager
async def site(most: int = 100, of_one: int = 100, app: App = hello) -> AsyncIterator[Callable[..., Any]]:
    """Serve an application with all limits; the value connects to it and sends something."""
    kind = make_connection_class(Crowd(most, of_one))
    config = uvicorn.Config(RequestLimits(app, lambda _: None), http=kind, ws="none", lifespan="off", log_config=None)
    config.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(
        lambda: kind(config=config, server_state=state, app_state={}), "127.0.0.1", 0
    )
    opened: list[asyncio.StreamWriter] = []

    async def connect(sent: bytes) -> Asked:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname(), limit=1)
        opened.append(writer)
        writer.write(sent)
        return reader, writer

    async with asyncio.timeout(LIMIT):
        yield connect
        for writer in opened:
            writer.close()
        server.close()


async def rest(asked: Asked) -> bytes:
    """Return what still comes before the site ends the connection."""
    try:
        return await asked[0].read()
    except ConnectionError:
        return b""


async def answer(asked: Asked) -> bytes:
    """Return the body of the next answer."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += await asked[0].readexactly(1)
    return await asked[0].readexactly(5)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nX: ", GET + b"GET /"])
def test_who_sends_no_whole_request_in_time_is_cut_off(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_TIMEOUT", 0.1)

    async def run() -> None:
        async with site() as connect:
            came = await rest(await connect(sent))
            assert came.endswith(b"hello" if sent.startswith(GET) else b"")

    asyncio.run(run())


def test_a_body_that_does_not_come_is_answered_408(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limits, "BODY_TIMEOUT", 0.1)

    async def run() -> None:
        async with site() as connect:
            assert b" 408 " in await rest(await connect(POST))

    asyncio.run(run())


def test_the_longest_idle_connection_of_an_address_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with site(of_one=3) as connect:
            idle = [await connect(b"GET / HT") for _ in range(3)]
            used = await connect(GET)
            assert await answer(used) == b"hello"
            assert await rest(idle[0]) == b""
            assert await answer(await connect(GET)) == b"hello"
            assert await rest(idle[1]) == b""
            used[1].write(GET)
            assert await answer(used) == b"hello"

    asyncio.run(run())


def test_the_longest_idle_connection_of_all_gives_way() -> None:
    async def run() -> None:
        async with site(most=2) as connect:
            idle = [await connect(b"") for _ in range(2)]
            assert await answer(await connect(GET)) == b"hello"
            assert await rest(idle[0]) == b""

    asyncio.run(run())


def test_requests_without_bodies_keep_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limits, "SLOW_REQUESTS", 3)

    async def run() -> None:
        async with site() as connect:
            slow = [await connect(POST) for _ in range(4)]
            assert await rest(slow[0]) == b""
            assert await answer(await connect(GET)) == b"hello"
            late = await connect(POST + b"123456789")
            assert await answer(late) == b"hello"
            assert await rest(slow[1]) == b""

    asyncio.run(run())


def test_who_reads_no_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit_proxy, "PIECE_TIMEOUT", 0.1)
    size = 64 << 20

    async def large(scope: Message, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % size)]})
        await send({"type": "http.response.body", "body": bytes(size)})

    async def run() -> None:
        ended = asyncio.Event()
        monkeypatch.setattr(
            connections.SiteConnection, "connection_lost", lambda self, exc: (ended.set(), lost(self, exc))
        )
        async with site(app=large) as connect:
            asked = await connect(GET)
            await ended.wait()
            assert len(await rest(asked)) < size

    lost = connections.SiteConnection.connection_lost
    asyncio.run(run())


def test_many_requests_on_one_connection_are_answered_in_order() -> None:
    async def run() -> None:
        async with site() as connect:
            asked = await connect(GET * 20)
            assert [await answer(asked) for _ in range(20)] == [b"hello"] * 20
            old = await connect(b"GET / HTTP/1.0\r\n\r\n")
            assert (await rest(old)).endswith(b"hello")

    asyncio.run(run())


def test_the_soft_limit_of_files_is_raised() -> None:
    code = (
        "import resource; from koth.hill.site.connections import raise_limit_of_files as f;"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]));"
        "print(f(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = connections.OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, connections.OPEN_FILES)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(most // 2), str(most)]


def test_a_burst_of_connections_takes_no_file_that_the_site_needs(hill: Place) -> None:
    """They come while the site is busy, so that it accepts them all at once; it has 1,024 files."""
    limited = ["sh", "-c", 'ulimit -n 1024; exec "$@"', "sh", sys.executable, "-m", "koth", "hill", "serve"]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    command, pipe = [*limited, str(hill.folder), "--no-open"], subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as server, ExitStack() as opened:
        opened.callback(server.kill)
        assert server.stdout is not None
        assert server.stderr is not None
        address = server.stdout.readline().split()[0]
        port = int(address.rpartition(":")[2])
        urllib.request.urlopen(f"{address}/rules", timeout=LIMIT).close()
        server.send_signal(signal.SIGSTOP)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        opened.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(1100):
            door = opened.enter_context(socket.socket())
            door.setblocking(False)
            door.connect_ex(("127.0.0.1", port))
        server.send_signal(signal.SIGCONT)
        with urllib.request.urlopen(f"{address}/rules", timeout=LIMIT) as found:
            assert found.status == 200
        server.kill()
        assert server.stderr.read() == ""
