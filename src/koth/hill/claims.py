"""Claims of runners: matches, versions, uploads and trials; those that a runner leaves are given back.

A claim is a conditional update, so that no two runners have the same. A runner in PostgreSQL holds a lock for as long
as its connection lives; in SQLite one runner holds the hill's folder.
"""

from __future__ import annotations

import os
import socket
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from koth.hill.connection import Hill
from koth.hill.copies import Copies
from koth.hill.models import Match, Runner, Upload, Version
from koth.hill.recording import remove_part
from koth.hill.registry import note
from koth.sandbox.isolation import Isolation

LOCKS = 0x6B6F7468
"""The first half of the numbers of runners' advisory locks in PostgreSQL."""


@transaction.atomic
def begin(hill: Hill, isolation: Isolation) -> Runner:
    """Put a new runner on record; no other one sees it before it holds its lock."""
    runner = Runner.objects.create(host=socket.gethostname(), pid=os.getpid())
    note("run", f"runner {runner.pk} begins: process {runner.pid} of {runner.host}, isolation {isolation.level}")
    if not hill.is_sqlite:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", [LOCKS, runner.pk])
    return runner


def take_over(hill: Hill, runner: Runner) -> None:
    """Give back what runners that are gone had claimed.

    In SQLite these are all others, for this one holds the folder; in PostgreSQL those whose lock is free.
    """
    for other in Runner.objects.filter(ended__isnull=True).exclude(pk=runner.pk):
        if hill.is_sqlite or not _lives(other):
            give_back(hill, other, failed=True)


def give_back(hill: Hill, runner: Runner, *, failed: bool) -> None:
    """Give back what a runner had claimed, for it is gone or ends; count that it failed with it."""
    matches = Match.objects.filter(runner=runner, state=Match.State.PLAYING)
    for match in matches:
        remove_part(hill, match.pk)
    matches.update(state=Match.State.SCHEDULED, runner=None)
    left: dict[str, Any] = {"runner": None, "tries": F("tries") + int(failed)}
    Version.objects.filter(runner=runner, state=Version.State.CHECKING).update(state=Version.State.QUEUED, **left)
    Upload.objects.filter(runner=runner, state=Upload.State.READING).update(state=Upload.State.WAITING, **left)
    Match.trials.filter(runner=runner, state=Match.State.PLAYING).update(state=Match.State.SCHEDULED, **left)
    if not hill.is_sqlite:
        Copies.of(hill, runner).remove()
    Runner.objects.filter(pk=runner.pk).update(ended=timezone.now())


def _lives(runner: Runner) -> bool:
    """Return whether the connection of a runner lives."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [LOCKS, runner.pk])
        if not cursor.fetchone()[0]:
            return True
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCKS, runner.pk])
    return False
