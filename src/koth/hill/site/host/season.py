"""The steps of a season: freeze the season, play its final, publish it, and open the next season."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from koth.contest.lock import is_held
from koth.games import load
from koth.hill import finals, registry, seasons
from koth.hill.models import Season, Version
from koth.hill.seasons import CLOSING_FORMS, parse_closing_time
from koth.hill.site.actions import Sure, action, name_of
from koth.hill.site.roles import for_host
from koth.services.contests import lengths_with_goal


class Rules(forms.Form):
    """The form for the rules of the next season."""

    ruleset = forms.ChoiceField(required=False)

    def __init__(self, rulesets: Any, *args: Any) -> None:
        super().__init__(*args)
        self.fields["ruleset"].choices = [("", "as before"), *((name, name) for name in rulesets)]


class Closing(forms.Form):
    """The form for the closing time of a season."""

    closes = forms.CharField(
        required=False, max_length=40, label="Closing time", help_text=f"{CLOSING_FORMS}. Empty: none."
    )


class FinalForm(forms.Form):
    """The form for a final's length, and for the knockout at the end if the game is played in pairs."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        hill, game = settings.HILL, load(settings.HILL.game)
        playing = Version.objects.filter(state=Version.State.PLAYING)
        finalists = len(registry.current_season().finalists) or playing.count()
        bots = max(finalists, 2, game.seats.start, hill.seats or 0)
        self.least, most = lengths_with_goal(game, bots, hill.seats)
        self.fields["matches"] = forms.IntegerField(
            required=False,
            min_value=1,
            max_value=most,
            label="Matches of each bot, at most",
            help_text=f"The final ends earlier once all ranks are settled. Empty: {most}.",
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
        "final": seasons.final_is_over(hill, now),
        "is_played": now.state == Season.State.FINAL and is_held(seasons.folder_of(hill, now)),
        "folder": hill.folder.absolute(),
        "form": Rules(load(hill.game).rulesets),
        "length": FinalForm(initial={"matches": now.final_matches, "knockout": now.final_knockout}),
        "closing": Closing(initial={"closes": f"{now.closes:%Y-%m-%d %H:%M}" if now.closes else ""}),
    }
    return render(request, "host/season.html", context)


@action("host-season", Closing)
def set_closing(request: HttpRequest, form: Any) -> str:
    """Set the time after which no bot is accepted."""
    now = registry.set_closing(parse_closing_time(form["closes"]), name_of(request))
    return f"Season {now.pk} {now.closing}."


@action("host-season", Sure)
def freeze_season(request: HttpRequest, _: Any) -> str:
    """Stop accepting bots."""
    return f"Season {registry.freeze(name_of(request)).pk} accepts no more bots."


@action("host-season", FinalForm)
def play_final(request: HttpRequest, form: Any) -> str:
    """Let a runner play or continue the final."""
    now = finals.leave_to_runner(settings.HILL, name_of(request), form["matches"], form.get("knockout"))
    return f"A runner plays the final of season {now.pk} next."


@action("host-season", Sure)
def end_final(request: HttpRequest, _: Any) -> str:
    """End a final before all matches are played."""
    now = finals.end(settings.HILL, name_of(request))
    is_over = seasons.final_is_over(settings.HILL, now)
    return (
        f"The final of season {now.pk} is over{'' if is_over else ' after the match in play'}: played matches count."
    )


@action("host-season", Sure)
def publish_season(request: HttpRequest, _: Any) -> str:
    """End a season and reveal its secret."""
    now = seasons.publish(settings.HILL, name_of(request))
    return f"Season {now.pk} is over. The secret was {now.secret}."


def _rules(data: Any) -> Rules:
    return Rules(load(settings.HILL.game).rulesets, data)


@action("host-season", _rules)
def open_season(request: HttpRequest, form: Any) -> str:
    """Open the next season."""
    now = seasons.open_next(load(settings.HILL.game), form["ruleset"] or None, {}, name_of(request))
    return f"Season {now.pk} is open. The commitment is {now.commitment}."
