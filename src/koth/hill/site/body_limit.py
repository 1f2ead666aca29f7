"""A limit to what a request may carry, kept before anything of it is written to the disk."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from koth.hill.archive import LARGEST

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

UPLOADS = ("/submit", "/api/uploads")
"""Addresses that take bots; no hill takes one that is larger than its archive may be."""
FORM = 1 << 20
"""Bytes of any other form, and of what stands around a bot in one."""


def with_limit(app: App) -> App:
    """Return an ASGI application that answers 413 to larger requests, and hears no more of one than its limit."""

    async def limited(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        most = FORM + (LARGEST if scope["path"] in UPLOADS else 0)
        size = dict(scope["headers"]).get(b"content-length", b"0")
        if not size.isdigit() or int(size) > most:
            await _refuse(send)
            return
        heard = 0

        async def hear() -> Message:
            nonlocal heard
            message = await receive()
            heard += len(message.get("body", b""))
            return {"type": "http.disconnect"} if heard > most else message  # it said no size, or a wrong one

        await app(scope, hear, send)

    return limited


async def _refuse(send: Send) -> None:
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": b"that is more than this site takes\n"})
