"""Trials, and the logs of matches and trials: for their authors alone."""

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
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from koth.contest.private import log_of
from koth.contest.results import replay_place
from koth.errors import KothError
from koth.files.beneath import read_beneath
from koth.games import load
from koth.hill import logs, trials, uploads
from koth.hill.host_paths import without_host_paths
from koth.hill.logs import Log
from koth.hill.models import Match, Seat, Trial, Version
from koth.hill.site import watched
from koth.hill.site.card import Card
from koth.hill.site.roles import for_authors
from koth.question import FAULT_KINDS
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


def _own_trial(request: HttpRequest, pk: int) -> Trial:
    trial: Trial = get_object_or_404(request.user.trials, pk=pk)
    return trial


@for_authors
@require_safe
def trial(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the result of a trial."""
    found = _own_trial(request, pk)
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
    found = _own_trial(request, pk)
    if _replay_of(found) is None:
        raise Http404
    return watched.viewer(request, "watch-trial.html", {"trial": found, "about": Card(f"Trial {pk}", "")})


@for_authors
@require_safe
def trial_listing(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the viewer's list, of one trial."""
    found = _own_trial(request, pk)
    seats = list(found.seats.select_related("version__bot").defer("version__archive"))
    match = {"name": f"trial {pk}", "url": reverse("trial-replay", args=[pk]), "turns": found.turns}
    contest = {"name": "trials", "started": found.wanted.isoformat(), "matches": None}
    bots = {seat.name: reverse("bot", args=[seat.version.bot.name]) for seat in seats}
    site = {"home": reverse("trial", args=[pk]), "next": None, "before": None, "bots": bots}
    return watched.listing(match, [(seat.name, seat.score) for seat in seats], contest, site)


@for_authors
@require_safe
def trial_details(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the faults of a trial, and the stderr, notes and drawings of own bots."""
    found = _own_trial(request, pk)
    seats = [
        (seat.name, seat, seat.version.bot.author_id == request.user.pk)
        for seat in found.seats.select_related("version__bot").defer("version__archive")
    ]
    own = [name for name, _, is_own in seats if is_own]
    return watched.left(
        watched.faults_of(seats), left_in({bot: log_of(settings.HILL.trials, pk, bot) for bot in own})
    )


@for_authors
@require_safe
def trial_replay(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the replay of a trial, or a part of it."""
    data = _replay_of(_own_trial(request, pk))
    if data is None:
        raise Http404
    return watched.ranged(request, data, f"trial-{pk}{SUFFIX}", "private, no-store")


def _replay_of(trial: Trial) -> bytes | None:
    """Return the replay of a trial; None if there is none."""
    hill = settings.HILL
    try:
        return read_beneath(hill.folder, f"{hill.trials.name}/{replay_place(trial.pk)}")
    except OSError:
        return None


# --- logs


def _match_log(request: HttpRequest, match: int, place: int) -> tuple[Log, Seat]:
    """Return the log of an own bot in a match; others' are not found."""
    seats = Seat.objects.select_related("match", "version__bot").defer("version__archive")
    played = get_object_or_404(Match, pk=match)
    seat = get_object_or_404(seats, match=played, place=place, version__bot__author=request.user)
    return logs.of_match(settings.HILL, seat.match, seat), seat


def _trial_log(request: HttpRequest, trial: int, place: int) -> tuple[Log, Any]:
    """Return the log of an own bot in an own trial; others' are not found."""
    found = _own_trial(request, trial)
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


LINES = 500
"""Pieces of stderr, and notes, that the page of a log shows: the last ones."""
SHOWN = 200_000
"""Characters of stderr that it shows."""


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
