"""Limits on how often an address may send requests that cost the site something."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address, ip_network
from typing import Any

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from koth.hill.site.roles import View

MINUTE = 60
NETWORK = 64
"""Bits of an IPv6 address that are a visitor's; the rest of them a visitor chooses."""


def network_of(address: str) -> str:
    """Return the key of a visitor: an IPv4 address, or a network of IPv6."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(found.ipv4_mapped or ip_network((int(found), NETWORK), strict=False).network_address)


def visitor_of(request: HttpRequest) -> str:
    """Return the address by which a visitor is counted."""
    return network_of(str(request.META.get("REMOTE_ADDR", "")))


class Bucket:
    """A limit of `count` acts at once, and one more every `seconds`, for each key."""

    def __init__(self, count: int, seconds: float) -> None:
        self.count = count
        self.seconds = seconds

    def take(self, key: str, patience: float = 0.0) -> float | None:
        """Return the seconds until this act's turn; None where they exceed `patience`, and the act does not count."""
        now = time.monotonic()
        with _counting:
            due = max(cache.get(key, 0.0), now - self.count * self.seconds) + self.seconds
            if due - now > patience:
                return None
            cache.set(key, due, self.count * self.seconds + patience + 1)
        return max(0.0, due - now)


_counting = threading.Lock()


def limited(count: int, minutes: int) -> Callable[[View], View]:
    """Let an author, or else an address, post to this view `count` times at once, and as often again in `minutes`.

    Then each is asked to wait (429).
    """
    bucket = Bucket(count, minutes * MINUTE / count)

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            assert request.resolver_match is not None
            who = f"author-{request.user.pk}" if request.user.is_authenticated else visitor_of(request)
            if request.method == "POST" and bucket.take(f"{request.resolver_match.url_name}:{who}") is None:
                return render(request, "wait.html", {"seconds": math.ceil(bucket.seconds)}, status=429)
            return view(request, *args, **kwargs)

        return guarded

    return guard
