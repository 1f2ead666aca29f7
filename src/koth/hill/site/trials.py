"""The page of trials: matches that an author requests."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from koth.errors import KothError
from koth.games import load
from koth.hill import trials, uploads
from koth.hill.models import Version
from koth.hill.site.matches import prefetch_seats
from koth.hill.site.roles import for_authors

LATEST_TRIALS = 20
"""The number of latest trials that are listed."""


class TrialForm(forms.Form):
    """The form for a trial: an own version, and opponents that play now."""

    own = forms.TypedChoiceField(coerce=int, label="Your bot")
    against = forms.TypedMultipleChoiceField(coerce=int, label="Against", widget=forms.CheckboxSelectMultiple)
    is_challenge = forms.BooleanField(
        required=False, label="A challenge", help_text="The authors of these bots see the match, too."
    )

    def __init__(self, author: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = Version.objects.select_related("bot__author").defer("archive").exclude(archive=b"")
        own = known.filter(bot__author=author, state__in=trials.TRIAL_STATES).order_by("bot__name", "-number")
        rivals = known.filter(Q(state=Version.State.PLAYING) | Q(pk__in=own.values("pk")))
        for field, versions in (("own", own), ("against", rivals.order_by("bot__name", "-number"))):
            self.fields[field].choices = [
                (one.pk, f"{one.bot.name}, version {one.number}, of {one.bot.author.name}") for one in versions
            ]


@for_authors
@require_http_methods(["GET", "HEAD", "POST"])
def trial_list(request: HttpRequest) -> HttpResponse:
    """List an author's trials, and accept a request for another one."""
    game, allowed = load(settings.HILL.game), uploads.read_policy()
    wanted = {"against": request.GET.getlist("against"), "is_challenge": bool(request.GET)}
    form = TrialForm(request.user, request.POST if request.method == "POST" else None, initial=wanted)
    if request.method == "POST" and form.is_valid():
        sent = form.cleaned_data
        versions = [sent["own"], *sent["against"]]
        try:
            return redirect("match", trials.ask(game, request.user, versions, allowed, sent["is_challenge"]).pk)
        except KothError as error:
            form.add_error(None, str(error))
    context = {
        "form": form,
        "trials": prefetch_seats(trials.trials_of(request.user)[:LATEST_TRIALS]),
        "challenges": prefetch_seats(trials.challenges_to(request.user)[:LATEST_TRIALS]),
        "left": trials.count_left(request.user, allowed),
        "most": game.seats.stop - 1,
    }
    return render(request, "trials.html", context, status=422 if form.errors else 200)
