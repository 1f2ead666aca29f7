"""The steps of a season: freeze the season, play its final, publish it, and open the next season."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from koth.games import load
from koth_hill import registry, seasons
from koth_hill.models import Season
from koth_hill.options import MOST_FINAL_MATCHES
from koth_hill.seasons import CLOSING_FORMS, parse_closing_time
from koth_hill.site.actions import ConfirmationForm, action, name_of
from koth_hill.site.roles import for_host


class SeasonRulesForm(forms.Form):
    """The form for the rules of the next season."""

    ruleset = forms.ChoiceField(required=False)

    def __init__(self, rulesets: Any, *args: Any) -> None:
        super().__init__(*args)
        self.fields["ruleset"].choices = [("", "as before"), *((name, name) for name in rulesets)]


class ClosingForm(forms.Form):
    """The form for the closing time of a season."""

    closes = forms.CharField(
        required=False, max_length=40, label="Closing time", help_text=f"{CLOSING_FORMS}. Empty: none."
    )


class FinalForm(forms.Form):
    """The form for a final's length, and for the knockout at the end if the game is played in pairs."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        game = load(settings.HILL.game)
        self.fields["matches_each"] = forms.IntegerField(
            required=False,
            min_value=1,
            max_value=MOST_FINAL_MATCHES,
            label="Matches of each bot",
            help_text=f"Empty: {game.contest_defaults.matches}.",
        )
        self.fields["seconds"] = forms.IntegerField(
            required=False,
            min_value=5,
            max_value=600,
            label="Seconds for which each bot's last match is shown",
            help_text="On the home page and the projector, one match after another, results after it: such as 60. "
            "Empty: all matches are played as fast as they go.",
        )
        if 2 in game.seats:
            self.fields["knockout"] = forms.IntegerField(
                required=False,
                min_value=2,
                max_value=1024,
                label="Then a knockout of the first",
                help_text="Such as 4 or 8 bots, which meet in pairs, with as many matches each. Empty: none.",
            )


@for_host
@require_safe
def season(request: HttpRequest) -> HttpResponse:
    """Show the season, and the step that comes next."""
    hill, now = settings.HILL, registry.current_season()
    context = {
        "now": now,
        "older": Season.objects.exclude(pk=now.pk).order_by("-pk"),
        "unchecked": registry.count_unchecked(),
        "folder": hill.folder.absolute(),
        "form": SeasonRulesForm(load(hill.game).rulesets),
        "length": FinalForm(),
        "closing": ClosingForm(initial={"closes": f"{now.closes:%Y-%m-%d %H:%M}" if now.closes else ""}),
    }
    return render(request, "host/season.html", context)


@action("host-season", ClosingForm)
def set_closing(request: HttpRequest, form: Any) -> str:
    """Set the time after which no bot is accepted."""
    now = registry.set_closing(parse_closing_time(form["closes"]), name_of(request))
    return f"Season {now.pk} {now.closing}."


@action("host-season", ConfirmationForm)
def freeze_season(request: HttpRequest, _: Any) -> str:
    """Stop accepting bots."""
    return f"Season {registry.freeze(name_of(request)).pk} accepts no more bots."


@action("host-season", ConfirmationForm)
def unfreeze_season(request: HttpRequest, _: Any) -> str:
    """Accept bots again."""
    return f"Season {registry.unfreeze(name_of(request)).pk} accepts bots again."


@action("host-season", FinalForm)
def play_final(request: HttpRequest, form: Any) -> str:
    """Begin the final, which the runner plays."""
    game, knockout = load(settings.HILL.game), form.get("knockout")
    now = registry.begin_final(game, form["matches_each"], knockout, name_of(request), form["seconds"])
    return f"The runner plays the final of season {now.pk} next."


@action("host-season", ConfirmationForm)
def end_final(request: HttpRequest, _: Any) -> str:
    """End a final before all matches are played."""
    return f"The final of season {registry.end_final(name_of(request)).pk} is over: the played matches count."


@action("host-season", ConfirmationForm)
def publish_season(request: HttpRequest, _: Any) -> str:
    """End a season and reveal its secret."""
    return f"Season {registry.publish(name_of(request)).pk} is over. Its page shows the secret."


def _rules(data: Any) -> SeasonRulesForm:
    return SeasonRulesForm(load(settings.HILL.game).rulesets, data)


@action("host-season", _rules)
def open_season(request: HttpRequest, form: Any) -> str:
    """Open the next season."""
    now = seasons.open_next(load(settings.HILL.game), form["ruleset"] or None, {}, name_of(request))
    return f"Season {now.pk} is open."
