"""Logs of bots in matches and trials: for their authors alone."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from koth.errors import KothError
from koth.games import load
from koth.hill import logs
from koth.hill.host_paths import without_host_paths
from koth.hill.logs import Log
from koth.hill.models import Match
from koth.hill.site.roles import for_authors
from koth.hill.site.trials import own_trial
from koth.question import FAULT_KINDS

LINES = 500
"""Pieces of stderr, and notes, that the page of a log shows: the last ones."""
SHOWN = 200_000
"""Characters of stderr that it shows."""


@for_authors
@require_safe
def log(request: HttpRequest, pk: int, place: int, kind: str) -> HttpResponse:
    """Show the log of an own bot in a match or an own trial, as `kind` says."""
    log, seat = _own_log(request, pk, place, kind)
    stderr, cut = _last(log.stderr())
    context = {
        "kind": kind,
        "pk": pk,
        "seat": seat,
        "log": log,
        "faults": [{"kind": name, "meaning": FAULT_KINDS[name].meaning, **its} for name, its in seat.faults.items()],
        "stderr": stderr,
        "cut": cut,
        "notes": [(line["turn"], str(line["note"])) for line in log.notes() if "note" in line][-LINES:],
    }
    return render(request, "log.html", context)


@for_authors
@require_safe
def transcript(request: HttpRequest, pk: int, place: int, kind: str) -> HttpResponse:
    """Return all that an own bot received and answered in a match or an own trial, as text."""
    try:
        text = _own_log(request, pk, place, kind)[0].transcript(load(settings.HILL.game))
    except KothError as error:
        return HttpResponse(f"{without_host_paths(str(error))}\n", "text/plain; charset=utf-8", status=409)
    return HttpResponse(text, "text/plain; charset=utf-8")


def _own_log(request: HttpRequest, pk: int, place: int, kind: str) -> tuple[Log, Any]:
    """Return the log of an own bot, and its seat; others' are not found."""
    played = own_trial(request, pk) if kind == "trial" else get_object_or_404(Match, pk=pk)
    seats = played.seats.select_related("version__bot").defer("version__archive")
    seat = get_object_or_404(seats, place=place, version__bot__author=request.user)
    return (logs.of_trial if kind == "trial" else logs.of_match)(settings.HILL, played, seat), seat


def _last(pieces: list[tuple[int | None, str]]) -> tuple[list[tuple[int | None, str]], bool]:
    """Return the last pieces of stderr, and whether there are more."""
    found: list[tuple[int | None, str]] = []
    size = 0
    for turn, text in reversed(pieces):
        size += len(text)
        if size > SHOWN or len(found) == LINES:
            return found[::-1], True
        found.append((turn, text))
    return found[::-1], False
