"""Matches: their list, and a page for each, with the viewer."""

from __future__ import annotations

import re
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from koth.contest.schedule import match_name
from koth.games import load
from koth.hill.models import Bot, Match, Policy, Season, Seat
from koth.hill.site.card import Card
from koth.hill.site.replays import replay_of
from koth.hill.site.served import served
from koth.question import FAULT_KINDS
from koth.replay.reader import SUFFIX
from koth.standings.text import number
from koth.viewer.contest import left_by
from koth.viewer.server import static_files

PAGE = 50
"""Matches of a page of the list."""
OVER = (Match.State.PLAYED, Match.State.VOID)
"""States of matches that may have a replay."""
RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")
FOREVER = "public, max-age=31536000, immutable"
LARGEST = 1 << 62


def with_seats(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Return these matches with their seats, best first, versions and bots: two queries in all, without archives."""
    named = "version__number", "version__bot__name", "version__bot__author_id"
    seats = Seat.objects.select_related("version__bot").order_by("-score", "place")
    return matches.prefetch_related(Prefetch("seats", seats.only("match_id", "place", "score", "faults", *named)))


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """List the matches, newest first, of everybody, one bot, or one season."""
    bot, season = request.GET.get("bot", "")[:40], request.GET.get("season", "")
    found, problem = Match.objects.order_by("-pk"), ""
    if bot:
        asked = Bot.objects.filter(name=bot).first()
        problem = "" if asked else f"There is no bot called {bot}."
        found = found.filter(pk__in=Seat.objects.filter(version__bot=asked).values("match_id"))
    if season.isascii() and season.isdigit() and len(season) < 10:
        found = found.filter(season=int(season))
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    told = {
        "page": page,
        "listed": with_seats(page.object_list),
        "bot": bot,
        "asked_season": season,
        "problem": problem,
        "bots": Bot.objects.values_list("name", flat=True),
        "seasons": Season.objects.values_list("pk", flat=True),
        "about": Card("Matches", f"Every match of the hill, each to be watched. {page.paginator.count:,} so far."),
    }
    return render(request, "matches.html", told)


@require_safe
def match(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a match: in the viewer where there is something to be watched, else what is known of it."""
    found = _match(pk)
    told = _told(request, found)
    if not told["can_be_watched"]:
        return render(request, "match.html", told)
    files = reverse("static", args=["main.js"]).removesuffix("main.js")
    told |= {"request": request, "title": load(served().hill.game).title, "address": served().url}
    parts = {  # without the values of every page, which cost four queries each time
        "<title>koth</title>": render_to_string("watch-head.html", told),
        '<section id="bench"': render_to_string("watch-facts.html", told) + '<section id="bench"',
        "<noscript>The viewer needs JavaScript.</noscript>": render_to_string("watch-without.html", told),
    }
    page = static_files()["index.html"].read_text(encoding="utf-8").replace('"/static/', f'"{files}')
    for old, new in parts.items():
        before, is_there, after = page.partition(old)
        if not is_there:
            raise AssertionError(f"the viewer's page has no {old}")
        page = before + new + after
    return HttpResponse(page)


def _match(pk: int) -> Match:
    found = (
        with_seats(Match.objects.filter(pk=min(pk, LARGEST)))
        .select_related("season", "focus__bot")
        .defer("focus__archive")
    )
    if not found:
        raise Http404
    return found[0]


def _told(request: HttpRequest, found: Match) -> dict[str, Any]:
    """Return what the page of a match tells."""
    names = [seat.version.bot.name for seat in found.seats.all()]
    scores = ", ".join(
        name if seat.score is None else f"{name} {number(seat.score)}"
        for name, seat in zip(names, found.seats.all(), strict=True)
    )
    block = Match.objects.filter(block=found.block).exclude(pk=found.pk).order_by("pk").values("pk", "state")
    replay = replay_of(served().hill, found, _delay())
    return {
        "match": found,
        "others": list(block),
        "can_be_watched": replay is not None,
        "has_replay": replay is not None and found.state in OVER,
        "faults": [
            {"bot": seat.version.bot.name, "kind": kind, "meaning": FAULT_KINDS[kind].meaning, **fault}
            | ({} if _is_own(request, seat) else {"text": ""})
            for seat in found.seats.all()
            for kind, fault in sorted(seat.faults.items())
        ],
        "about": Card(f"{load(served().hill.game).title}: match {found.pk}", scores),
    }


def _is_own(request: HttpRequest, seat: Seat) -> bool:
    """Whether what this bot said and left is for the eyes of who asks: its author, and the host."""
    return request.user.is_authenticated and (request.user.is_host or seat.version.bot.author_id == request.user.pk)


def _delay() -> int:
    return Policy.objects.values_list("live_delay", flat=True).first() or 0


@require_safe
def listing(request: HttpRequest, pk: int) -> HttpResponse:
    """Return what the viewer is told of a match at first, and where its page leads to."""
    found = _match(pk)
    seats = sorted(found.seats.all(), key=lambda seat: seat.place)
    names = [seat.version.bot.name for seat in seats]
    field = sorted(names)
    is_over = found.state in OVER
    watchable = Match.objects.filter(state__in=(*OVER, Match.State.PLAYING))
    after = watchable.filter(pk__gt=found.pk).order_by("pk").values_list("pk", flat=True).first()
    before = watchable.filter(pk__lt=found.pk).order_by("-pk").values_list("pk", flat=True).first()
    told = {
        "name": f"match {found.pk}",
        "url": reverse("replay", args=[found.pk]),
        "game": served().hill.game,
        "places": [field.index(name) for name in names],
        "turns": found.turns if is_over else None,
        "scores": [seat.score for seat in seats] if is_over else None,
        "more": {} if is_over else None,
        "told": True,
    }
    site = {
        "home": reverse("matches"),
        "next": reverse("match", args=[after]) if after else None,
        "before": reverse("match", args=[before]) if before else None,
    }
    contest = {"name": f"season {found.season_id}", "started": found.season.opened.isoformat(), "matches": None}
    return JsonResponse({"field": field, "contest": contest, "matches": [told], "site": site, "isRun": False})


@require_safe
def told(request: HttpRequest, pk: int) -> HttpResponse:
    """Return what is known of a match beside its replay: to everybody the faults, to authors what their bots left."""
    found = _match(pk)
    own = [seat.version.bot.name for seat in found.seats.all() if _is_own(request, seat)]
    faults = [
        {key: fault[key] for key in ("bot", "kind", "count", "turn")}
        | {"text": fault["text"] or fault["meaning"], "stderr": ""}
        for fault in _told(request, found)["faults"]
    ]
    answer = JsonResponse({"faults": faults, **left_by(served().hill.folder, found.pk, own)})
    answer["Cache-Control"] = "private, no-store"
    return answer


@require_safe
def replay(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the replay of a match, or a part of it; of one in play what spectators may see by now."""
    found = Match.objects.filter(pk=min(pk, LARGEST)).first()
    data = None if found is None else replay_of(served().hill, found, _delay())
    if found is None or data is None:
        raise Http404
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
    answer["Content-Disposition"] = f'attachment; filename="{match_name(found.pk)}{SUFFIX}"'
    answer["Cache-Control"] = FOREVER if found.has_key else "no-store"
    return answer
