"""Actions of the host: validated, performed, and their outcome shown on the next page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from koth.errors import KothError


class Reason(forms.Form):
    """The reason of an action."""

    why = forms.CharField(label="Reason", max_length=500, help_text="For authors and for the record.")


def perform(request: HttpRequest, act: Callable[[], str], to: str, *args: Any) -> HttpResponse:
    """Perform an action, and redirect to a page that shows its outcome."""
    try:
        messages.success(request, act())
    except KothError as error:
        messages.error(request, str(error))
    return redirect(to, *args)


def perform_form(
    request: HttpRequest, form: forms.Form, act: Callable[[Any], str], to: str, *args: Any
) -> HttpResponse:
    """Perform the action of a form if it is valid, and redirect to a page that shows the outcome."""
    if form.is_valid():
        return perform(request, lambda: act(form.cleaned_data), to, *args)
    for field, errors in form.errors.items():
        messages.error(request, f"{field}: {' '.join(errors)}")
    return redirect(to, *args)


def name_of(request: HttpRequest) -> str:
    """Return the name of the host, for the audit trail."""
    return str(request.user.name)
