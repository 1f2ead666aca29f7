"""Limits on how often an address may send requests that cost the site something."""

from __future__ import annotations

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


def limited(count: int, minutes: int) -> Callable[[View], View]:
    """Let an address post to this view so many times in so many minutes; then it is asked to wait (429)."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method == "POST" and _times(request, minutes * MINUTE) > count:
                return render(request, "wait.html", {"minutes": minutes}, status=429)
            return view(request, *args, **kwargs)

        return guarded

    return guard


def _times(request: HttpRequest, seconds: int) -> int:
    assert request.resolver_match is not None
    key = f"{request.resolver_match.url_name}:{visitor_of(request)}"
    if cache.add(key, 1, seconds):
        return 1
    try:
        return int(cache.incr(key))
    except ValueError:  # it has just run out
        return 1
