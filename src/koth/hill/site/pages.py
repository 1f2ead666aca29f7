"""Pages for everybody."""

from __future__ import annotations

from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from koth.games import load
from koth.hill.registry import current_season
from koth.hill.site.served import served
from koth.hill.table import standings
from koth.viewer.server import MEDIA, static_files

OWN = Path(__file__).parent / "static"


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what this is, the standings, and how to take part."""
    return render(request, "home.html", {"standings": standings(load(served().hill.game), current_season())})


@require_safe
def static_file(request: HttpRequest, name: str) -> HttpResponse:
    """Return a file of the site's or of the viewer's pages."""
    files = {**static_files(), **{file.name: file for file in OWN.iterdir() if file.suffix in MEDIA}}
    if name not in files:
        raise Http404
    return HttpResponse(files[name].read_bytes(), content_type=MEDIA[files[name].suffix])
