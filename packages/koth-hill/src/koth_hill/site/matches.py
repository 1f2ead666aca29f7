"""The list of matches, and a page for each match, with the viewer."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from koth.replay.names import replay_name
from koth.standings.text import number
from koth.viewer.contest import details_of
from koth.viewer.page_data import ContestTitle, SitePlace
from koth_hill.logs import match_title
from koth_hill.models import Bot, Match, Season, Seat
from koth_hill.season_reader import SeasonReader, audience_of
from koth_hill.site import viewer_page
from koth_hill.site.card import PageMeta, hill_title
from koth_hill.site.replays import can_be_watched, replay_of, summary_at

MATCHES_OF_PAGE = 50
"""The number of matches on a page of the list."""
OVER_STATES = (Match.State.PLAYED, Match.State.VOID)
"""States of matches that may have a replay."""
CACHED_FOREVER = "public, max-age=31536000, immutable"
LARGEST_NUMBER = 1 << 62


def prefetch_seats(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Return these matches with seats (best first), versions and bots: two queries in all, without archives."""
    named = "version__number", "version__bot__name", "version__bot__author_id"
    seats = Seat.objects.select_related("version__bot").order_by("-score", "place")
    return matches.prefetch_related(Prefetch("seats", seats.only("match_id", "place", "score", "faults", *named)))


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """List the matches, newest first: all, or only matches of one bot or season."""
    bot, season = request.GET.get("bot", "")[:40], request.GET.get("season", "")
    found, problem = Match.objects.order_by("-pk"), ""
    if bot:
        asked = Bot.objects.filter(name=bot).first()
        problem = "" if asked else f"There is no bot called {bot}."
        found = found.filter(pk__in=Seat.objects.filter(version__bot=asked).values("match_id"))
    if season.isascii() and season.isdigit() and len(season) < 10:
        found = found.filter(season=int(season))
    page = Paginator(found, MATCHES_OF_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "listed": prefetch_seats(page.object_list),
        "bot": bot,
        "asked_season": season,
        "problem": problem,
        "bots": Bot.objects.values_list("name", flat=True),
        "seasons": Season.objects.values_list("pk", flat=True),
        "about": PageMeta(
            "Matches", f"All matches of the hill, to watch in the browser. {page.paginator.count:,} so far."
        ),
    }
    return render(request, "matches.html", context)


@require_safe
def match(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a match: in the viewer if visitors may watch it, otherwise as text."""
    found = _match(pk)
    context = _match_context(request, found)
    if not context["can_be_watched"]:
        return render(request, "match.html", {**context, "replays": settings.HILL.replays})
    return viewer_page.answer_page(request, "watch-facts.html", context)


def _match(pk: int) -> Match:
    matches = prefetch_seats(Match.objects.select_related("season", "focus__bot").defer("focus__archive"))
    match: Match = get_object_or_404(matches, pk=min(pk, LARGEST_NUMBER))
    return match


def _match_context(request: HttpRequest, found: Match) -> dict[str, Any]:
    audience = audience_of(request.user)
    scores = ", ".join(
        seat.name if seat.score is None else f"{seat.name} {number(seat.score)}" for seat in found.seats.all()
    )
    block = Match.objects.filter(block=found.block).exclude(pk=found.pk).order_by("pk").values("pk", "state")
    is_watchable = can_be_watched(settings.HILL, found)
    return {
        "match": found,
        "others": list(block) if found.block else [],
        "can_be_watched": is_watchable,
        "has_replay": is_watchable and found.state in OVER_STATES,
        "own": [seat for seat in found.seats.all() if seat.version.bot.author_id == request.user.pk],
        "faults": viewer_page.faults_of(
            (seat.name, seat, audience.owns(seat.version.bot.name)) for seat in found.seats.all()
        ),
        "about": PageMeta(f"{hill_title()}: match {found.pk}", scores),
    }


@require_safe
def listing(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the viewer's list for one match, with the addresses to which the viewer links."""
    found = _match(pk)
    alike = Match.objects.all()
    is_final = found.round is not None
    if is_final:
        alike = alike.filter(season=found.season, round__isnull=False)
    watchable = alike.filter(state__in=(*OVER_STATES, Match.State.PLAYING))
    after = watchable.filter(pk__gt=found.pk).order_by("pk").values_list("pk", flat=True).first()
    before = watchable.filter(pk__lt=found.pk).order_by("-pk").values_list("pk", flat=True).first()
    name = f"{'the final of ' * is_final}season {found.season_id}"
    contest = ContestTitle(name=name, started=found.scheduled.isoformat(), matches=None)
    home = reverse("final", args=[found.season_id]) if is_final else reverse("matches")
    site: SitePlace = {
        "home": home,
        "next": reverse("match", args=[after]) if after else None,
        "before": reverse("match", args=[before]) if before else None,
        "bots": {seat.name: reverse("bot", args=[seat.version.bot.name]) for seat in found.seats.all()},
    }
    url = reverse("replay", args=[found.pk])
    return viewer_page.answer_listing(summary_at(settings.HILL, found.pk), match_title(found), url, contest, site)


@require_safe
def details(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the faults of a match, and for authors the stderr, notes and drawings of their bots."""
    found = _match(pk)
    reader = SeasonReader(settings.HILL, found.season, audience_of(request.user), found.round is not None)
    return viewer_page.private_json(details_of(reader, found.pk, [seat.name for seat in found.seats.all()]))


@require_safe
def replay(request: HttpRequest, pk: int) -> HttpResponse:
    """Return a match's replay, or a range of it; for a match in play, the part that exists now."""
    found = get_object_or_404(Match, pk=min(pk, LARGEST_NUMBER))
    data = replay_of(settings.HILL, found)
    if data is None:
        raise Http404
    file = replay_name(found.pk)
    kept = CACHED_FOREVER if found.has_key else "no-store"
    return viewer_page.answer_replay(request, data, file, kept)
