"""Limits on what a visitor may send and request at once; `koth_hill.site.serve` has the limits on connections.

Nothing waits here: a request over a limit is refused at once, and koth's pages and commands send it again.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from ipaddress import ip_address, ip_network
from threading import Lock

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from koth_hill import tokens

THREADS = 8
"""The number of requests that the site answers at the same time."""
THREADS_OF_ONE = 6
"""The most of these threads for one address."""
COSTLY_AT_ONCE, COSTLY_OF_ADDRESS = 4, 2
"""The most transcripts, and replays, that are made at the same time: in all, and for one address."""
LARGEST_FORM = 1 << 20
"""The largest size in bytes of a request, unless a signed-in author or a token uploads a bot."""
UPLOADS = ("/submit", "/api/versions")
TRANSCRIPT = re.compile(r"\w+ /(matches/[0-9]+/log/[0-9]+/text|tries/[0-9]+/transcript)")
REPLAY = re.compile(r"\w+ (/api)?/(matches|tries)/[0-9]+/replay")
HASHING = re.compile(r"POST /(sign-in|join|account|password/.+|new-host/.+)")
"""Requests that hash a password: each takes 100 MB and a tenth of a second of a core or more."""
POSTS = {"join": 40, "code": 100, "password": 100, "new-host": 100, "account": 60, "play": 20}
"""The most posts of a visitor to pages below these addresses in a quarter of an hour."""
QUARTER = 900
"""Seconds in a quarter of an hour."""
NETWORK_BITS = 64
"""The bits of an IPv6 address that identify a visitor; the visitor chooses the rest."""
UTF8 = re.compile(r"""charset="?utf-8"?(?=\s*(;|$))""", re.I)
"""The only encoding that forms may name: some of Python's encodings take minutes for a megabyte, others fail."""
BY_SCRIPT = "koth"
"""The value of the header X-Requested-With with which a page's script sends a form (`again.js`)."""
BUSY = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Busy</title>
<p>The site is busy, or you ask for much at once. {}</p></html>"""


def network_of(address: str) -> str:
    """Return the key of an address: the address, or an IPv6 network."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(found.ipv4_mapped or ip_network((int(found), NETWORK_BITS), strict=False).network_address)


def visitor_of(request: HttpRequest) -> str:
    """Return the address under which a visitor is counted."""
    return network_of(str(request.META.get("REMOTE_ADDR", "")))


def _account_of(request: HttpRequest) -> str:
    """Return the account of a visitor, or else the address."""
    return f"author-{request.user.pk}" if request.user.is_authenticated else visitor_of(request)


class Slots:
    """Slots for requests of one kind: at most `of_one` of a visitor, and `in_all`, at a time."""

    def __init__(self, of_one: int, in_all: int) -> None:
        self._of_one, self._in_all = of_one, in_all
        self._used: Counter[str] = Counter()
        self._lock = Lock()

    @contextmanager
    def take(self, who: str) -> Iterator[bool]:
        """Take a slot until the context ends; the value is False if there is none."""
        with self._lock:
            is_free = self._used[who] < self._of_one and self._used.total() < self._in_all
            self._used[who] += is_free
        try:
            yield is_free
        finally:
            with self._lock:
                self._used[who] -= is_free
                self._used += Counter()  # forget visitors without slots


class RequestLimits:
    """Middleware that refuses requests that are too large (413), or too many (429)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        self._threads = Slots(THREADS_OF_ONE, THREADS)
        cores = len(os.sched_getaffinity(0))
        self._kinds = {
            HASHING: (Slots(cores, cores), None),
            TRANSCRIPT: (Slots(COSTLY_OF_ADDRESS, COSTLY_AT_ONCE), Slots(1, COSTLY_AT_ONCE)),
            REPLAY: (Slots(COSTLY_OF_ADDRESS, COSTLY_AT_ONCE), Slots(1, COSTLY_AT_ONCE)),
        }

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer a request."""
        path = request.path_info
        if re.search(r"charset|\*", UTF8.sub("", request.headers.get("Content-Type", "")), re.I):
            return HttpResponse("this site reads UTF-8 only\n", "text/plain", 415)  # RFC 2231 names charsets by `*`
        size = int(request.META.get("CONTENT_LENGTH") or 0)
        if size > LARGEST_FORM and not (path in UPLOADS and _may_upload(request)):
            return HttpResponse("that is more than this site takes\n", "text/plain", 413)
        if path.startswith("/static/"):
            return self._get_response(request)
        with ExitStack() as stack:
            if not all(stack.enter_context(slots.take(who)) for slots, who in self._find_slots(request)):
                return _refuse_busy(request)
            if request.method == "POST" and not _count_post(request):
                return render(request, "wait.html", status=429)
            answer = self._get_response(request)
        if request.headers.get("X-Requested-With") == BY_SCRIPT and answer.status_code == 302:
            return JsonResponse({"address": answer["Location"]})  # a script can't see where a redirect leads
        return answer

    def _find_slots(self, request: HttpRequest) -> Iterator[tuple[Slots, str]]:
        """Yield what a request must have, and for whom; the account, which costs a query, comes last."""
        yield self._threads, visitor_of(request)
        for kind, (of_address, of_account) in self._kinds.items():
            if kind.fullmatch(f"{request.method} {request.path_info}"):
                yield of_address, visitor_of(request)
                if of_account is not None:
                    yield of_account, _account_of(request)


def _may_upload(request: HttpRequest) -> bool:
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return request.user.is_authenticated or tokens.find_author(token) is not None


def _count_post(request: HttpRequest) -> bool:
    """Count a visitor's post, and return whether it is allowed."""
    kind = request.path_info.split("/")[1]
    most = POSTS.get(kind)
    if most is None or (kind == "play" and request.path_info != "/play"):
        return True
    key = f"{kind}-{_account_of(request)}"
    cache.add(key, 0, QUARTER)
    return cache.incr(key) <= most


def _refuse_busy(request: HttpRequest) -> HttpResponse:
    """Refuse a request for some seconds; a browser repeats a GET by itself."""
    if request.method == "POST":
        return HttpResponse(
            BUSY.format("Go back and send it again in some seconds."), status=429, headers={"Retry-After": "2"}
        )
    headers = {"Retry-After": "2", "Refresh": "2"}
    return HttpResponse(BUSY.format("This page asks again by itself."), status=429, headers=headers)
