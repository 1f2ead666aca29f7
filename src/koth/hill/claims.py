"""Claims of runners on matches, versions and uploads; if a runner is gone, its claims are released.

A claim is a conditional update, so that no two runners claim the same row. With PostgreSQL a runner holds a lock as
long as its connection lives; with SQLite only one runner can hold the hill's folder.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from koth.hill.connection import Hill
from koth.hill.copies import Copies
from koth.hill.models import Match, Runner, Season, Seat, Upload, Version
from koth.hill.planning import Schedule, find_spent_budget, within
from koth.hill.recording import remove_part
from koth.hill.registry import note
from koth.hill.scheduler import PlannedTable
from koth.sandbox.isolation import Isolation

RUNNER_LOCKS = 0x6B6F7468
"""The first half of the numbers of runners' advisory locks in PostgreSQL."""


@transaction.atomic
def begin(hill: Hill, isolation: Isolation) -> Runner:
    """Record a new runner, which takes its lock before other runners can see the record."""
    runner = Runner.objects.create(host=socket.gethostname(), pid=os.getpid())
    note("run", f"runner {runner.pk} begins: process {runner.pid} of {runner.host}, isolation {isolation.level}")
    if not hill.is_sqlite:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", [RUNNER_LOCKS, runner.pk])
    return runner


def take_over(hill: Hill, runner: Runner) -> None:
    """Release the claims of runners that are gone.

    With SQLite all other runners are gone, because this one holds the folder; with PostgreSQL, runners with a free
    lock.
    """
    for other in Runner.objects.filter(ended__isnull=True).exclude(pk=runner.pk):
        if hill.is_sqlite or not _is_alive(other):
            give_back(hill, other, failed=True)


def give_back(hill: Hill, runner: Runner, *, failed: bool) -> None:
    """Release the claims of a runner that is gone or ends; with `failed`, count failures as `release` does."""
    release(hill, runner, failed=failed)
    if not hill.is_sqlite:
        Copies.of(hill, runner).remove()
    Runner.objects.filter(pk=runner.pk).update(ended=timezone.now())


def release(hill: Hill, runner: Runner, *, failed: bool) -> None:
    """Return claimed rows to their queues; with `failed`, count a failure for each row except matches of seasons."""
    matches = Match.objects.filter(runner=runner, state=Match.State.PLAYING)
    for match in matches:
        remove_part(hill, match.pk)
    matches.update(state=Match.State.SCHEDULED, runner=None)
    left: dict[str, Any] = {"runner": None, "tries": F("tries") + int(failed)}
    Version.objects.filter(runner=runner, state=Version.State.CHECKING).update(state=Version.State.QUEUED, **left)
    Upload.objects.filter(runner=runner, state=Upload.State.READING).update(state=Upload.State.WAITING, **left)


def _is_alive(runner: Runner) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [RUNNER_LOCKS, runner.pk])
        if not cursor.fetchone()[0]:
            return True
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [RUNNER_LOCKS, runner.pk])
    return False


def in_turn(waiting: QuerySet[Any], requests: str, asked: str) -> QuerySet[Any]:
    """Return waiting rows in the order of service: authors with fewer `requests` in these 24 hours come first, so
    that one author's many requests do not delay others. `asked` is the field with a request's time.
    """
    recent = Count(requests, filter=Q(**{f"{requests}__{asked}__range": within()}))
    return waiting.annotate(recent=recent).order_by("recent", "pk")


def count_before(waiting: QuerySet[Any], pk: int | None) -> int:
    """Return the number of waiting rows that are served before this one; 0 if it does not wait."""
    rows = list(waiting.values_list("pk", flat=True))
    return rows.index(pk) if pk in rows else 0


def claim(runner: Runner, waiting: QuerySet[Any], state: str) -> Any:
    """Claim and return the first of the `waiting` rows; None if no row waits."""
    while (row := waiting.first()) is not None:
        if type(row)._base_manager.filter(pk=row.pk, state=row.state).update(state=state, runner=runner):
            return row
    return None


def claim_match(
    hill: Hill, runner: Runner, schedule: Schedule, versions: Mapping[int, Version], size: int, rotations: int
) -> Match | None:
    """Claim the next match of a season for a runner, scheduled or new; None if a budget is used up.

    In a final only scheduled matches are played, without a budget (see `koth.hill.finals`).
    """
    is_final = schedule.season.state == Season.State.FINAL
    waiting = Match.objects.filter(season=schedule.season, state=Match.State.SCHEDULED, round__isnull=not is_final)
    while is_final or not find_spent_budget(hill):
        match = waiting.order_by("tries", "pk").first()
        if match is None and is_final:
            return None
        if match is None:
            _add_table(schedule.season, schedule.next(versions, size), rotations)
        elif set(match.seats.values_list("version_id", flat=True)) - set(versions):
            reason = "one of the versions had stopped playing before the match"
            waiting.filter(pk=match.pk).update(state=Match.State.VOID, reason=reason)
        elif (claimed := claim(runner, waiting.filter(pk=match.pk), Match.State.PLAYING)) is not None:
            return claimed
    return None


@transaction.atomic
def _add_table(season: Season, table: PlannedTable, rotations: int) -> None:
    """Schedule a table (group of bots): a match for each rotation, moving all bots up one seat each time.

    Runners add groups one after the other, so that groups become visible in order (`Schedule.update`).
    """
    list(Season.objects.select_for_update(no_key=True).filter(pk=season.pk))
    block = None
    for shift in range(rotations):
        match = Match.objects.create(season=season, focus_id=table.focus, why=table.why, block=block)
        if block is None:
            block = match.pk
            Match.objects.filter(pk=match.pk).update(block=block)
        seats = enumerate(table.seats[shift:] + table.seats[:shift])
        Seat.objects.bulk_create(Seat(match=match, place=place, version_id=version) for place, version in seats)
