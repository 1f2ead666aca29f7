"""How often an address may send what costs the site something."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from koth.hill.site.roles import View

MINUTE = 60


def limited(count: int, minutes: int) -> Callable[[View], View]:
    """Let an address post to this view so many times in so many minutes; then it is told to wait (429)."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method == "POST" and _times(view.__name__, request, minutes * MINUTE) > count:
                return render(request, "wait.html", {"minutes": minutes}, status=429)
            return view(request, *args, **kwargs)

        return guarded

    return guard


def _times(what: str, request: HttpRequest, seconds: int) -> int:
    key = f"{what}:{request.META.get('REMOTE_ADDR', '')}"
    if cache.add(key, 1, seconds):
        return 1
    try:
        return int(cache.incr(key))
    except ValueError:  # it has just run out
        return 1
