"""A client of a site's API, with which commands read a hill by its address, and `koth submit` sends bots."""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import ssl
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from koth.contest.addresses import is_loopback
from koth.discovery.packing import LARGEST_ARCHIVE, pack
from koth.errors import KothError, visible

TOKEN_VARIABLE = "KOTH_TOKEN"
"""The environment variable with an author's token; in an argument, other users of the machine could see the token."""
TIMEOUT, LARGEST_ANSWER = 60.0, 16 << 20
"""Limits of an answer: seconds between two parts and for the whole answer, and bytes."""
REPLAY_TIMEOUT, LARGEST_REPLAY = 600.0, 256 << 20
"""The limits of a replay; a slow one must arrive faster than `SLOWEST_RATE`."""
SLOWEST_RATE = 1 << 16
"""The least bytes per second of an answer that takes longer than `TIMEOUT`."""
LONGEST_WAIT = 90
"""The longest wait in seconds after too many requests."""
SCHEMES = ("http", "https")
REDIRECTS = range(300, 400)
STATUS_MEANINGS = {
    401: f"the site does not know the token in {TOKEN_VARIABLE}, or its author is suspended",
    404: "there is no site of a hill",
    413: "the file is larger than the site accepts",
    429: "too many requests in a minute; try again later",
}
"""Meanings of status codes, for answers without a text."""


def is_address(target: str) -> bool:
    """Return whether the target of a command is a site's address, not a folder."""
    return urlsplit(target).scheme in SCHEMES and "://" in target


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A handler that follows no redirects: a token is only for the named site."""

    def redirect_request(self, *args: Any, **options: Any) -> None:
        """Return no request, so that a redirect is an error."""


class Site:
    """The site at an address, with an author's token if the environment has one."""

    def __init__(self, address: str) -> None:
        """Check the address. Raises KothError."""
        parts = urlsplit(address)
        if parts.username is not None or not parts.hostname:
            raise KothError(f"{visible(address)} is not the address of a site, such as https://koth.example.org")
        self.host = parts.hostname
        self.name = f"{parts.scheme}://{parts.netloc}"
        self.token = os.environ.get(TOKEN_VARIABLE, "").strip()
        if self.token and not self.token.isascii():
            raise KothError(f"set {TOKEN_VARIABLE} to a token: tokens are letters, digits, - and _")
        if self.token and parts.scheme == "http" and not is_loopback(self.host):
            raise KothError(
                f"{self.name}: without TLS others could read the token in {TOKEN_VARIABLE}: use https://, "
                "or unset the variable"
            )

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON answer of the API. Raises KothError."""
        return self._read(self._request(path, query=query), path)

    def fetch_replay(self, match: int) -> bytes:
        """Return the replay of a match. Raises KothError."""
        return self._fetch(self._request(f"matches/{match}/replay"), REPLAY_TIMEOUT, LARGEST_REPLAY)

    def send(self, bot: Path, name: str) -> dict[str, Any]:
        """Send a bot, and return the upload as confirmed by the site. Raises KothError."""
        if not self.token:
            raise KothError(f"set {TOKEN_VARIABLE} to a token: the page {self.name}/account makes one")
        if bot.is_dir():
            file, data = f"{bot.resolve().name}.zip", pack(bot, LARGEST_ARCHIVE)
        else:
            file, data = bot.name, _read_file(bot)
        largest = self.get("me")["largest_upload"]
        if len(data) > largest:
            raise KothError(f"{bot}: {len(data):,} bytes to send; {self.name} takes {largest:,}")
        boundary = secrets.token_hex(16)
        head = f"Content-Disposition: form-data; name=\"file\"; filename*=UTF-8''{quote(file)}\r\n"
        parts = [f'Content-Disposition: form-data; name="name"\r\n\r\n{name}'.encode()]
        parts.append(f"{head}Content-Type: application/octet-stream\r\n\r\n".encode() + data)
        mark = f"--{boundary}".encode()
        body = b"".join(mark + b"\r\n" + part + b"\r\n" for part in parts) + mark + b"--\r\n"
        request = self._request("versions", body, f"multipart/form-data; boundary={boundary}")
        found: dict[str, Any] = self._read(request, "versions")
        return found

    def _request(
        self, path: str, data: bytes | None = None, kind: str = "", query: dict[str, object] | None = None
    ) -> urllib.request.Request:
        asked = urlencode({key: value for key, value in (query or {}).items() if value is not None})
        request = urllib.request.Request(f"{self.name}/api/{quote(path)}" + f"?{asked}" * bool(asked), data)
        if self.token:
            request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        if kind:
            request.add_header("Content-Type", kind)
        return request

    def _read(self, request: urllib.request.Request, path: str) -> Any:
        try:
            return json.loads(self._fetch(request))
        except (ValueError, RecursionError):
            raise KothError(f"{self.name} is not the site of a hill ({path} is not JSON)") from None

    def _fetch(
        self, request: urllib.request.Request, seconds: float = 0.0, most: int = LARGEST_ANSWER, waits: bool = True
    ) -> bytes:
        """Return an answer within `seconds` (0: `TIMEOUT`); if the site asks koth to wait, wait and ask once more.

        Raises KothError.
        """
        opener = urllib.request.build_opener(_NoRedirects)
        try:
            with opener.open(request, timeout=TIMEOUT) as answer:
                data = _read_answer(answer, seconds or TIMEOUT, most)
        except urllib.error.HTTPError as error:
            with error:
                if not waits or not (wait := _seconds_to_wait(error)):
                    raise KothError(f"{self.name}: {_describe_refusal(error)}") from None
            time.sleep(wait)
            return self._fetch(request, seconds, most, waits=False)
        except urllib.error.URLError as error:
            raise KothError(f"{self.name}: {_describe_error(error.reason)}") from None
        except (OSError, http.client.HTTPException) as error:
            raise KothError(f"{self.name}: {_describe_error(error)}") from None
        if len(data) > most:
            raise KothError(f"{self.name}: an answer of more than {most >> 20} MB")
        return data


def _read_answer(answer: Any, seconds: float, most: int) -> bytes:
    """Return an answer, or its beginning if it has more than `most` bytes. Limit the time: a server may be very slow.

    Raises TimeoutError and OSError.
    """
    data, begin = bytearray(), time.monotonic()
    while len(data) <= most and (piece := answer.read1(1 << 16)):
        data += piece
        if time.monotonic() - begin > min(seconds, TIMEOUT + len(data) / SLOWEST_RATE):
            raise TimeoutError
    return bytes(data)


def _seconds_to_wait(error: urllib.error.HTTPError) -> int:
    """Return the seconds that an overloaded site asks koth to wait; 0 if it asks for none, or for too many."""
    asked = error.headers.get("Retry-After") or ""
    seconds = int(asked) if error.code == 429 and re.fullmatch("[0-9]{1,4}", asked) else 0
    return seconds if seconds <= LONGEST_WAIT else 0


def _read_file(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise KothError(f"{file}: {(error.strerror or str(error)).lower()}") from None


def _describe_refusal(error: urllib.error.HTTPError) -> str:
    """Return the reason for a refusal: the site's own text, if any."""
    if error.code in REDIRECTS:
        return f"use {visible(error.headers.get('Location') or 'another site')} if you trust it: the site redirects"
    try:
        detail = json.loads(_read_answer(error, TIMEOUT, 1 << 16))["detail"]
    except (OSError, ValueError, RecursionError, TypeError, KeyError, http.client.HTTPException):
        detail = None
    if isinstance(detail, str) and error.code not in (401, 429):
        return visible(detail, "\n")
    return STATUS_MEANINGS.get(error.code, f"the site answers {error.code} {visible(error.reason)}")


def _describe_error(reason: object) -> str:
    if isinstance(reason, ssl.SSLCertVerificationError):
        return f"the site's certificate is not trusted: {reason.verify_message}"
    if isinstance(reason, ssl.SSLError):
        return "the site does not use TLS there"
    if isinstance(reason, TimeoutError):
        return "the site did not answer in time"
    if isinstance(reason, OSError):
        return (reason.strerror or str(reason)).lower()
    return visible(str(reason)) or type(reason).__name__
