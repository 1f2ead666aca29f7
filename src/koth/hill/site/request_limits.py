"""Limits to what a visitor may send and ask for at once, kept before anything of it is written to the disk."""

from __future__ import annotations

import asyncio
import io
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections

from koth.hill import tokens, uploads
from koth.hill.archive import LARGEST
from koth.hill.site.throttle import network_of

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

UPLOADS = ("/submit", "/api/uploads")
"""Addresses that take bots."""
FORM = 1 << 20
"""Bytes of any other form, and of what stands around a bot in one."""
AT_ONCE = 50
"""Requests of one visitor that are answered at the same time; a class may share an address."""
PATIENCE = 600.0
"""Seconds in which a request has to come."""


def largest_upload(scope: Message) -> int:
    """Return the bytes of the largest bot that who asks may send: none, but for authors."""
    close_old_connections()
    try:
        request = ASGIRequest(scope, io.BytesIO())
        request.session = SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
        word = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if get_user(request).is_authenticated or tokens.author_of(word) is not None:
            return min(uploads.policy().largest_upload, LARGEST)
        return 0
    finally:
        close_old_connections()


def with_limits(app: App, largest: Callable[[Message], int] = largest_upload) -> App:
    """Return an ASGI application that answers 413 to larger requests, and hears no more of one than its limit.

    Who asks for too much at once is answered 503.
    """
    at_once: Counter[str] = Counter()

    async def limited(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        who = network_of((scope.get("client") or ("",))[0])
        if at_once[who] >= AT_ONCE:
            await _refuse(send, 503, b"you ask for too much at once\n")
            return
        at_once[who] += 1
        try:
            await heard(scope, receive, send)
        finally:
            at_once[who] -= 1
            if not at_once[who]:
                del at_once[who]

    async def heard(scope: Message, receive: Receive, send: Send) -> None:
        size = dict(scope["headers"]).get(b"content-length", b"")
        most = FORM
        if scope["path"] in UPLOADS and not (size.isdigit() and int(size) <= FORM):
            most += await sync_to_async(largest)(scope)
        if size and not (size.isdigit() and int(size) <= most):
            await _refuse(send, 413, b"that is more than this site takes\n")
            return
        count = 0
        end = asyncio.get_running_loop().time() + PATIENCE

        async def hear() -> Message:
            nonlocal count
            try:
                async with asyncio.timeout_at(end):
                    message = await receive()
            except TimeoutError:
                return {"type": "http.disconnect"}
            count += len(message.get("body", b""))
            return {"type": "http.disconnect"} if count > most else message  # it said no size, or a wrong one

        await app(scope, hear, send)

    return limited


async def _refuse(send: Send, status: int, text: bytes) -> None:
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})
