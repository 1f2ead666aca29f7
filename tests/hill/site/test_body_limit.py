"""Large requests are refused before anything of them is kept."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from koth.hill.archive import LARGEST
from koth.hill.site.body_limit import FORM, Message, Receive, Send, with_limit


def sent(path: str, pieces: list[int], size: int | None) -> tuple[list[int], int]:
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
    scope: dict[str, Any] = {"type": "http", "path": path, "headers": headers}
    asyncio.run(with_limit(app)(scope, receive, send))
    return statuses, heard


@pytest.mark.parametrize("path", ["/submit", "/api/uploads", "/join"])
def test_what_is_small_goes_through_and_what_is_large_does_not(path: str) -> None:
    assert sent(path, [FORM // 2, FORM // 2], FORM) == ([200], FORM)
    assert sent(path, [1], LARGEST + FORM + 1) == ([413], 0)
    assert sent(path, [1], -1) == ([413], 0)


def test_only_bots_may_be_large() -> None:
    assert sent("/api/uploads", [1], FORM + 1)[0] == [200]
    assert sent("/join", [1], FORM + 1) == ([413], 0)


def test_who_says_no_size_or_a_wrong_one_is_heard_up_to_the_limit() -> None:
    assert sent("/join", [FORM // 2] * 5, None) == ([], FORM)
    assert sent("/join", [FORM // 2] * 5, 7) == ([], FORM)
