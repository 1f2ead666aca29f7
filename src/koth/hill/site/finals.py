"""The pages of a season's final: the standings, each match in the viewer, and a download that proves the results."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from koth.contest.results import replay_place
from koth.contest.run_reader import RunReader
from koth.errors import KothError
from koth.hill.models import Season
from koth.hill.season_reader import audience_of
from koth.hill.seasons import download_of, folder_of
from koth.hill.site import viewer_page
from koth.hill.site.card import Card, hill_title
from koth.hill.site.final_table import final_of
from koth.hill.site.matches import CACHED_FOREVER, LARGEST_NUMBER, MATCHES_OF_PAGE
from koth.hill.site.replays import replay_at
from koth.replay.names import match_name, replay_name
from koth.replay.reader import ReplayError
from koth.viewer.contest import details_of
from koth.viewer.summary import read_match


def _season(pk: int) -> Season:
    """Return a season whose final has begun. Raises Http404."""
    found = Season.objects.defer("secret").exclude(finalists=[])
    season: Season = get_object_or_404(found, pk=min(pk, LARGEST_NUMBER))
    return season


def _reader(request: HttpRequest, season: Season) -> RunReader:
    """Return the reader of a final's matches for this visitor. Raises Http404 before the first match."""
    try:
        return RunReader(folder_of(settings.HILL, season), audience_of(request.user))
    except KothError:
        raise Http404 from None


@require_safe
def final(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a season's final: podium, standings and matches."""
    season = _season(pk)
    found = final_of(season)
    assert found is not None
    rows = _reader(request, season).matches()[::-1] if found.look["columns"] else []
    page = Paginator(rows, MATCHES_OF_PAGE).get_page(request.GET.get("page"))
    listed = [{"row": row, "seats": sorted(row.scores.items(), key=lambda seat: -seat[1])} for row in page]
    first = found.podium[0].bot if found.podium else ""
    words = f"{'won by' if found.is_over else 'played; the first is'} {first}" if first else "about to begin"
    context = {
        "final": found,
        "page": page,
        "listed": listed,
        "download": download_of(settings.HILL, season),
        "is_now": season.pk == Season.objects.latest("pk").pk,
        "about": Card(f"The final of season {season.pk}", f"{hill_title()}: {words}."),
    }
    return render(request, "final.html", context)


def _match_context(request: HttpRequest, pk: int, number: int) -> dict[str, Any]:
    """Return the context of a page about a match of a final. Raises Http404."""
    season = _season(pk)
    reader = _reader(request, season)
    folder, name = settings.HILL.folder, match_name(number)
    try:
        summary = read_match(name, reader.folder / replay_place(number), folder)
        row = reader.match(number)
    except (ReplayError, ValueError, OverflowError):
        raise Http404 from None
    bots = [bot["name"] for bot in summary.header["bots"]]
    scores = {} if row is None else row.scores
    return {
        "season": season,
        "reader": reader,
        "number": number,
        "row": row,
        "bots": bots,
        "seats": sorted(((bot, scores.get(bot)) for bot in bots), key=lambda seat: -(seat[1] or 0)),
        "about": Card(f"Match {number} of the final of season {pk}", ", ".join(bots)),
    }


@require_safe
def match(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show a match of a final in the viewer."""
    return viewer_page.answer_page(request, "watch-final.html", _match_context(request, pk, number))


@require_safe
def listing(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Return the viewer's list for one match of a final, with the addresses to which the viewer links."""
    context = _match_context(request, pk, number)
    reader, row = context["reader"], context["row"]
    there = sorted({one.number for one in reader.matches() if one.replay} | set(reader.playing()))
    site = {
        "home": reverse("final", args=[pk]),
        "next": next((_address(pk, other) for other in there if other > number), None),
        "before": next((_address(pk, other) for other in there[::-1] if other < number), None),
        "bots": {bot: reverse("bot", args=[bot]) for bot in context["bots"]},
    }
    shown = {
        "name": f"final, match {number}",
        "url": reverse("final-replay", args=[pk, number]),
        "turns": None if row is None else row.turns,
    }
    contest = {"name": f"the final of season {pk}", "started": str(reader.plan()["started"]), "matches": None}
    scores = {} if row is None else row.scores
    return viewer_page.answer_listing(shown, [(bot, scores.get(bot)) for bot in context["bots"]], contest, site)


def _address(pk: int, number: int) -> str:
    return reverse("final-match", args=[pk, number])


@require_safe
def details(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Return the public faults of a match of a final, and for authors the logs of their bots."""
    context = _match_context(request, pk, number)
    return viewer_page.private_json(details_of(context["reader"], number, context["bots"]))


@require_safe
def replay(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Return a replay, or a range, of a final's match; for a match in play, the part that visitors may see now."""
    season = _season(pk)
    data = replay_at(settings.HILL, f"{folder_of(settings.HILL, season).name}/{replay_place(number)}")
    if data is None:
        raise Http404
    kept = CACHED_FOREVER if season.state == Season.State.PUBLISHED else "no-store"
    return viewer_page.answer_replay(request, data, replay_name(number), kept)


@require_safe
def download(request: HttpRequest, pk: int) -> FileResponse:
    """Return the archive that proves a published final; after unpacking, `koth verify` reads it."""
    file = download_of(settings.HILL, _season(pk))
    if file is None:
        raise Http404
    return FileResponse(file.open("rb"), as_attachment=True, filename=file.name)
