"""Public pages: home, rules, the environment of bots, announcements."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotModified,
    HttpResponseRedirect,
    JsonResponse,
)
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from koth.engine.settings import choose
from koth.errors import SettingsError
from koth.games import load
from koth.hill.connection import Hill
from koth.hill.models import Announcement, Runner, Season
from koth.hill.planning import seats_of
from koth.hill.registry import current_season
from koth.hill.site.card import Card, hill_title
from koth.hill.site.files import TYPES, files
from koth.hill.site.markdown_pages import guide_page, rules_of
from koth.hill.site.matches import CACHED_FOREVER
from koth.hill.site.snapshot import snapshot
from koth.hill.wheel import NAME, has_wheel, read_wheel

ANNOUNCEMENTS_OF_PAGE = 20
"""The number of announcements on a page."""


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show an introduction, the standings, what is going on, and how to take part."""
    game = settings.HILL.game
    rules, title = rules_of(game), hill_title()
    first = rules.first if rules else ""
    context = {"shown": snapshot(), "rules": rules, "wheel": wheel_url(settings.HILL), "game_title": load(game).title}
    return render(
        request, "home.html", {**context, "about": Card(title, first or f"A hill for bots that play {title}.")}
    )


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """Return the parts of pages that change, the same for all; an empty answer if they have not changed."""
    now = snapshot()
    tag = f'"{now.tag}"'
    if request.headers.get("If-None-Match", "").removeprefix("W/") == tag:
        answer: HttpResponse = HttpResponseNotModified()
    else:
        answer = JsonResponse({"tag": now.tag, "parts": now.parts})
    answer["ETag"] = tag
    answer["Cache-Control"] = "no-cache"
    return answer


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """Show the rules of the game."""
    game = settings.HILL.game
    title = load(game).title
    found = rules_of(game)
    season = current_season()
    context = {
        "page": found,
        "seats": seats_of(settings.HILL, season),
        "settings": _settings(season),
        "about": Card(f"The rules of {title}", found.first if found else ""),
    }
    return render(request, "rules.html", context)


def _settings(season: Season) -> list[tuple[str, Any, bool]]:
    """Return the settings of a season with their values, and whether they differ from those of its ruleset."""
    try:
        _, chosen = choose(load(settings.HILL.game), season.ruleset, season.overrides, files=False)
    except SettingsError:  # it was opened with another version of the game
        return [(key, value, True) for key, value in season.overrides.items()]
    names = (field.name for field in fields(chosen))
    return [(name, getattr(chosen, name), name in season.overrides) for name in names]


@require_safe
def projector(request: HttpRequest) -> HttpResponse:
    """Show the table, or the final, in large type, for a projector."""
    return render(request, "projector.html", {"shown": snapshot()})


@require_safe
def guide(request: HttpRequest, name: str) -> HttpResponse:
    """Show a page of koth's guide."""
    page = guide_page(name)
    if page is None:
        raise Http404
    return render(request, "guide.html", {"page": page, "about": Card(page.title, page.first)})


@require_safe
def what_a_bot_finds(request: HttpRequest) -> HttpResponse:
    """Show the environment of bots on the newest runner's machine."""
    described = Runner.objects.filter(machine__isnull=False).order_by("-pk").first()
    context = {
        "machine": None if described is None else described.machine,
        "time": load(settings.HILL.game).time_control,
        "about": Card(
            "What a bot finds here", "Languages, libraries, cores, memory, time, and what keeps bots apart."
        ),
    }
    return render(request, "machine.html", context)


@require_safe
def announcements(request: HttpRequest) -> HttpResponse:
    """List the host's announcements, newest first."""
    page = Paginator(Announcement.objects.all(), ANNOUNCEMENTS_OF_PAGE).get_page(request.GET.get("page"))
    return render(
        request, "announcements.html", {"page": page, "about": Card("Announcements", "What the host says.")}
    )


@require_safe
def static_file(request: HttpRequest, name: str) -> FileResponse:
    """Return a file of the site, of the viewer's pages, or of the game; its address changes with its content."""
    file = files(settings.HILL.game).get(name)
    if file is None:
        raise Http404
    return FileResponse(file.open("rb"), content_type=TYPES[file.suffix], headers={"Cache-Control": CACHED_FOREVER})


def wheel_url(hill: Hill) -> str | None:
    """Return the address of the wheel of the koth that the site runs; None if there is none."""
    return f"{settings.SITE_URL}{reverse('wheel', args=[NAME])}" if has_wheel(hill) else None


@require_safe
def wheel(request: HttpRequest, name: str) -> HttpResponse:
    """Return the wheel of the koth that the site runs."""
    found = read_wheel(settings.HILL) if name == NAME else None
    if found is None:
        raise Http404
    headers = {"Cache-Control": "no-cache", "Content-Disposition": f'attachment; filename="{NAME}"'}
    return HttpResponse(found, content_type="application/octet-stream", headers=headers)


@require_safe
def icon(request: HttpRequest) -> HttpResponse:
    """Redirect browsers that ask at the usual address to the icon."""
    return HttpResponseRedirect(reverse("static", args=["icon.svg"]))
