"""The state of the hill, and its audit trail."""

from __future__ import annotations

import shutil

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from koth_hill import registry, summary
from koth_hill.models import AuditEntry, Author, Match, Runner, Version
from koth_hill.planning import find_shortage, find_spent_budget
from koth_hill.site.roles import for_host

ENTRIES_OF_PAGE = 100
"""The number of entries on one page."""
MOST_MATCHES = 50
"""The largest number of waiting matches that are listed."""


@for_host
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Show the state of the hill: the next step, waiting work, the runners, disk and backup, the latest actions."""
    hill, silent = settings.HILL, timezone.now() - registry.SILENT_AFTER
    unchecked = Version.objects.filter(state__in=registry.UNCHECKED_STATES)
    matches = Match.objects.filter(state__in=(Match.State.PLAYING, Match.State.SCHEDULED))
    context = {
        "status": summary.status(hill),
        "obstacle": find_spent_budget(hill) or find_shortage(hill, registry.current_season()),
        "is_new": not Author.objects.filter(is_host=False).exists(),
        "versions": unchecked.select_related("bot", "author").defer("archive"),
        "matches": matches.order_by("tries", "pk")[:MOST_MATCHES],
        "runners": Runner.objects.filter(ended=None),
        "silent": silent,
        "free": shutil.disk_usage(hill.folder).free,
        "backup": AuditEntry.objects.filter(action="backup").order_by("-pk").first(),
        "folder": hill.folder.name,
        "entries": AuditEntry.objects.order_by("-pk")[:10],
    }
    return render(request, "host/overview.html", context)


@for_host
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Show the audit trail, newest first."""
    entries = AuditEntry.objects.order_by("-pk")
    if action := request.GET.get("action", ""):
        entries = entries.filter(action=action.replace("\0", ""))
    page = Paginator(entries, ENTRIES_OF_PAGE).get_page(request.GET.get("page"))
    kinds = AuditEntry.objects.order_by("action").values_list("action", flat=True).distinct()
    return render(request, "host/audit.html", {"page": page, "entries": page, "kinds": kinds, "action": action})
