"""Logs of bots in matches and trials: for their authors alone."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from koth.errors import KothError
from koth.games import load
from koth.hill import logs
from koth.hill.host_paths import without_host_paths
from koth.hill.logs import Log
from koth.hill.models import Match, Seat
from koth.hill.site.roles import for_authors
from koth.hill.site.trials import own_trial
from koth.question import FAULT_KINDS

LINES = 500
"""Pieces of stderr, and notes, that the page of a log shows: the last ones."""
SHOWN = 200_000
"""Characters of stderr that it shows."""


def _match_log(request: HttpRequest, match: int, place: int) -> tuple[Log, Seat]:
    """Return the log of an own bot in a match; others' are not found."""
    seats = Seat.objects.select_related("match", "version__bot").defer("version__archive")
    played = get_object_or_404(Match, pk=match)
    seat = get_object_or_404(seats, match=played, place=place, version__bot__author=request.user)
    return logs.of_match(settings.HILL, seat.match, seat), seat


def _trial_log(request: HttpRequest, trial: int, place: int) -> tuple[Log, Any]:
    """Return the log of an own bot in an own trial; others' are not found."""
    found = own_trial(request, trial)
    seats = found.seats.select_related("version__bot").defer("version__archive")
    seat = get_object_or_404(seats, place=place, version__bot__author=request.user)
    return logs.of_trial(settings.HILL, found, seat), seat


@for_authors
@require_safe
@never_cache
def match_log(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """Show the log of an own bot in a match."""
    return _page(request, "match", pk, *_match_log(request, pk, place))


@for_authors
@require_safe
@never_cache
def trial_log(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """Show the log of an own bot in a trial."""
    return _page(request, "trial", pk, *_trial_log(request, pk, place))


def _page(request: HttpRequest, kind: str, pk: int, log: Log, seat: Any) -> HttpResponse:
    faults = [{"kind": kind, "meaning": FAULT_KINDS[kind].meaning, **fault} for kind, fault in seat.faults.items()]
    stderr, cut = _last(log.stderr())
    context = {
        "kind": kind,
        "pk": pk,
        "seat": seat,
        "log": log,
        "faults": faults,
        "stderr": stderr,
        "cut": cut,
        "notes": [(line["turn"], str(line["note"])) for line in log.notes() if "note" in line][-LINES:],
    }
    return render(request, "log.html", context)


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


@for_authors
@require_safe
@never_cache
def match_transcript(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """Return all that an own bot received and answered in a match, as text."""
    return _text(_match_log(request, pk, place)[0])


@for_authors
@require_safe
@never_cache
def trial_transcript(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """Return all that an own bot received and answered in a trial, as text."""
    return _text(_trial_log(request, pk, place)[0])


def _text(log: Log) -> HttpResponse:
    try:
        return HttpResponse(log.transcript(load(settings.HILL.game)), "text/plain; charset=utf-8")
    except KothError as error:
        return HttpResponse(f"{without_host_paths(str(error))}\n", "text/plain; charset=utf-8", status=409)
