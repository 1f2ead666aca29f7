"""Sources of versions: for their author, and for everybody once the author shares them."""

from __future__ import annotations

from difflib import unified_diff
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from koth.errors import KothError, visible
from koth_hill.models import Season, Version
from koth_hill.site.actions import action
from koth_hill.site.card import PageMeta
from koth_hill.site.matches import LARGEST_NUMBER
from koth_hill.site.roles import for_authors
from koth_hill.tries import Texts, texts_in


def _find_stored() -> Any:
    """Return the versions whose sources are stored."""
    return Version.objects.exclude(bot=None).exclude(archive=b"").select_related("bot__author")


def _find_own(request: HttpRequest, pk: int, number: int) -> Version:
    """Return a stored version of an author's bot. Raises Http404 for other versions."""
    place = {"bot": min(pk, LARGEST_NUMBER), "number": min(number, LARGEST_NUMBER)}
    version: Version = get_object_or_404(_find_stored(), bot__author=request.user, **place)
    return version


def may_be_shared(version: Version) -> bool:
    """Return whether everybody may see a version's sources: a season in which the version could play is over."""
    return Season.objects.filter(published__gt=version.submitted).exists()


def _read(version: Version) -> tuple[Texts, str]:
    """Return the texts of a version's files, readable, or why the site can't show them."""
    try:
        texts = texts_in(bytes(version.archive), version.file)
    except KothError as error:
        return [], str(error).partition(":")[0]
    return [(visible(name), visible(text.expandtabs(4), keep="\n")) for name, text in texts], ""


def _find_changes(old: Texts, new: Texts) -> str:
    """Return the difference between two versions' texts, as `diff -u` writes it."""
    before, after = dict(old), dict(new)
    return "\n".join(
        line
        for name in sorted({*before, *after})
        for line in unified_diff(
            before.get(name, "").splitlines(), after.get(name, "").splitlines(), name, name, lineterm=""
        )
    )


@for_authors
@require_safe
def own_source(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show the author a version's source, and how it differs from the stored version before."""
    found = _find_own(request, pk, number)
    before = _find_stored().filter(bot=found.bot_id, number__lt=found.number).order_by("-number").first()
    texts, problem = _read(found)
    changes = "" if before is None or problem else _find_changes(_read(before)[0], texts)
    own = {"is_own": True, "before": before, "changes": changes, "may_be_shared": may_be_shared(found)}
    return _show(request, found, texts, problem, **own)


@require_safe
def source(request: HttpRequest, pk: int) -> HttpResponse:
    """Show everybody the source of a version that its author shares."""
    found = get_object_or_404(_find_stored(), pk=min(pk, LARGEST_NUMBER), is_shared=True)
    if not may_be_shared(found):
        raise Http404
    return _show(request, found, *_read(found))


def _show(request: HttpRequest, version: Version, texts: Texts, problem: str, **own: Any) -> HttpResponse:
    about = PageMeta(f"{version}, source", f"The source of {version.bot.name}, version {version.number}.")
    return render(
        request, "source.html", {"version": version, "texts": texts, "problem": problem, "about": about, **own}
    )


@for_authors
@require_safe
def download(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Return the files of an author's version as a zip."""
    found = _find_own(request, pk, number)
    answer = HttpResponse(bytes(found.archive), "application/zip")
    answer["Content-Disposition"] = f'attachment; filename="version-{found.number}.zip"'
    return answer


@action("own-bot", of_one=True, admits=for_authors)
def share(request: HttpRequest, _: Any, pk: int, number: int) -> str:
    """Show everybody the source of a version, or no longer."""
    found = _find_own(request, pk, number)
    if not found.is_shared and not may_be_shared(found):
        raise KothError("sources can be shared when the season in which they were sent is over")
    Version.objects.filter(pk=found.pk).update(is_shared=not found.is_shared)
    return f"The source of version {number} is {'no longer shown' if found.is_shared else 'shown to everybody'}."
