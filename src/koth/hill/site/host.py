"""Pages of the host: people, limits, bots, matches, seasons, what is said to all, disk and the audit trail.

What is done here is what `koth hill` does in the terminal, by the same functions; the audit trail names the host.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import SetPasswordForm
from django.core import signing
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from koth.errors import KothError
from koth.games import load
from koth.hill import disk, people, registry, seasons, summary
from koth.hill.authors import invite, link
from koth.hill.models import Announcement, AuditEntry, Author, Bot, Match, Policy, Runner, Season, Version
from koth.hill.site import backups
from koth.hill.site.roles import for_host
from koth.hill.site.served import served
from koth.hill.tables import why_next

PAGE = 100
"""Rows of a list on one page."""
SILENT = timedelta(minutes=2)
"""A runner that was not heard of for so long is said to be silent."""
SALT = "koth.new-host"


class Reason(forms.Form):
    """Why something is done."""

    why = forms.CharField(label="Reason", max_length=500, help_text="For authors and for the record.")


class BotReason(Reason):
    """A bot, and why something is done to it."""

    bot = forms.CharField(max_length=40)
    field_order: ClassVar[list[str]] = ["bot", "why"]


class MatchReason(Reason):
    """A match, and why it shall not count."""

    match = forms.IntegerField(min_value=1, max_value=2**62)
    field_order: ClassVar[list[str]] = ["match", "why"]


class Names(forms.Form):
    """Names of authors, one on each line."""

    names = forms.CharField(
        max_length=50_000, widget=forms.Textarea(attrs={"rows": 8}), help_text="One on each line: a class, or one."
    )


class Limits(forms.ModelForm):
    """What the host allows."""

    class Meta:
        model = Policy
        exclude: ClassVar[list[str]] = []


class Said(forms.ModelForm):
    """What the host says to everybody."""

    text = forms.CharField(max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))

    class Meta:
        model = Announcement
        fields: ClassVar[list[str]] = ["text"]


class Rules(forms.Form):
    """The rules of the next season."""

    ruleset = forms.ChoiceField(required=False)

    def __init__(self, rulesets: Any, *args: Any) -> None:
        super().__init__(*args)
        self.fields["ruleset"].choices = [("", "as before"), *((name, name) for name in rulesets)]


class NewHost(SetPasswordForm):
    """Name and password of a host."""

    name = forms.CharField(max_length=40, initial=registry.HOST)
    field_order: ClassVar[list[str]] = ["name", "new_password1", "new_password2"]


def _done(request: HttpRequest, act: Callable[[], str], to: str, *args: Any) -> HttpResponse:
    """Do what the host asks for, tell what came of it, and show a page again."""
    try:
        messages.success(request, act())
    except KothError as error:
        messages.error(request, str(error))
    return redirect(to, *args)


def _asked(request: HttpRequest, form: forms.Form, act: Callable[[Any], str], to: str, *args: Any) -> HttpResponse:
    """Do what a form asks for, if it is filled in well."""
    if form.is_valid():
        return _done(request, lambda: act(form.cleaned_data), to, *args)
    for field, errors in form.errors.items():
        messages.error(request, f"{field}: {' '.join(errors)}")
    return redirect(to, *args)


def _me(request: HttpRequest) -> str:
    return str(request.user.name)


@for_host
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Show how the hill is doing: what comes next, what waits, who plays it, what was done last."""
    hill, silent = served().hill, timezone.now() - SILENT
    try:
        following = why_next(hill, load(hill.game), registry.current_season()).why
    except KothError as error:
        following = f"Nothing: {error}"
    runners = Runner.objects.filter(ended__isnull=True).annotate(matches=Count("match"))
    told = {
        "status": summary.status(hill),
        "following": following,
        "waiting": summary.waiting(),
        "runners": [{"runner": runner, "is_silent": runner.seen < silent} for runner in runners],
        "entries": AuditEntry.objects.order_by("-pk")[:10],
    }
    return render(request, "host/overview.html", told)


# --- people


@for_host
@require_safe
def list_people(request: HttpRequest) -> HttpResponse:
    """List hosts and authors, and invite new ones."""
    authors = Author.objects.annotate(count=Count("bots")).order_by("-is_host", "name")
    return render(request, "host/people.html", {"authors": authors, "form": Names()})


@for_host
@require_POST
def invite_people(request: HttpRequest) -> HttpResponse:
    """Make authors of a list of names, and show the link of each: nobody sees it again."""
    form = Names(request.POST)
    if not form.is_valid():
        return _asked(request, form, str, "host-people")
    try:
        authors = people.invite_class(form.cleaned_data["names"], _me(request))
    except KothError as error:
        messages.error(request, str(error))
        return redirect("host-people")
    return _links(request, authors)


def _links(request: HttpRequest, authors: list[Author]) -> HttpResponse:
    rows = [{"author": author, "link": link(author, served().url)} for author in authors]
    days = settings.PASSWORD_RESET_TIMEOUT // (24 * 3600)
    return render(request, "host/links.html", {"rows": rows, "days": days})


@for_host
@require_safe
def show_person(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an author, and what a host may do with one."""
    author = get_object_or_404(Author, pk=pk)
    bots = Bot.objects.filter(author=author)
    entries = AuditEntry.objects.filter(who=author.name).order_by("-pk")[:20]
    return render(request, "host/person.html", {"author": author, "bots": bots, "entries": entries, "form": Reason()})


@for_host
@require_POST
def link_person(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a link with which an author chooses a new password."""
    author = get_object_or_404(Author, pk=pk)
    try:
        return _links(request, [invite(author.name, who=_me(request))])
    except KothError as error:
        messages.error(request, str(error))
        return redirect("host-person", pk)


@for_host
@require_POST
def suspend_person(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep an author from signing in, and take their bots out of play."""
    name = get_object_or_404(Author, pk=pk).name

    def act(told: Any) -> str:
        people.suspend_author(name, told["why"], _me(request))
        return f"{name} is suspended."

    return _asked(request, Reason(request.POST), act, "host-person", pk)


@for_host
@require_POST
def reinstate_person(request: HttpRequest, pk: int) -> HttpResponse:
    """Let an author sign in again."""
    name = get_object_or_404(Author, pk=pk).name

    def act() -> str:
        people.reinstate_author(name, _me(request))
        return f"{name} may sign in and send bots again."

    return _done(request, act, "host-person", pk)


@for_host
@require_POST
def make_host(request: HttpRequest, pk: int) -> HttpResponse:
    """Make an author a host."""
    return _set_host(request, pk, True)


@for_host
@require_POST
def make_author(request: HttpRequest, pk: int) -> HttpResponse:
    """Make a host an author like others."""
    return _set_host(request, pk, False)


def _set_host(request: HttpRequest, pk: int, is_host: bool) -> HttpResponse:
    name = get_object_or_404(Author, pk=pk).name

    def act() -> str:
        people.make_host(name, is_host, _me(request))
        return f"{name} is a host." if is_host else f"{name} is an author like others."

    return _done(request, act, "host-people")


# --- limits, bots, matches


@for_host
@require_http_methods(["GET", "HEAD", "POST"])
def limits(request: HttpRequest) -> HttpResponse:
    """Show and change what authors may do on the site."""
    policy = Policy.objects.first() or Policy()
    form = Limits(request.POST or None, instance=policy)
    if request.method == "POST" and form.is_valid():
        changed = ", ".join(f"{key} {form.cleaned_data[key]}" for key in form.changed_data)
        form.save()
        if changed:
            registry.note("limits", changed, _me(request))
        messages.success(request, f"Changed: {changed}." if changed else "Nothing was changed.")
        return redirect("host-limits")
    return render(request, "host/limits.html", {"form": form, "hill": served().hill})


@for_host
@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    """Show what is not in order: versions that were refused or suspended, matches that count for nothing."""
    states = (Version.State.REFUSED, Version.State.SUSPENDED)
    versions = Version.objects.filter(state__in=states).select_related("bot__author").defer("archive")
    told = {
        "versions": versions.order_by("-pk")[:PAGE],
        "matches": Match.objects.filter(state__in=(Match.State.UNPLAYED, Match.State.VOID)).order_by("-pk")[:PAGE],
        "bot_form": BotReason(initial={"bot": request.GET.get("bot", "")}, auto_id="bot-%s"),
        "match_form": MatchReason(initial={"match": request.GET.get("match", "")}, auto_id="match-%s"),
    }
    return render(request, "host/bots.html", told)


@for_host
@require_POST
def suspend_bot(request: HttpRequest) -> HttpResponse:
    """Take a bot out of play for a reason."""

    def act(told: Any) -> str:
        ended = registry.suspend(told["bot"], told["why"], _me(request))
        return f"{', '.join(map(str, ended))}: suspended."

    return _asked(request, BotReason(request.POST), act, "host-bots")


@for_host
@require_POST
def void_match(request: HttpRequest) -> HttpResponse:
    """Take a match out of the standings for a reason."""

    def act(told: Any) -> str:
        registry.void(told["match"], told["why"], _me(request))
        return f"Match {told['match']} counts no more."

    return _asked(request, MatchReason(request.POST), act, "host-bots")


# --- seasons


@for_host
@require_safe
def season(request: HttpRequest) -> HttpResponse:
    """Show the season, and the step that comes next."""
    hill, now = served().hill, registry.current_season()
    told = {
        "now": now,
        "older": Season.objects.exclude(pk=now.pk).order_by("-pk"),
        "unchecked": Version.objects.filter(state__in=summary.UNCHECKED).count(),
        "final": seasons.final_is_over(hill, now),
        "folder": hill.folder.absolute(),
        "form": Rules(load(hill.game).rulesets),
    }
    return render(request, "host/season.html", told)


@for_host
@require_POST
def freeze_season(request: HttpRequest) -> HttpResponse:
    """End the time in which bots are taken."""
    return _done(request, lambda: f"Season {registry.freeze(_me(request)).pk} takes no bots any more.", "host-season")


@for_host
@require_POST
def publish_season(request: HttpRequest) -> HttpResponse:
    """End a season and tell its secret."""

    def act() -> str:
        now = seasons.publish(served().hill, _me(request))
        return f"Season {now.pk} is over. Its secret was {now.secret}."

    return _done(request, act, "host-season")


@for_host
@require_POST
def open_season(request: HttpRequest) -> HttpResponse:
    """Open the next season."""
    game = load(served().hill.game)

    def act(told: Any) -> str:
        now = seasons.open_next(game, told["ruleset"] or None, {}, _me(request))
        return f"Season {now.pk} is open. Its commitment: {now.commitment}."

    return _asked(request, Rules(game.rulesets, request.POST), act, "host-season")


# --- what is said to all


@for_host
@require_http_methods(["GET", "HEAD", "POST"])
def announcements(request: HttpRequest) -> HttpResponse:
    """Show what was said to everybody, and say more."""
    form = Said(request.POST or None)
    if request.method == "POST" and form.is_valid():
        text = form.save().text
        registry.note("announce", text, _me(request))
        return redirect("host-announcements")
    return render(request, "host/announcements.html", {"form": form, "said": Announcement.objects.all()[:PAGE]})


@for_host
@require_POST
def take_back(request: HttpRequest, pk: int) -> HttpResponse:
    """Take back what was said."""
    said = get_object_or_404(Announcement, pk=pk)
    registry.note("announce", f"taken back: {said.text}", _me(request))
    said.delete()
    return redirect("host-announcements")


# --- disk, audit


@for_host
@require_safe
def storage(request: HttpRequest) -> HttpResponse:
    """Show what the hill takes on disk, and its backups."""
    hill = served().hill
    told = {
        "used": disk.used(hill),
        "free": disk.free(hill),
        "backups": backups.there(hill),
        "is_running": backups.is_running(),
        "failure": backups.failure(),
    }
    return render(request, "host/storage.html", told)


@for_host
@require_POST
def write_backup(request: HttpRequest) -> HttpResponse:
    """Start a backup."""

    def act() -> str:
        to = backups.start(served().hill)
        registry.note("backup", str(to), _me(request))
        return f"A backup is being written: {to}"

    return _done(request, act, "host-storage")


@for_host
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Show what was done, newest first."""
    entries = AuditEntry.objects.order_by("-pk")
    if (before := request.GET.get("before", "")).isdecimal():
        entries = entries.filter(pk__lt=min(int(before[:18]), 2**62))
    if what := request.GET.get("what", ""):
        entries = entries.filter(what=what.replace("\0", ""))
    told = {
        "entries": list(entries[:PAGE]),
        "kinds": AuditEntry.objects.order_by("what").values_list("what", flat=True).distinct(),
        "what": what,
        "is_full": len(entries[:PAGE]) == PAGE,
    }
    return render(request, "host/audit.html", told)


# --- the first host


def has_host() -> bool:
    """Return whether anybody can sign in as a host."""
    return Author.objects.filter(is_host=True, is_active=True).exclude(password__startswith="!").exists()


def new_host_link(hill_url: str) -> str:
    """Return the address at which a host's account is made: once, and within a day."""
    return hill_url + reverse("new-host", args=[signing.dumps(_made(), salt=SALT)])


def _made() -> int:
    """Return how often somebody was made a host, or none any more: another number after each link that was used."""
    return AuditEntry.objects.filter(what="host").count()


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_host(request: HttpRequest, token: str) -> HttpResponse:
    """Make a host's account, for who has the link from the terminal; one that was used is none."""
    try:
        known = signing.loads(token, salt=SALT, max_age=timedelta(days=1))
    except signing.BadSignature:
        raise Http404 from None
    if known != _made():
        raise Http404
    form = NewHost(Author(), request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            author = people.first_host(form.cleaned_data["name"], form.cleaned_data["new_password1"])
        except KothError as error:
            form.add_error("name", str(error))
        else:
            login(request, author, backend=settings.AUTHENTICATION_BACKENDS[-1])
            return redirect("host")
    return render(request, "host/new.html", {"form": form})
