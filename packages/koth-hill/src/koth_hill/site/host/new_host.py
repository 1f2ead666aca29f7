"""The account of a host, made with a link that `koth hill serve` prints."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import SetPasswordForm
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from koth.errors import KothError
from koth_hill import authors, registry
from koth_hill.models import AuditEntry, Author

NEW_HOST_SALT = "koth.new-host"


class NewHostForm(SetPasswordForm):
    """The form for the name and password of a host."""

    name = forms.CharField(max_length=40, initial=registry.HOST)
    field_order: ClassVar[list[str]] = ["name", "new_password1", "new_password2"]


def new_host_link(hill_url: str) -> str:
    """Return the address at which a visitor can make one host's account, within a day."""
    return hill_url + reverse("new-host", args=[signing.dumps(_count_host_entries(), salt=NEW_HOST_SALT)])


def _count_host_entries() -> int:
    """Return the number of audit entries about hosts and invitations: a link is valid until this number changes."""
    return AuditEntry.objects.filter(action__in=("host", "invite")).count()


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_host(request: HttpRequest, token: str) -> HttpResponse:
    """Make a host's account for a visitor with the link from the terminal, which works once."""
    try:
        known = signing.loads(token, salt=NEW_HOST_SALT, max_age=timedelta(days=1))
    except signing.BadSignature:
        raise Http404 from None
    if known != _count_host_entries():
        messages.error(request, "That link does not work any more; koth hill invite --host makes another.")
        return redirect("sign-in")
    form = NewHostForm(Author(), request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            author = authors.make_first_host(form.cleaned_data["name"], form.cleaned_data["new_password1"])
        except KothError as error:
            form.add_error("name", str(error))
        else:
            login(request, author, backend=settings.AUTHENTICATION_BACKENDS[-1])
            return redirect("host")
    return render(request, "host/new.html", {"form": form})
