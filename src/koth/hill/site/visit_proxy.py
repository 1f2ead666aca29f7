"""The proxy between a visitor and the process that plays the matches of visitors."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import httpx

from koth.hill.visits import HOME, socket_of

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

VISIT = re.compile(r"/play/[\w-]{22}(?:/(?!\.{1,2}(?:/|$))[\w.-]*)+", re.ASCII)
"""Addresses of visits: a secret word, and a path that leads nowhere else.

With `..` the path would lead to other visits, and to the address that begins visits, past the limits of the site.
"""
INSIDE = "http://127.0.0.1"
"""The host name in requests to that process, which answers only requests from this machine."""
REQUEST_HEADERS = (b"content-type", b"last-event-id", b"range")
"""Headers of requests that the proxy passes on: no cookies, no tokens."""
CONNECTION_HEADERS = (b"connection", b"transfer-encoding")
"""Headers of answers that concern one connection only; the proxy does not pass these on."""
PIECE_TIMEOUT = 60.0
"""Seconds within which a visitor must read a piece of an answer."""
SILENCE_TIMEOUT = 30.0
"""Seconds within which that process must send data; on a quiet page it sends data every ten seconds."""
CONNECTIONS = 50
"""The most connections to that process for requests of one kind: streams and downloads never keep answers waiting."""
NOBODY = b"the matches of visitors are interrupted; begin again on the page of the hill\n"


class VisitProxy:
    """An ASGI application for requests whose bodies were read; it passes answers on as they arrive."""

    def __init__(self, hill: Path) -> None:
        self._clients = {kind: self._make_client(hill) for kind in ("stream", "answer", "page")}

    @staticmethod
    def _make_client(hill: Path) -> httpx.AsyncClient:
        limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=0)
        transport = httpx.AsyncHTTPTransport(uds=socket_of(hill), limits=limits)
        return httpx.AsyncClient(transport=transport, base_url=INSIDE, timeout=SILENCE_TIMEOUT)

    async def __call__(self, scope: Message, body: bytes, receive: Receive, send: Send) -> None:
        """Answer a request, until the visitor disconnects. Raises TimeoutError if the visitor does not read."""
        answer = asyncio.create_task(self._answer(scope, body, send))
        gone = asyncio.create_task(_wait_until_gone(receive))
        try:
            await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                answer.result()
        finally:
            answer.cancel()
            gone.cancel()
            await asyncio.gather(answer, gone, return_exceptions=True)

    async def _answer(self, scope: Message, body: bytes, send: Send) -> None:
        has_begun = False
        try:
            path = scope["path"].removeprefix("/play")
            kind = "answer" if scope["method"] == "POST" else "stream" if path.endswith("/events") else "page"
            asked = self._clients[kind].stream(scope["method"], path, headers=_headers_to_pass(scope), content=body)
            async with asked as answer:
                raw = [(name.lower(), value) for name, value in answer.headers.raw]
                headers = [header for header in raw if header[0] not in CONNECTION_HEADERS]
                await send_piece(
                    send, {"type": "http.response.start", "status": answer.status_code, "headers": headers}
                )
                has_begun = True
                async for piece in answer.aiter_raw():
                    await send_piece(send, {"type": "http.response.body", "body": piece, "more_body": True})
        except httpx.HTTPError:
            if not has_begun:
                headers = [(b"content-type", b"text/plain"), (b"link", f'<{HOME}>; rel="up"'.encode())]
                await send_piece(send, {"type": "http.response.start", "status": 503, "headers": headers})
                await send_piece(send, {"type": "http.response.body", "body": NOBODY, "more_body": True})
        await send_piece(send, {"type": "http.response.body", "body": b"", "more_body": False})


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def send_piece(send: Send, message: Message) -> None:
    """Send a piece of an answer. Raises TimeoutError if the visitor does not read it in time."""
    async with asyncio.timeout(PIECE_TIMEOUT):
        await send(message)


def _headers_to_pass(scope: Message) -> list[tuple[bytes, bytes]]:
    """Return the headers to pass on; replace the origin of this site's own pages by the process's origin."""
    headers = dict(scope["headers"])
    found = [(name, headers[name]) for name in REQUEST_HEADERS if name in headers]
    own = b"%s://%s" % (scope["scheme"].encode(), headers.get(b"host", b""))
    return [*found, (b"origin", INSIDE.encode())] if headers.get(b"origin") == own else found
