"""Locks on sign-ins after failures: on a name at an address by axes, on an address here, over the rows of axes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Max, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from koth.errors import visible
from koth_hill.planning import within
from koth_hill.site.limits import visitor_of

ADDRESS_LIMIT = 100
"""The number of failures from one address, with any names, that lock the address: a class may share it."""
LOCKED_FOR = timedelta(hours=settings.AXES_COOLOFF_TIME)
MOST_SHOWN = 100
"""The largest number of locks of each kind that the host sees."""


@dataclass(frozen=True)
class Lock:
    """A lock on the sign-ins with a name from an address; without a name, on all from the address."""

    name: str
    shown: str
    """The name without characters that could deceive the host."""
    address: str
    failures: int
    until: datetime


def refuse_locked(request: HttpRequest) -> HttpResponse | None:
    """Return the answer to a sign-in from a locked address; None for any other address."""
    AccessAttempt.objects.filter(attempt_time__gt=timezone.now()).delete()  # of a clock that was ahead
    failures = _recent().filter(ip_address=visitor_of(request)).aggregate(sum=Sum("failures_since_start"))["sum"]
    return render(request, "locked.html", status=429) if (failures or 0) >= ADDRESS_LIMIT else None


def find_locks() -> list[Lock]:
    """Return the locks of now."""
    return [
        Lock(
            row.get("username") or "", visible(row.get("username") or ""), row["ip_address"], row["sum"], row["last"]
        )
        for keys, limit in (
            (("username", "ip_address"), settings.AXES_FAILURE_LIMIT),
            (("ip_address",), ADDRESS_LIMIT),
        )
        for row in _sums(keys).filter(sum__gte=limit)[:MOST_SHOWN]
    ]


def unlock(name: str, address: str) -> int:
    """Forget the failures with a name (empty: any name) from an address; return the number of rows."""
    failed = AccessAttempt.objects.filter(ip_address=address, **({"username": name} if name else {}))
    return failed.delete()[0]


def _recent() -> QuerySet[AccessAttempt]:
    return AccessAttempt.objects.filter(attempt_time__range=within(LOCKED_FOR))


def _sums(keys: tuple[str, ...]) -> QuerySet[AccessAttempt]:
    sums = _recent().order_by(*keys).values(*keys)
    return sums.annotate(sum=Sum("failures_since_start"), last=Max("attempt_time") + LOCKED_FOR)
