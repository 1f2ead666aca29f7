"""Hosts and authors: invited, suspended, reinstated, made hosts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from koth.errors import KothError
from koth.hill import people
from koth.hill.authors import invite, link
from koth.hill.models import AuditEntry, Author, Bot
from koth.hill.site.host.actions import Reason, name_of, perform, perform_form
from koth.hill.site.roles import for_host


class Names(forms.Form):
    """Names of authors, one on each line."""

    names = forms.CharField(
        max_length=50_000, widget=forms.Textarea(attrs={"rows": 8}), help_text="One on each line: a class, or one."
    )


@for_host
@require_safe
def list_people(request: HttpRequest) -> HttpResponse:
    """List hosts and authors, and invite new ones."""
    authors = Author.objects.annotate(count=Count("bots")).order_by("-is_host", "name")
    return render(request, "host/people.html", {"authors": authors, "form": Names()})


@for_host
@require_POST
def invite_people(request: HttpRequest) -> HttpResponse:
    """Make authors of a list of names, and show the link of each, once."""
    form = Names(request.POST)
    if not form.is_valid():
        return perform_form(request, form, str, "host-people")
    try:
        authors = people.invite_class(form.cleaned_data["names"], name_of(request))
    except KothError as error:
        messages.error(request, str(error))
        return redirect("host-people")
    return _links(request, authors)


def _links(request: HttpRequest, authors: list[Author]) -> HttpResponse:
    rows = [{"author": author, "link": link(author, settings.SITE_URL)} for author in authors]
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
        return _links(request, [invite(author.name, who=name_of(request))])
    except KothError as error:
        messages.error(request, str(error))
        return redirect("host-person", pk)


@for_host
@require_POST
def suspend_person(request: HttpRequest, pk: int) -> HttpResponse:
    """Suspend an author and the author's bots."""
    name = get_object_or_404(Author, pk=pk).name

    def act(form: Any) -> str:
        people.suspend_author(name, form["why"], name_of(request))
        return f"{name} is suspended."

    return perform_form(request, Reason(request.POST), act, "host-person", pk)


@for_host
@require_POST
def reinstate_person(request: HttpRequest, pk: int) -> HttpResponse:
    """Reinstate a suspended author."""
    name = get_object_or_404(Author, pk=pk).name

    def act() -> str:
        people.reinstate_author(name, name_of(request))
        return f"{name} may sign in and send bots again."

    return perform(request, act, "host-person", pk)


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
        people.make_host(name, is_host, name_of(request))
        return f"{name} is a host." if is_host else f"{name} is an author like others."

    return perform(request, act, "host-people")
