"""Actions of the host on people: invite, suspend, reinstate, make hosts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST, require_safe

from koth.errors import KothError, visible
from koth_hill import authors
from koth_hill.models import AuditEntry, Author, Bot
from koth_hill.registry import log_action
from koth_hill.site import sign_ins
from koth_hill.site.actions import ConfirmationForm, ReasonForm, action, name_of
from koth_hill.site.roles import for_host


class InvitationForm(forms.Form):
    """The form for names of authors, one on each line."""

    names = forms.CharField(
        max_length=50_000, widget=forms.Textarea(attrs={"rows": 8}), help_text="One name on each line."
    )
    sure = forms.BooleanField(required=False, label="The new codes are for the owners of these accounts")


@for_host
@require_safe
def list_people(request: HttpRequest) -> HttpResponse:
    """List hosts and authors, and invite new ones."""
    return _show_people(request, InvitationForm())


def _show_people(request: HttpRequest, form: InvitationForm) -> HttpResponse:
    if "sure" not in form.errors:
        form.fields.pop("sure")
    everybody = Author.objects.annotate(count=Count("bots")).order_by("-is_host", "name")
    context = {"authors": everybody, "form": form, "waiting": authors.find_unused_codes().count()}
    context["locks"] = sign_ins.find_locks()
    return render(request, "host/people.html", context, status=422 if form.errors else 200)


@for_host
@require_POST
def invite_people(request: HttpRequest) -> HttpResponse:
    """Make accounts for a list of names, and show each code and link once; return a faulty list for correction."""
    form = InvitationForm(request.POST)
    known = authors.find_known(request.POST.get("names", ""))
    if form.is_valid() and known and not form.cleaned_data["sure"]:
        form.add_error("sure", [*known, "give a new person another name; nobody is invited yet"])
    elif form.is_valid():
        try:
            return _show_links(request, authors.invite_class(form.cleaned_data["names"], actor=name_of(request)))
        except KothError as error:
            form.add_error("names", [*str(error).split("; "), "correct the list: nobody is invited yet"])
    return _show_people(request, form)


class LockForm(forms.Form):
    """The form that names a lock of sign-ins."""

    name = forms.CharField(required=False, strip=False, max_length=255)
    address = forms.GenericIPAddressField()


@action("host-people", LockForm)
def unlock(request: HttpRequest, form: Any) -> str:
    """Let somebody sign in again after failures."""
    who = f"{visible(form['name']) or 'every name'} at {form['address']}"
    sign_ins.unlock(form["name"], form["address"])
    log_action("sign-in", f"{who} is unlocked", name_of(request))
    return f"{who} may sign in again."


@action("host-people")
def new_codes(request: HttpRequest, _: Any) -> HttpResponse:
    """Make and show new codes for all authors with unused codes; the earlier codes become void."""
    waiting = authors.find_unused_codes()
    return _show_links(request, [authors.invite(author.name, actor=name_of(request)) for author in waiting])


def _show_links(request: HttpRequest, invited: list[Author]) -> HttpResponse:
    address, days = settings.SITE_URL, settings.PASSWORD_RESET_TIMEOUT // (24 * 3600)
    rows = [
        {
            "author": one,
            "link": authors.password_link(one, address),
            "code": None if one.is_host else authors.make_code(one),
        }
        for one in invited
    ]
    return render(request, "host/links.html", {"rows": rows, "days": days, "address": address})


@for_host
@require_safe
def show_person(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an author, with the host's actions."""
    author = get_object_or_404(Author, pk=pk)
    bots = Bot.objects.filter(author=author)
    entries = AuditEntry.objects.filter(actor=author.name).order_by("-pk")[:20]
    context = {"author": author, "bots": bots, "entries": entries, "form": ReasonForm()}
    return render(request, "host/person.html", context)


@action("host-person", of_one=True)
def link_person(request: HttpRequest, _: Any, pk: int) -> HttpResponse:
    """Show a link with which an author chooses a new password."""
    return _show_links(request, [authors.invite(get_object_or_404(Author, pk=pk).name, actor=name_of(request))])


@action("host-person", ReasonForm, of_one=True)
def suspend_person(request: HttpRequest, form: Any, pk: int) -> str:
    """Suspend an author and the author's bots."""
    author = get_object_or_404(Author, pk=pk)
    authors.suspend(author, form["why"], name_of(request))
    return f"{author.name} is suspended."


@action("host-person", of_one=True)
def reinstate_person(request: HttpRequest, _: Any, pk: int) -> str:
    """Reinstate a suspended author."""
    author = get_object_or_404(Author, pk=pk)
    authors.reinstate(author, name_of(request))
    return f"{author.name} may sign in and send bots again."


@action("host-person", ConfirmationForm, of_one=True)
def delete_person(request: HttpRequest, _: Any, pk: int) -> str:
    """Delete an author's account."""
    author = get_object_or_404(Author, pk=pk, is_host=False, is_deleted=False)
    name = author.name
    authors.delete(author, settings.HILL, name_of(request))
    return f"The account of {name} is deleted."


@action("host-people")
def make_host(request: HttpRequest, _: Any, pk: int, is_host: bool) -> str:
    """Give an author the rights of a host, or remove these rights."""
    author = get_object_or_404(Author, pk=pk)
    authors.make_host(author, is_host, name_of(request))
    return f"{author.name} is {'a host' if is_host else 'no longer a host'}."
