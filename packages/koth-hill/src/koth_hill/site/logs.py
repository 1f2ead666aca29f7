"""Logs of bots in matches, for their authors only."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from koth.contest.private import read_log
from koth.diagnostics.endings import TURNS_AHEAD
from koth.diagnostics.why import readable_text
from koth.errors import KothError
from koth.question import FAULT_KINDS
from koth_hill.connection import Hill
from koth_hill.host_paths import remove_host_paths
from koth_hill.logs import PlayedBot, losses_of, match_title, transcript_of
from koth_hill.models import Match, Seat
from koth_hill.site.matches import LARGEST_NUMBER
from koth_hill.site.roles import for_authors

MOST_LINES = 500
"""The number of last pieces of stderr, and of last notes, that the page of a log shows."""
MOST_STDERR = 200_000
"""The number of characters of stderr that the page shows."""


def _take_last(pieces: list[tuple[int | None, str]]) -> tuple[list[tuple[int | None, str]], bool]:
    """Return the last pieces of stderr, and whether there are earlier pieces."""
    found: list[tuple[int | None, str]] = []
    size = 0
    for turn, text in reversed(pieces):
        size += len(text)
        if size > MOST_STDERR or len(found) == MOST_LINES:
            return found[::-1], True
        found.append((turn, text))
    return found[::-1], False


def _own_seat(request: HttpRequest, match: int, place: int) -> Seat:
    """Return the seat of the author's own bot in a match. Raises Http404 for other authors' bots."""
    own = Seat.objects.filter(version__bot__author=request.user)
    seats = own.select_related("match", "version__bot").defer("version__archive")
    seat: Seat = get_object_or_404(seats, match=min(match, LARGEST_NUMBER), place=min(place, LARGEST_NUMBER))
    return seat


@for_authors
@require_safe
def match_log(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """Show the log of the author's own bot in a match."""
    seat = _own_seat(request, pk, place)
    faults = [{"kind": kind, "meaning": FAULT_KINDS[kind].meaning, **fault} for kind, fault in seat.faults.items()]
    left = read_log(settings.HILL.folder, seat.match_id, seat.name)
    stderr, cut = _take_last([(turn, readable_text(text)) for turn, text in left.stderr])
    notes = [(line["turn"], str(line["note"])) for line in left.notes if "note" in line][-MOST_LINES:]
    context = {"seat": seat, "what": match_title(seat.match), "faults": faults}
    if seat.match.state == Match.State.PLAYED:
        lost = losses_of(settings.HILL, PlayedBot.at(seat))
        context["losses"] = [
            {"turn": turn, "words": words, "watch": max(turn - TURNS_AHEAD, 0)} for turn, words in lost
        ]
    return render(request, "log.html", {**context, "stderr": stderr, "cut": cut, "notes": notes})


@for_authors
@require_safe
def match_transcript(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """Return everything that the author's own bot received and answered in a match, as text."""
    return answer_transcript(settings.HILL, PlayedBot.at(_own_seat(request, pk, place)))


def answer_transcript(hill: Hill, bot: PlayedBot) -> HttpResponse:
    """Return the transcript of a bot as an answer to the browser."""
    try:
        return HttpResponse(transcript_of(hill, bot), "text/plain; charset=utf-8")
    except KothError as error:
        return HttpResponse(f"{remove_host_paths(str(error))}\n", "text/plain; charset=utf-8", status=409)
