"""Actions of authors on their bots: send, withdraw, return to an older version."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Prefetch
from django.db.models.functions import Length
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from koth.errors import KothError
from koth.standings.text import rank_text
from koth_hill import fits, registry, tries, uploads
from koth_hill.claims import count_before
from koth_hill.models import Bot, Match, Seat, Version
from koth_hill.planning import count_played, find_shortage
from koth_hill.site.actions import action
from koth_hill.site.matches import LARGEST_NUMBER
from koth_hill.site.results import curves_of, matches_of
from koth_hill.site.roles import for_authors
from koth_hill.site.snapshot import snapshot

LATEST_ROWS = 20
"""The number of latest matches and files that are listed."""
REUSABLE_STATES = (Version.State.SUPERSEDED, Version.State.WITHDRAWN, Version.State.REFUSED)
"""States of versions to which their author may return."""


class SubmitForm(forms.Form):
    """The form for sending a bot as a file."""

    file = forms.FileField(
        label="A file", help_text="One file with the whole bot, or a zip of its folder.", allow_empty_file=True
    )
    name = forms.CharField(
        required=False,
        max_length=40,
        label="Name of the bot",
        help_text="Default: the name in koth.toml, or the name of the file or folder.",
    )


@for_authors
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    """Accept a bot: record and confirm the version, for a runner to check."""
    allowed = uploads.read_policy()
    is_sent = request.method == "POST"
    form = SubmitForm(request.POST, request.FILES) if is_sent else SubmitForm()
    if is_sent and form.is_valid():
        try:
            file, name = form.cleaned_data["file"], form.cleaned_data["name"]
            return redirect("version", uploads.receive(request.user, file.name, file.read(), name).pk)
        except KothError as error:
            form.add_error(None, str(error))
    left = uploads.count_left(request.user, allowed)
    context = {"form": form, "left": left, "allowed": allowed, "is_open": is_open()}
    return render(request, "submit.html", context, status=422 if form.errors else 200)


def is_open() -> bool:
    """Return whether the season accepts bots."""
    return not registry.current_season().refusal()


@for_authors
@require_safe
def version(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what has become of a version that the author sent."""
    own = request.user.versions.select_related("bot__author", "author").annotate(size=Length("archive"))
    found = get_object_or_404(own.defer("archive"), pk=min(pk, LARGEST_NUMBER))
    too_few = find_shortage(settings.HILL, registry.current_season())
    first = Match.objects.filter(seats__version=found).order_by("pk").first()
    is_playing = found.state == Version.State.PLAYING
    context = {
        "version": found,
        "ahead": count_before(found),
        "waits": found.state in registry.UNCHECKED_STATES or (is_playing and first is None and not too_few),
        "is_run": registry.is_run(),
        "sent_as": found.bot.sent_as if found.bot_id else found.name,
        "first": first,
        "too_few": too_few,
    }
    return render(request, "version.html", context)


@for_authors
@require_safe
def my_bots(request: HttpRequest) -> HttpResponse:
    """Show an author's bots, and what was sent and is not read."""
    versions = Version.objects.defer("archive").order_by("-number")
    bots = Bot.objects.filter(author=request.user).prefetch_related(Prefetch("versions", versions))
    season = registry.current_season()
    rows, curves = {row.line.bot: row for row in snapshot().rows}, curves_of(request.user, season)
    unread = request.user.versions.filter(bot=None).exclude(sent="").defer("archive").order_by("-pk")
    context = {
        "rank_by": season.rank_by,
        "bots": [
            {"bot": bot, "version": version, "row": rows.get(bot.name)}
            for bot in bots
            for version in bot.versions.all()[:1]
        ],
        "played": matches_of(Seat.objects.filter(version__bot__author=request.user), LATEST_ROWS, curves),
        "unread": unread[:LATEST_ROWS],
        "is_open": is_open(),
    }
    return render(request, "mine.html", context)


def _find_own(request: HttpRequest, pk: int) -> Bot:
    """Return a bot of this author. Raises Http404 for other authors' bots."""
    bot: Bot = get_object_or_404(Bot, pk=pk, author=request.user)
    return bot


@for_authors
@require_safe
def own_bot(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a bot to its author: versions with reasons, and the latest matches with logs."""
    bot = _find_own(request, pk)
    versions = count_played(bot.versions.annotate(size=Length("archive")))
    season = registry.current_season()
    by, rated, curves = season.rank_by, fits.latest_ratings(season), curves_of(request.user, season)
    context = {
        "rank_by": by,
        "bot": bot,
        "versions": [
            {
                "version": version,
                "rating": row,
                "ranked": rank_text(row and getattr(row, by), by),
                "margin": rank_text(row and row.margin, by),
            }
            for version in versions
            for row in (rated.get(version.pk),)
        ],
        "again": REUSABLE_STATES,
        "tried": tries.TRIED_STATES,
        "sent_as": bot.sent_as,
        "plays": versions.filter(state__in=registry.LIVING_STATES).exists(),
        "played": matches_of(Seat.objects.filter(version__bot=bot), LATEST_ROWS, curves),
        "is_open": is_open(),
    }
    return render(request, "my-bot.html", context)


@action("own-bot", of_one=True, admits=for_authors)
def withdraw(request: HttpRequest, _: Any, pk: int) -> str:
    """Take a bot out of play."""
    name = _find_own(request, pk).name
    registry.withdraw(name, request.user.name)
    return f"{name} no longer plays. The matches stay."


@action("own-bot", of_one=True, admits=for_authors)
def go_back(request: HttpRequest, _: Any, pk: int, number: int) -> str:
    """Make the files of an older version the newest version."""
    version = uploads.go_back(_find_own(request, pk), number)
    return f"Version {version.number} has the files of version {number}, and plays after a check."
