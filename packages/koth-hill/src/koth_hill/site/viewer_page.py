"""The viewer's page and its parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html

from koth.question import FAULT_KINDS
from koth.viewer.listing import listing
from koth.viewer.page_data import ContestTitle, SitePlace
from koth.viewer.server import static_files
from koth.viewer.summary import MatchSummary
from koth_hill.models import Seat
from koth_hill.site.card import hill_title
from koth_hill.uploads import read_policy

RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")


def answer_page(
    request: HttpRequest,
    facts: str,
    context: Mapping[str, Any],
    head: str = "watch-head.html",
    without: str = "watch-without.html",
) -> HttpResponse:
    """Return the viewer's page; the template `facts` is shown above the picture, `without` without JavaScript."""
    files = reverse("static", args=["main.js"]).removesuffix("main.js")
    site = {"title": hill_title(), "address": settings.SITE_URL, "policy": read_policy()}
    whole = {**context, **site, "request": request, "user": request.user}
    parts = {  # without the values of every page, which cost four queries each time
        "<title>koth</title>": "",
        '<h1 id="title">koth</h1>': format_html('<h1 id="title">{}</h1>', context["about"].title),
        "</head>": render_to_string(head, whole) + "</head>",
        '<section id="bench"': render_to_string(facts, whole) + '<section id="bench"',
        "<noscript>The viewer needs JavaScript.</noscript>": render_to_string(without, whole),
    }
    page = static_files()["index.html"].read_text(encoding="utf-8").replace('"static/', f'"{files}')
    for old, new in parts.items():
        before, is_there, after = page.partition(old)
        if not is_there:
            raise AssertionError(f"the viewer's page has no {old}")
        page = before + new + after
    return HttpResponse(page)


def answer_listing(
    match: MatchSummary | None, name: str, url: str, contest: ContestTitle, site: SitePlace, is_dev: bool = False
) -> JsonResponse:
    """Return the viewer's list of one match, if there is one, with the addresses to which the viewer links."""
    listed = listing([match] if match else [], has_details=lambda _: True, contest=contest)
    for one in listed["matches"]:
        one["name"], one["url"] = name, url
    return JsonResponse({**listed, "site": site, "isRun": False, "isDev": is_dev})


def faults_of(seats: Iterable[tuple[str, Seat, bool]]) -> list[dict[str, Any]]:
    """Return the faults of bots by name and seat; leave out the texts of bots that the visitor does not own."""
    return [
        {"bot": name, "kind": kind, "meaning": FAULT_KINDS[kind].meaning, **fault} | ({} if is_own else {"text": ""})
        for name, seat, is_own in seats
        for kind, fault in sorted(seat.faults.items())
    ]


def private_json(found: Mapping[str, Any]) -> JsonResponse:
    """Return an answer that caches must not share."""
    return JsonResponse(found, headers={"Cache-Control": "private, no-store"})


def answer_replay(request: HttpRequest, data: bytes, file: str, cache: str) -> HttpResponse:
    """Return a replay, or the range of it that the request names."""
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
