"""The viewer's page and its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse

from koth.games import load
from koth.viewer.server import static_files

RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")


def viewer(
    request: HttpRequest,
    facts: str,
    context: Mapping[str, Any],
    head: str = "watch-head.html",
    without: str = "watch-without.html",
) -> HttpResponse:
    """Return the viewer's page; the template `facts` has what stands above the picture, `without` what stands there
    without JavaScript.
    """
    files = reverse("static", args=["main.js"]).removesuffix("main.js")
    site = {"title": load(settings.HILL.game).title, "address": settings.SITE_URL}
    whole = {**context, **site, "request": request, "user": request.user}
    parts = {  # without the values of every page, which cost four queries each time
        "<title>koth</title>": "",
        "</head>": render_to_string(head, whole) + "</head>",
        '<section id="bench"': render_to_string(facts, whole) + '<section id="bench"',
        "<noscript>The viewer needs JavaScript.</noscript>": render_to_string(without, whole),
    }
    page = static_files()["index.html"].read_text(encoding="utf-8").replace('"/static/', f'"{files}')
    for old, new in parts.items():
        before, is_there, after = page.partition(old)
        if not is_there:
            raise AssertionError(f"the viewer's page has no {old}")
        page = before + new + after
    return HttpResponse(page)


def ranged(request: HttpRequest, data: bytes, file: str, cache: str) -> HttpResponse:
    """Return a replay, or the part of it that was asked for."""
    size, asked = len(data), RANGE.fullmatch(request.headers.get("Range", ""))
    start, end = (int(asked[1]), int(asked[2]) + 1 if asked[2] else size) if asked else (0, size)
    if asked and not start < min(end, size):
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    part = data[start : min(end, size)]
    answer = HttpResponse(b"" if request.method == "HEAD" else part, "application/gzip", 206 if asked else 200)
    answer["Content-Length"] = str(len(part))
    answer["Accept-Ranges"] = "bytes"
    if asked:
        answer["Content-Range"] = f"bytes {start}-{start + len(part) - 1}/{size}"
    answer["Content-Disposition"] = f'attachment; filename="{file}"'
    answer["Cache-Control"] = cache
    return answer
