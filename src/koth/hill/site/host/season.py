"""The season: frozen, its final, published, and the next one opened."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from koth.games import load
from koth.hill import finals, registry, seasons, summary
from koth.hill.models import Season, Version
from koth.hill.site.host.actions import name_of, perform, perform_form
from koth.hill.site.roles import for_host


class Rules(forms.Form):
    """The rules of the next season."""

    ruleset = forms.ChoiceField(required=False)

    def __init__(self, rulesets: Any, *args: Any) -> None:
        super().__init__(*args)
        self.fields["ruleset"].choices = [("", "as before"), *((name, name) for name in rulesets)]


@for_host
@require_safe
def season(request: HttpRequest) -> HttpResponse:
    """Show the season, and the step that comes next."""
    hill, now = settings.HILL, registry.current_season()
    context = {
        "now": now,
        "older": Season.objects.exclude(pk=now.pk).order_by("-pk"),
        "unchecked": Version.objects.filter(state__in=summary.UNCHECKED).count(),
        "final": seasons.final_is_over(hill, now),
        "folder": hill.folder.absolute(),
        "form": Rules(load(hill.game).rulesets),
    }
    return render(request, "host/season.html", context)


@for_host
@require_POST
def freeze_season(request: HttpRequest) -> HttpResponse:
    """End the time in which bots are taken."""
    return perform(
        request, lambda: f"Season {registry.freeze(name_of(request)).pk} takes no bots any more.", "host-season"
    )


@for_host
@require_POST
def play_final(request: HttpRequest) -> HttpResponse:
    """Have a runner play the final, or go on with it."""

    def act() -> str:
        now = finals.leave_to_runner(settings.HILL, name_of(request))
        return f"The final of season {now.pk} waits for a runner: koth hill run."

    return perform(request, act, "host-season")


@for_host
@require_POST
def publish_season(request: HttpRequest) -> HttpResponse:
    """End a season and reveal its secret."""

    def act() -> str:
        now = seasons.publish(settings.HILL, name_of(request))
        return f"Season {now.pk} is over. Its secret was {now.secret}."

    return perform(request, act, "host-season")


@for_host
@require_POST
def open_season(request: HttpRequest) -> HttpResponse:
    """Open the next season."""
    game = load(settings.HILL.game)

    def act(form: Any) -> str:
        now = seasons.open_next(game, form["ruleset"] or None, {}, name_of(request))
        return f"Season {now.pk} is open. Its commitment: {now.commitment}."

    return perform_form(request, Rules(game.rulesets, request.POST), act, "host-season")
