"""The pages of seasons: their states, commitments, and proofs."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from koth_hill.models import Match, Season
from koth_hill.scheduler import PLACEMENT_GROUPS
from koth_hill.site.card import PageMeta
from koth_hill.site.final_table import PODIUM, Placed, final_of
from koth_hill.site.matches import LARGEST_NUMBER
from koth_hill.site.standings_rows import make_rows
from koth_hill.standings import final_standings


def _count_played() -> Any:
    """Return the seasons, without secrets, with the numbers of played matches."""
    played = Count("matches", filter=Q(matches__state=Match.State.PLAYED))
    return Season.objects.defer("secret").annotate(played=played)


@require_safe
def seasons(request: HttpRequest) -> HttpResponse:
    """List the seasons, newest first."""
    about = PageMeta("Seasons", "Each season has its own rules, secret and standings.")
    listed = [{"season": one, "first": _first_three(one)} for one in _count_played().order_by("-pk")]
    return render(request, "seasons.html", {"seasons": listed, "about": about})


def _first_three(season: Season) -> list[Placed]:
    """Return the podium of a published season: of its final, or without one of its standings."""
    if season.state != Season.State.PUBLISHED:
        return []
    if final := final_of(season):
        return final.podium
    table = final_standings(season)
    return [Placed(line.bot, line.rank) for line in table.standings if 0 < line.rank <= PODIUM] if table else []


@require_safe
def season(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a season: state, commitment, finalists, the standings at its end, and how to verify the final."""
    found = get_object_or_404(_count_played(), pk=min(pk, LARGEST_NUMBER))
    table = final_standings(found)
    context = {
        "standings": table,
        "rows": make_rows(table) if table else [],
        "placement": PLACEMENT_GROUPS,
        "asked": found,
        "secret": found.secret if found.state == Season.State.PUBLISHED else None,
        "final": final_of(found),
        "finalists": found.find_finalists(),
        "about": PageMeta(f"Season {found.pk}", f"{found.ruleset}, {found.state}; commitment {found.commitment}"),
    }
    return render(request, "season.html", context)
