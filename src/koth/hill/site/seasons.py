"""Seasons: how far they are, what they were committed to, and what proves it."""

from __future__ import annotations

import functools
from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from koth.contest.reading import PUBLIC
from koth.contest.run_reader import RunReader
from koth.errors import KothError
from koth.hill.connection import Hill
from koth.hill.models import Match, Season
from koth.hill.site.card import Card
from koth.hill.site.matches import LARGEST
from koth.viewer.contest import Dashboard


def _counted() -> Any:
    """Return the seasons with the number of their matches, without their secrets."""
    played = Count("matches", filter=Q(matches__state=Match.State.PLAYED))
    return Season.objects.defer("secret").annotate(played=played)


@require_safe
def seasons(request: HttpRequest) -> HttpResponse:
    """List the seasons, newest first."""
    about = Card("Seasons", "Each has rules, a secret and standings of its own.")
    return render(request, "seasons.html", {"seasons": _counted().order_by("-pk"), "about": about})


@require_safe
def season(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a season: its state, its commitment, its finalists, and how all of it is verified."""
    found = _counted().filter(pk=min(pk, LARGEST)).first()
    if found is None:
        raise Http404
    is_published = found.state == Season.State.PUBLISHED
    context = {
        "asked": found,
        "secret": found.secret if is_published else None,
        "final": _final(settings.HILL, found.pk) if is_published else None,
        "about": Card(f"Season {found.pk}", f"{found.ruleset}, {found.state}; commitment {found.commitment}"),
    }
    return render(request, "season.html", context)


@functools.cache
def _final(hill: Hill, pk: int) -> dict[str, Any] | None:
    """Return the standings of a final that is over; None where there was none."""
    try:
        found = Dashboard(RunReader(hill.folder / f"season-{pk}", PUBLIC)).look()
    except KothError:
        return None
    keys = [key for key, _ in found["columns"]]
    cells = [[line["bot"] if key == "bot" else line["texts"][key] for key in keys] for line in found["standings"]]
    return {**found, "cells": cells}
