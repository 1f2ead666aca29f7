"""Actions: views that check a form, perform its action, and show the outcome on the next page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from koth.errors import KothError
from koth_hill.site.roles import View, for_host


class ReasonForm(forms.Form):
    """The form for the reason of an action."""

    why = forms.CharField(label="Reason", max_length=500, help_text="For authors and for the record.")


class ConfirmationForm(forms.Form):
    """The form that confirms a step which can't be undone."""

    sure = forms.BooleanField(label="I am sure")


def action(
    to: str,
    make_form: Callable[[Any], forms.Form] = forms.Form,
    of_one: bool = False,
    admits: Callable[[View], View] = for_host,
) -> Callable[[Callable[..., str | HttpResponse]], View]:
    """Make a view from a function of the request, the form's values, and the parameters of the address.

    The function returns the outcome in words, to show on the page called `to` (with `of_one`, the page of the same
    `pk`), or returns a page. The view shows the message of a KothError that the function raises.
    """

    def make(perform: Callable[..., str | HttpResponse]) -> View:
        @admits
        @require_POST
        @wraps(perform)
        def view(request: HttpRequest, **values: Any) -> HttpResponse:
            form = make_form(request.POST)
            if form.is_valid():
                try:
                    outcome = perform(request, form.cleaned_data, **values)
                    if isinstance(outcome, HttpResponse):
                        return outcome
                    messages.success(request, outcome)
                except KothError as error:
                    messages.error(request, str(error))
            for field, errors in form.errors.items():
                messages.error(request, f"{field}: {' '.join(errors)}")
            return redirect(to, *([values["pk"]] if of_one else []))

        return view

    return make


def name_of(request: HttpRequest) -> str:
    """Return the name of the host, for the audit trail."""
    return str(request.user.name)
