"""Trials: for their authors alone."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from koth.contest.private import log_of
from koth.contest.results import replay_place
from koth.errors import KothError
from koth.files.beneath import read_beneath
from koth.games import load
from koth.hill import trials, uploads
from koth.hill.models import Trial, Version
from koth.hill.site import viewer_page
from koth.hill.site.card import Card
from koth.hill.site.roles import for_authors
from koth.replay.names import SUFFIX
from koth.viewer.contest import left_in

LAST = 20
"""Latest trials that are listed."""


class _Versions(forms.ModelMultipleChoiceField):
    """Versions by their numbers, of which any may be sent."""

    def clean(self, value: Any) -> Any:
        """Return the versions; a number that no database can hold is that of none."""
        try:
            return super().clean(value)
        except (OverflowError, DataError):
            raise ValidationError("There is no such version.") from None


class TrialForm(forms.Form):
    """An own version, and opponents that play now."""

    own = forms.ModelChoiceField(Version.objects.none(), label="Your bot", empty_label=None)
    against = _Versions(Version.objects.none(), label="Against", widget=forms.CheckboxSelectMultiple)

    def __init__(self, author: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = Version.objects.select_related("bot__author").defer("archive").exclude(archive=b"")
        own = known.filter(bot__author=author, state__in=trials.OWN).order_by("bot__name", "-number")
        rivals = known.filter(Q(state=Version.State.PLAYING) | Q(pk__in=own.values("pk"))).order_by(
            "bot__name", "-number"
        )
        for field, choices in (("own", own), ("against", rivals)):
            self.fields[field].queryset = choices
            self.fields[field].label_from_instance = _label


def _label(version: Version) -> str:
    return f"{version.bot.name}, version {version.number}, of {version.bot.author.name}"


@for_authors
@require_http_methods(["GET", "HEAD", "POST"])
def trial_list(request: HttpRequest) -> HttpResponse:
    """List an author's trials, and take an order for another one."""
    game, allowed = load(settings.HILL.game), uploads.policy()
    form = TrialForm(request.user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        versions = [form.cleaned_data["own"], *form.cleaned_data["against"]]
        try:
            trial = trials.ask(game, request.user, [version.pk for version in versions], allowed)
            return redirect("trial", trial.pk)
        except KothError as error:
            form.add_error(None, str(error))
    context = {
        "form": form,
        "trials": request.user.trials.order_by("-pk").prefetch_related("seats")[:LAST],
        "left": trials.left(request.user, allowed),
        "most": game.seats.stop - 1,
    }
    return render(request, "trials.html", context, status=422 if form.errors else 200)


def own_trial(request: HttpRequest, pk: int) -> Trial:
    """Return a trial of this author's; others' are not found."""
    trial: Trial = get_object_or_404(request.user.trials, pk=pk)
    return trial


@for_authors
@require_safe
def trial(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the result of a trial."""
    found = own_trial(request, pk)
    seats = found.seats.select_related("version__bot").defer("version__archive")
    context = {
        "trial": found,
        "seats": [(seat, seat.version.bot.author_id == request.user.pk) for seat in seats],
        "goes_on": found.state in (Trial.State.WAITING, Trial.State.PLAYING),
        "has_replay": _replay_of(found) is not None,
    }
    return render(request, "trial.html", context)


@for_authors
@require_safe
def watch_trial(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a trial in the viewer."""
    found = own_trial(request, pk)
    if _replay_of(found) is None:
        raise Http404
    return viewer_page.viewer(request, "watch-trial.html", {"trial": found, "about": Card(f"Trial {pk}", "")})


@for_authors
@require_safe
def trial_listing(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the viewer's list, of one trial."""
    found = own_trial(request, pk)
    seats = list(found.seats.select_related("version__bot").defer("version__archive"))
    match = {"name": f"trial {pk}", "url": reverse("trial-replay", args=[pk]), "turns": found.turns}
    contest = {"name": "trials", "started": found.wanted.isoformat(), "matches": None}
    bots = {seat.name: reverse("bot", args=[seat.version.bot.name]) for seat in seats}
    site = {"home": reverse("trial", args=[pk]), "next": None, "before": None, "bots": bots}
    return viewer_page.listing(match, [(seat.name, seat.score) for seat in seats], contest, site)


@for_authors
@require_safe
def trial_details(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the faults of a trial, and the stderr, notes and drawings of own bots."""
    found = own_trial(request, pk)
    seats = [
        (seat.name, seat, seat.version.bot.author_id == request.user.pk)
        for seat in found.seats.select_related("version__bot").defer("version__archive")
    ]
    own = [name for name, _, is_own in seats if is_own]
    return viewer_page.left(
        viewer_page.faults_of(seats), left_in({bot: log_of(settings.HILL.trials, pk, bot) for bot in own})
    )


@for_authors
@require_safe
def trial_replay(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the replay of a trial, or a part of it."""
    data = _replay_of(own_trial(request, pk))
    if data is None:
        raise Http404
    return viewer_page.ranged(request, data, f"trial-{pk}{SUFFIX}", "private, no-store")


def _replay_of(trial: Trial) -> bytes | None:
    """Return the replay of a trial; None if there is none."""
    hill = settings.HILL
    try:
        return read_beneath(hill.folder, f"{hill.trials.name}/{replay_place(trial.pk)}")
    except OSError:
        return None
