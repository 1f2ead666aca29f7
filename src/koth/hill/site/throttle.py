"""Limits on how often an address may send expensive requests."""

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
NETWORK_BITS = 64
"""The bits of an IPv6 address that identify a visitor; the visitor chooses the rest."""


def network_of(address: str) -> str:
    """Return the key of a visitor: an IPv4 address, or an IPv6 network."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(found.ipv4_mapped or ip_network((int(found), NETWORK_BITS), strict=False).network_address)


def visitor_of(request: HttpRequest) -> str:
    """Return the address under which requests of a visitor are counted."""
    return network_of(str(request.META.get("REMOTE_ADDR", "")))


_counting = threading.Lock()


def take(key: str, count: int, seconds: float) -> bool:
    """Count an action; return whether it is allowed: `count` at once, and one more every `seconds`."""
    now = time.monotonic()
    with _counting:
        due = max(cache.get(key, 0.0), now - count * seconds) + seconds
        if due > now:
            return False
        cache.set(key, due, count * seconds + 1)
    return True


def limit_posts(count: int, minutes: float) -> Callable[[View], View]:
    """Limit posts to a view to `count` at once, and `count` in `minutes`, for each author or else address.

    Answer further posts with 429.
    """
    seconds = minutes * MINUTE / count

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            assert request.resolver_match is not None
            who = f"author-{request.user.pk}" if request.user.is_authenticated else visitor_of(request)
            key = f"{request.resolver_match.url_name}:{who}"
            if request.method == "POST" and not take(key, count, seconds):
                return render(request, "wait.html", {"seconds": math.ceil(seconds)}, status=429)
            return view(request, *args, **kwargs)

        return answer

    return decorate
