"""Public pages: home, rules, the environment of bots."""

from __future__ import annotations

import functools
import gzip
import hashlib
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.gzip import re_accepts_gzip
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import etag, require_safe

from koth import __version__
from koth.engine.settings import choose, describe_value
from koth.errors import SettingsError
from koth.games import load, names
from koth.viewer.server import MEDIA, file_of_game, picture_of, read_script, static_files
from koth_hill.models import Runner, Season
from koth_hill.planning import seats_of
from koth_hill.registry import current_season
from koth_hill.site.card import PageMeta, hill_title
from koth_hill.site.markdown_pages import guide_page, rules_of
from koth_hill.site.matches import CACHED_FOREVER
from koth_hill.site.snapshot import snapshot

SITE_FILES = Path(__file__).parent / "static"
TYPES = {**MEDIA, ".png": "image/png"}


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show an introduction, the standings, current matches, and how to take part."""
    hill, title = settings.HILL, hill_title()
    rules = rules_of(hill.game)
    context = {
        "shown": snapshot(),
        "rules": rules,
        "game_title": load(hill.game).title,
        "about": PageMeta(title, (rules and rules.first) or f"A hill for bots that play {title}."),
    }
    return render(request, "home.html", context)


@require_safe
@cache_control(no_cache=True)
@etag(lambda request: f'"{snapshot().tag}"')
def live(request: HttpRequest) -> HttpResponse:
    """Return the parts of pages that change, the same for all visitors; an empty answer if no part has changed."""
    now = snapshot()
    return JsonResponse({"tag": now.tag, "parts": now.parts})


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """Show the rules of the game."""
    found, season = rules_of(settings.HILL.game), current_season()
    context = {
        "page": found,
        "seats": seats_of(settings.HILL, season),
        "settings": _settings(season),
        "about": PageMeta(f"The rules of {load(settings.HILL.game).title}", found.first if found else ""),
    }
    return render(request, "rules.html", context)


def _settings(season: Season) -> list[tuple[str, Any, bool]]:
    """Return a season's settings: name, value, and whether the value differs from the ruleset's."""
    try:
        _, chosen = choose(load(settings.HILL.game), season.ruleset, season.overrides, files=False)
    except SettingsError:  # it was opened with another version of the game
        return [(key, describe_value(value), True) for key, value in season.overrides.items()]
    values = vars(chosen) | {key: describe_value(value) for key, value in season.overrides.items()}
    return [(field.name, values[field.name], field.name in season.overrides) for field in fields(chosen)]


@require_safe
def projector(request: HttpRequest) -> HttpResponse:
    """Show the standings, or the final, in large type, for a projector."""
    return render(request, "projector.html", {"shown": snapshot()})


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """Show how a bot is written for the game."""
    page = guide_page(settings.HILL.game)
    return render(request, "guide.html", {"page": page, "about": PageMeta(page.title, page.first)})


@require_safe
def what_a_bot_finds(request: HttpRequest) -> HttpResponse:
    """Show the environment of bots on the newest runner's machine."""
    described = Runner.objects.filter(machine__isnull=False).order_by("-pk")
    text = "Languages, libraries, cores, memory, time, and what keeps bots apart."
    context = {
        "machine": described.values_list("machine", flat=True).first(),
        "time": load(settings.HILL.game).time_control,
        "about": PageMeta("What a bot finds here", text),
    }
    return render(request, "machine.html", context)


@functools.cache
def files(game: str) -> dict[str, Path]:
    """Return the files of all pages by name: a game's file replaces the site's, and the site's the viewer's."""
    own = {file.name: file for file in sorted(SITE_FILES.iterdir()) if file.suffix in TYPES}
    of_game = {"draw.js": picture_of(game), "picture.png": file_of_game(game, "picture.png")}
    return {**static_files(), **own, **{name: file for name, file in of_game.items() if file is not None}}


@functools.cache
def digest() -> str:
    """Return one digest of koth's version and all pages' files, of all games: what an address with this digest has
    never changes.
    """
    found = hashlib.blake2b(__version__.encode(), digest_size=6)
    for file in sorted({file for game in names() for file in files(game).values()}):
        found.update(file.name.encode())
        found.update(file.read_bytes())
    return found.hexdigest()


@functools.cache
def packed(game: str, name: str) -> bytes:
    """Return a file, or a page's script with the modules that it imports, compressed once for all visitors."""
    text = read_script(files(game), name)
    return gzip.compress(files(game)[name].read_bytes() if text is None else text.encode(), mtime=0)


@require_safe
def static_file(request: HttpRequest, name: str) -> HttpResponse:
    """Return a file of the site, of the viewer's pages, or of the game; the address changes with the content."""
    game, kind = settings.HILL.game, TYPES.get(Path(name).suffix, "")
    if name not in files(game):
        raise Http404
    data, headers = packed(game, name), {"Cache-Control": CACHED_FOREVER, "Vary": "Accept-Encoding"}
    if not re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")):
        return HttpResponse(gzip.decompress(data), kind, headers=headers)
    return HttpResponse(data, kind, headers={**headers, "Content-Encoding": "gzip"})
