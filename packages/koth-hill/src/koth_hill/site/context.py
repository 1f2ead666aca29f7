"""Values that every page of the site shows: the game, the season, the host's texts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from koth import __version__
from koth.games import load
from koth_hill.registry import current_season
from koth_hill.site.visits import can_be_played
from koth_hill.uploads import read_policy


def context(request: HttpRequest) -> dict[str, Any]:
    """Return the values that every page needs."""
    chosen = read_policy()
    return {
        "game": settings.HILL.game,
        "title": chosen.title or load(settings.HILL.game).title,
        "koth": __version__,
        "address": settings.SITE_URL,
        "season": current_season(),
        "policy": chosen,
        "can_be_played": can_be_played(chosen),
    }
