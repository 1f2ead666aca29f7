"""The page of a season's final: podium, knockout, standings, and its matches."""

from __future__ import annotations

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from koth_hill.models import Match, Season
from koth_hill.site.card import PageMeta, hill_title
from koth_hill.site.final_table import final_of
from koth_hill.site.matches import LARGEST_NUMBER, MATCHES_OF_PAGE, OVER_STATES, prefetch_seats


@require_safe
def final(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a season's final: podium, standings and matches."""
    found = final_of(get_object_or_404(Season, pk=min(pk, LARGEST_NUMBER)))
    if found is None:
        raise Http404
    matches = Match.objects.filter(season=found.season, round__isnull=False, state__in=OVER_STATES).order_by("-pk")
    page = Paginator(matches, MATCHES_OF_PAGE).get_page(request.GET.get("page"))
    first = found.podium[0].bot if found.podium else ""
    words = f"{'won by' if found.is_over else 'played; the first is'} {first}" if first else "about to begin"
    context = {
        "final": found,
        "page": page,
        "listed": prefetch_seats(page.object_list),
        "is_now": found.season.pk == Season.objects.latest("pk").pk,
        "site": settings.SITE_URL,
        "about": PageMeta(f"The final of season {found.season.pk}", f"{hill_title()}: {words}."),
    }
    return render(request, "final.html", context)
