"""Limits on what a visitor may send and request at once.

A request takes a thread only after the whole request has arrived, and releases the thread before the answer is sent:
slow visitors delay nobody.
"""

from __future__ import annotations

import asyncio
import io
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from weakref import WeakValueDictionary

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections

from koth.discovery.packing import LARGEST_ARCHIVE
from koth.hill import tokens, uploads
from koth.hill.site.connections import ABORT
from koth.hill.site.throttle import network_of
from koth.hill.site.visit_proxy import VISIT, Message, Receive, Send, VisitProxy, send_piece

App = Callable[[Message, Receive, Send], Awaitable[None]]
Body = SpooledTemporaryFile[bytes]

UPLOADS = ("/submit", "/api/uploads")
"""Addresses that accept bots."""
TRANSCRIPT = re.compile(r"[A-Z]+ (/matches/[0-9]+/log/[0-9]+/text|/tries/[0-9]+/transcript)")
"""Addresses of transcripts, which take seconds to make."""
REPLAY = re.compile(r"[A-Z]+ /(matches|tries)/[0-9]+/replay")
"""Addresses of replays, whose frames may take seconds to make."""
HASHING = re.compile(r"POST /(sign-in|join|account|password/.+|new-host/.+)")
"""Requests that hash a password: each takes 100 MB, and a failed try must be counted before the next try."""
ONE_AT_A_TIME = (TRANSCRIPT, REPLAY, HASHING)
"""Kinds of requests (method and address) that are answered one at a time; one request per visitor may wait."""
LARGEST_FORM = 1 << 20
"""The largest size in bytes of any other form, and of the rest of a form with a bot."""
REQUESTS_AT_ONCE = 50
"""The number of requests of one visitor answered at the same time; a school class may share an address."""
SLOW_REQUESTS = 50
"""The most requests of one visitor with incomplete bodies, and the most with answers being read."""
THREADS_OF_ONE = 2
"""The most threads that one visitor's requests use at the same time: fewer than all, so that others need not wait."""
BODY_TIMEOUT = 20.0
"""Seconds within which a request must arrive."""
UPLOAD_TIMEOUT = 600.0
"""Seconds within which an author's bot must arrive."""
BYTES_IN_MEMORY = 2 * LARGEST_FORM
"""The size in bytes above which a request or an answer is kept in a file."""
PIECE_BYTES = 1 << 16
"""The number of bytes of a request or an answer that are passed on at once."""
TOO_LARGE = b"that is more than this site takes\n"
TOO_MANY = b"you ask for too much at once; try again in some seconds\n"
UTF8 = re.compile(rb"""charset="?utf-8"?(?=\s*(;|$))""", re.I)
"""The only encoding that forms may name: some of Python's encodings take minutes for a megabyte, others fail."""


@dataclass(frozen=True)
class Sender:
    """The author who sends a request: the `key` for counting, and the largest size of a bot in bytes."""

    key: str
    largest: int


def find_sender(scope: Message) -> Sender | None:
    """Return the author who sends a request, by session or token; None for other visitors."""
    close_old_connections()
    try:
        request = ASGIRequest(scope, io.BytesIO())
        request.session = SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
        word = request.headers.get("Authorization", "").removeprefix("Bearer ")
        user = get_user(request)
        author = user if user.is_authenticated else tokens.find_author(word)
        return author and Sender(f"author-{author.pk}", min(uploads.read_policy().largest_upload, LARGEST_ARCHIVE))
    finally:
        close_old_connections()


class SenderWaits:
    """Requests that wait for slow visitors; if one visitor has too many, the oldest request is ended."""

    def __init__(self) -> None:
        self._by_visitor: dict[str, dict[object, Callable[[], None]]] = {}

    @contextmanager
    def hold(self, who: str, end: Callable[[], None]) -> Iterator[None]:
        """Count a request as waiting; calling `end` ends it."""
        found = self._by_visitor.setdefault(who, {})
        if len(found) >= SLOW_REQUESTS:
            found.pop(next(iter(found)))()
        key = object()
        found[key] = end
        try:
            yield
        finally:
            found.pop(key, None)
            if not found and self._by_visitor.get(who) is found:
                del self._by_visitor[who]


class FairQueue:
    """A queue in which at most `in_all` requests (None: any number) have a turn at a time, at most `of_one` per
    visitor.

    Requests wait in the order of arrival; at most `of_one` requests per visitor are in that line.
    """

    def __init__(self, of_one: int = 1, in_all: int | None = None) -> None:
        self._of_one = of_one
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._all = nullcontext() if in_all is None else asyncio.Semaphore(in_all)

    @asynccontextmanager
    async def turn(self, who: str) -> AsyncIterator[None]:
        """Wait for a visitor's turn, and keep it until the end of the context."""
        own = self._own.get(who)
        if own is None:
            own = self._own[who] = asyncio.Semaphore(self._of_one)
        async with own, self._all:
            yield


class RequestLimits:
    """An ASGI application that limits each visitor (an address or, where it matters, an author).

    The application answers 413 to larger requests, reading no further than the limit, 408 to requests that arrive too
    slowly, and 503 to visitors with too many requests at once. `app` gets complete requests, few of one visitor at a
    time, and returns complete answers. `visits` gets requests of visits, and streams its answers.
    """

    def __init__(
        self,
        app: App,
        find_author: Callable[[Message], Sender | None] = find_sender,
        visits: VisitProxy | None = None,
    ) -> None:
        self.app, self.visits = app, visits
        self.find_author = sync_to_async(find_author)
        self.at_once: Counter[str] = Counter()
        self.bodies, self.readers = SenderWaits(), SenderWaits()
        self.threads = FairQueue(of_one=THREADS_OF_ONE)
        self.queues = {kind: FairQueue(in_all=1) for kind in ONE_AT_A_TIME}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path, who = scope["path"], network_of((scope.get("client") or ("",))[0])
        is_transcript = TRANSCRIPT.fullmatch(f"{scope['method']} {path}") is not None
        author = await self.find_author(scope) if path in UPLOADS or is_transcript else None
        most = LARGEST_FORM + (author.largest if author and path in UPLOADS else 0)
        size = dict(scope["headers"]).get(b"content-length", b"")
        if size and not (size.isdigit() and int(size) <= most):
            await _refuse(send, 413, TOO_LARGE)
            return
        if _names_an_encoding(scope):
            await _refuse(send, 415, b"this site reads UTF-8 only\n")
            return
        with SpooledTemporaryFile(BYTES_IN_MEMORY) as body:
            try:
                with self.bodies.hold(author.key if author else who, lambda: _end_connection(scope)):
                    async with asyncio.timeout(UPLOAD_TIMEOUT if most > LARGEST_FORM else BODY_TIMEOUT):
                        is_whole = await _read_body(receive, body, most)
            except TimeoutError:
                await _refuse(send, 408, b"that took too long to come\n")
                return
            if body.tell() > most:  # it said no size, or a wrong one
                await _refuse(send, 413, TOO_LARGE)
            elif is_whole and self.visits is not None and VISIT.fullmatch(path):
                await self._visit(self.visits, scope, body, receive, send, who)
            elif is_whole:
                await self._answer(scope, body, send, who, author if is_transcript else None)

    async def _visit(
        self, visits: VisitProxy, scope: Message, body: Body, receive: Receive, send: Send, who: str
    ) -> None:
        if self.at_once[who] >= REQUESTS_AT_ONCE:
            await _refuse(send, 503, TOO_MANY)
            return
        body.seek(0)
        with self._count(who):
            try:
                await visits(scope, body.read(), receive, send)
            except TimeoutError:
                _end_connection(scope)

    async def _answer(self, scope: Message, body: Body, send: Send, who: str, author: Sender | None) -> None:
        """Answer a complete request; given `author`, count requests by author instead of address."""
        if author is None and self.at_once[who] >= REQUESTS_AT_ONCE:
            author = await self.find_author(scope)  # an author is served beside others of this address
        who = author.key if author else who
        if self.at_once[who] >= REQUESTS_AT_ONCE:
            await _refuse(send, 503, TOO_MANY)
            return
        with SpooledTemporaryFile(BYTES_IN_MEMORY) as answer:
            with self._count(who):
                head = await self._ask(scope, body, answer, who)
            with self.readers.hold(who, lambda: _end_connection(scope)):
                try:
                    await _send_answer(send, head, answer)
                except TimeoutError:
                    _end_connection(scope)

    @contextmanager
    def _count(self, who: str) -> Iterator[None]:
        """Count a request of a visitor as being answered."""
        self.at_once[who] += 1
        try:
            yield
        finally:
            self.at_once[who] -= 1
            if not self.at_once[who]:
                del self.at_once[who]

    async def _ask(self, scope: Message, body: Body, answer: Body, who: str) -> list[Message]:
        """Wait for this request's turn, write the application's answer to a file, and return its beginning."""
        head: list[Message] = []
        async with AsyncExitStack() as turns:
            for kind, queue in self.queues.items():
                if kind.fullmatch(f"{scope['method']} {scope['path']}"):
                    await turns.enter_async_context(queue.turn(who))
            await turns.enter_async_context(self.threads.turn(who))
            await self.app(scope, _make_receive(body), _make_send(head, answer))
        return head


def _end_connection(scope: Message) -> None:
    end = scope.get("state", {}).get(ABORT)
    if end is not None:
        end()


def _names_an_encoding(scope: Message) -> bool:
    """Return whether a request's type names another encoding than UTF-8, or may do so in the syntax of RFC 2231."""
    types = (UTF8.sub(b"", value) for name, value in scope["headers"] if name == b"content-type")
    return any(b"charset" in value.lower() or b"*" in value for value in types)


async def _read_body(receive: Receive, body: Body, most: int) -> bool:
    """Write the body of a request to a file, and stop after the piece that exceeds `most` bytes in all.

    Return whether the body arrived completely.
    """
    is_whole = False
    while not is_whole and body.tell() <= most:
        message = await receive()
        if message["type"] != "http.request":
            return False  # the visitor is gone
        body.write(message.get("body", b""))
        is_whole = not message.get("more_body", False)
    return is_whole


def _make_receive(body: Body) -> Receive:
    """Return a callable that returns the messages of a body that was received."""
    size = body.tell()
    body.seek(0)

    async def receive() -> Message:
        piece = body.read(PIECE_BYTES)
        return {"type": "http.request", "body": piece, "more_body": body.tell() < size}

    return receive


def _make_send(head: list[Message], answer: Body) -> Send:
    """Return a callable that keeps the head of an answer, and writes its body to a file."""

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            answer.write(message.get("body", b""))
        else:
            head.append(message)

    return send


async def _send_answer(send: Send, head: list[Message], answer: Body) -> None:
    """Send a stored answer in pieces: a visitor that reads slowly takes no memory.

    Raises TimeoutError if a piece is not read in time.
    """
    size = answer.tell()
    answer.seek(0)
    for message in head:
        await send_piece(send, message)
    more = bool(head)
    while more:
        piece = answer.read(PIECE_BYTES)
        more = answer.tell() < size
        await send_piece(send, {"type": "http.response.body", "body": piece, "more_body": more})


async def _refuse(send: Send, status: int, text: bytes) -> None:
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})
