"""Limits, the host's texts, refused and suspended bots, and void matches."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from koth.discovery.entrants import find_only
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import sample_names
from koth.games import load
from koth.sandbox.isolation import PLAIN
from koth_hill import registry, uploads
from koth_hill.models import Match, Policy, Version
from koth_hill.site.actions import ReasonForm, action, name_of
from koth_hill.site.roles import for_host

ROWS_OF_PAGE = 100
"""The number of rows on a page of a list."""


class BotNameForm(forms.Form):
    bot = forms.CharField(max_length=40)


class BotReasonForm(BotNameForm, ReasonForm):
    """The form for a bot, and the reason for an action on this bot."""

    field_order: ClassVar[list[str]] = ["bot", "why"]


class MatchReasonForm(ReasonForm):
    """The form for a match, and the reason for making it void."""

    match = forms.IntegerField(min_value=1, max_value=2**62)
    field_order: ClassVar[list[str]] = ["match", "why"]


class Megabytes(forms.IntegerField):
    """A form field for a number of bytes, in units of 1,048,576."""

    def prepare_value(self, value: Any) -> Any:
        """Return a stored value in megabytes; return a typed value unchanged."""
        return value >> 20 if isinstance(value, int) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether the typed megabytes differ from the stored value."""
        return super().has_changed(self.prepare_value(initial), data)

    def clean(self, value: Any) -> int:
        """Return the bytes."""
        megabytes: int = super().clean(value)
        return megabytes << 20


class LimitsForm(forms.ModelForm):
    """The form for the limits that the host sets."""

    class Meta:
        model = Policy
        exclude: ClassVar[list[str]] = []
        widgets: ClassVar[dict[str, forms.Widget]] = {
            "text": forms.Textarea({"rows": 4}),
            "announcement": forms.Textarea({"rows": 2}),
        }
        labels: ClassVar[dict[str, str]] = {
            "title": "Title of the hill",
            "text": "Text for its home page",
            "announcement": "Announcement above every page",
            "open_registration": "Everybody may join",
            "uploads_a_day": "Bots that an author may send in 24 hours",
            "largest_upload": "Largest upload, in MB",
            "tries_a_day": "Tries that an author may ask for in 24 hours",
            "visitors_play": "Visitors may play against the leaders",
            "kept_bytes": "Disk for the bots of each author, in MB",
        }
        field_classes: ClassVar[dict[str, type[forms.Field]]] = {"largest_upload": Megabytes, "kept_bytes": Megabytes}
        help_texts: ClassVar[dict[str, str]] = {
            "title": "Default: the title of the game.",
            "text": "For example the contest's aim, prizes, links: addresses become links.",
            "open_registration": "If not, authors need an invitation.",
            "largest_upload": "A larger one than before is accepted when the site has been started again.",
            "kept_bytes": "Packed sources, texts of tries, built copies of bots that play. Above it, the oldest go.",
        }


def _in_words(value: Any) -> Any:
    return ("on" if value else "off") if isinstance(value, bool) else "none" if value == "" else value


@for_host
@require_http_methods(["GET", "HEAD", "POST"])
def limits(request: HttpRequest) -> HttpResponse:
    """Show and change what authors may do on the site."""
    form = LimitsForm(request.POST or None, instance=uploads.read_policy())
    if request.method == "POST" and form.is_valid():
        changed = "; ".join(f"{key}: {_in_words(form.cleaned_data[key])}" for key in form.changed_data)
        form.save()
        if changed:
            registry.log_action("limits", changed, name_of(request))
        messages.success(request, f"Changed: {changed}" if changed else "Nothing was changed.")
        return redirect("host-limits")
    return render(request, "host/limits.html", {"form": form, "hill": settings.HILL})


@for_host
@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    """Show versions that were refused or suspended, and matches that do not count."""
    states = (Version.State.REFUSED, Version.State.SUSPENDED)
    versions = (
        Version.objects.filter(state__in=states).exclude(bot=None).select_related("bot__author").defer("archive")
    )
    matches = Match.objects.filter(state__in=(Match.State.UNPLAYED, Match.State.VOID))
    playing = Version.objects.filter(state=Version.State.PLAYING).select_related("bot__author").defer("archive")
    context = {
        "playing": playing.order_by("bot__name"),
        "versions": versions.order_by("-pk")[:ROWS_OF_PAGE],
        "matches": matches.order_by("-pk")[:ROWS_OF_PAGE],
        "boss_form": BossForm(),
        "bot_form": BotReasonForm(initial={"bot": request.GET.get("bot", "")}, auto_id="bot-%s"),
        "match_form": MatchReasonForm(initial={"match": request.GET.get("match", "")}, auto_id="match-%s"),
    }
    return render(request, "host/bots.html", context)


class BossForm(forms.Form):
    """The form for samples that play as bosses."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        names = sample_names(settings.HILL.game)
        self.fields["samples"] = forms.MultipleChoiceField(
            choices=[(name, name) for name in names], widget=forms.CheckboxSelectMultiple
        )


@action("host-bots", BossForm)
def add_bosses(request: HttpRequest, form: Any) -> str:
    """Let samples play out of competition."""
    game = load(settings.HILL.game)
    for name in form["samples"]:
        found = find_only(game, f"@{name}", Interpreters(), PLAIN)
        registry.submit(game, found, name_of(request), is_boss=True)
    return f"{', '.join(form['samples'])}: play as bosses, after a check."


@action("host-bots", BotReasonForm)
def suspend_bot(request: HttpRequest, form: Any) -> str:
    """Take a bot out of play for a reason."""
    ended = registry.suspend(form["bot"], form["why"], name_of(request))
    return f"{', '.join(map(str, ended))}: suspended."


@action("host-bots", BotNameForm)
def check_bot(request: HttpRequest, form: Any) -> str:
    """Check a refused version again."""
    return f"{registry.check_again(form['bot'], name_of(request))}: it waits for its check again."


@action("host-bots", MatchReasonForm)
def void_match(request: HttpRequest, form: Any) -> str:
    """Take a match out of the standings for a reason."""
    registry.void(form["match"], form["why"], name_of(request))
    return f"Match {form['match']} no longer counts."
