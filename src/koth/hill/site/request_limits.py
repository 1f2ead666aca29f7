"""Limits to what a visitor may send and ask for at once. A thread is taken for a request when all of it has come, and
left before the answer is sent, so that visitors who send or read slowly keep nobody waiting.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, MutableMapping
from tempfile import SpooledTemporaryFile
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
HASHING = ("/sign-in", "/join")
"""Addresses at which a password is hashed, one after another: a class that signs in leaves threads to the others."""
FORM = 1 << 20
"""Bytes of any other form, and of what stands around a bot in one."""
AT_ONCE = 50
"""Requests of one visitor that are answered at the same time; a class may share an address."""
IN_THREADS = 2
"""Threads that requests of one visitor hold at the same time: fewer than there are, so that others need not wait."""
PATIENCE = 600.0
"""Seconds in which a request has to come."""
IN_MEMORY = 2 * FORM
"""Bytes of a request, and of an answer, above which it is kept in a file until it is read."""
PIECE = 1 << 16
"""Bytes of a request, and of an answer, that are passed on at once."""
TOO_LARGE = b"that is more than this site takes\n"
UTF8 = re.compile(rb"""charset="?utf-8"?(?=\s*(;|$))""", re.I)
"""The only encoding that forms may name: some of Python's take minutes for a megabyte, others fail."""


def largest_upload(scope: Message) -> int:
    """Return the bytes of the largest bot that this visitor may send: 0, except for authors."""
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
    """Return an ASGI application that answers 413 to larger requests, and reads no more of one than its limit.

    It answers 408 to requests that come too slowly, and 503 to visitors with too many requests at once. `app` is
    called with whole requests, few of one visitor at a time, and its answers are sent once they are whole.
    """
    at_once: Counter[str] = Counter()
    turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(IN_THREADS))
    hashing = asyncio.Semaphore(1)

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
            await heard(scope, receive, send, turns[who])
        finally:
            at_once[who] -= 1
            if not at_once[who]:
                del at_once[who], turns[who]

    async def heard(scope: Message, receive: Receive, send: Send, turn: asyncio.Semaphore) -> None:
        size = dict(scope["headers"]).get(b"content-length", b"")
        most = FORM
        if scope["path"] in UPLOADS and not (size.isdigit() and int(size) <= FORM):
            most += await sync_to_async(largest)(scope)
        if size and not (size.isdigit() and int(size) <= most):
            await _refuse(send, 413, TOO_LARGE)
            return
        if _names_an_encoding(scope):
            await _refuse(send, 415, b"this site reads UTF-8 only\n")
            return
        with SpooledTemporaryFile(IN_MEMORY) as body:
            try:
                async with asyncio.timeout(PATIENCE):
                    is_whole = await _hear(receive, body, most)
            except TimeoutError:
                await _refuse(send, 408, b"that took too long to come\n")
                return
            if body.tell() > most:  # it said no size, or a wrong one
                await _refuse(send, 413, TOO_LARGE)
            elif is_whole:
                is_hash = scope["method"] == "POST" and scope["path"] in HASHING
                with SpooledTemporaryFile(IN_MEMORY) as answer:
                    head: list[Message] = []
                    async with hashing if is_hash else contextlib.nullcontext(), turn:
                        await app(scope, _again(body), _keep_in(head, answer))
                    await _answer(send, head, answer)

    return limited


def _names_an_encoding(scope: Message) -> bool:
    """Return whether a request's type names another encoding than UTF-8, or may do so in the words of RFC 2231."""
    types = (UTF8.sub(b"", value) for name, value in scope["headers"] if name == b"content-type")
    return any(b"charset" in value.lower() or b"*" in value for value in types)


async def _hear(receive: Receive, body: SpooledTemporaryFile[bytes], most: int) -> bool:
    """Write the body of a request to a file, no further than the piece with which it has more than `most` bytes.

    Return whether it came whole.
    """
    is_whole = False
    while not is_whole and body.tell() <= most:
        message = await receive()
        if message["type"] != "http.request":
            return False  # the visitor is gone
        body.write(message.get("body", b""))
        is_whole = not message.get("more_body", False)
    return is_whole


def _again(body: SpooledTemporaryFile[bytes]) -> Receive:
    """Return a callable that returns the messages of a body that was heard."""
    size = body.tell()
    body.seek(0)

    async def receive() -> Message:
        piece = body.read(PIECE)
        return {"type": "http.request", "body": piece, "more_body": body.tell() < size}

    return receive


def _keep_in(head: list[Message], answer: SpooledTemporaryFile[bytes]) -> Send:
    """Return a callable that keeps the beginning of an answer, and writes its body to a file."""

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            answer.write(message.get("body", b""))
        else:
            head.append(message)

    return send


async def _answer(send: Send, head: list[Message], answer: SpooledTemporaryFile[bytes]) -> None:
    """Send an answer that was kept, in pieces: a visitor that reads slowly takes no memory."""
    for message in head:
        await send(message)
    size = answer.tell()
    answer.seek(0)
    more = bool(head)
    while more:
        piece = answer.read(PIECE)
        more = answer.tell() < size
        await send({"type": "http.response.body", "body": piece, "more_body": more})


async def _refuse(send: Send, status: int, text: bytes) -> None:
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})
