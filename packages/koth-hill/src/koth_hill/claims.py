"""Claims of the hill's runner, and requests that wait for it; the next runner releases the claims of a killed one."""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from koth.contest.lock import lock_run
from koth.errors import KothError
from koth.sandbox.isolation import Isolation
from koth.viewer.workbench import Now
from koth_hill.connection import Hill
from koth_hill.models import Author, Match, Runner, Season, Seat, Try, Version
from koth_hill.planning import Schedule, find_spent_budget
from koth_hill.recording import remove_part
from koth_hill.registry import log_action
from koth_hill.scheduler import PlannedGroup
from koth_hill.tries import hill_of_tries

RUNNER_LOCK = 0x6B6F7468
"""The number of the runner's advisory lock in PostgreSQL."""
NEVER = datetime.min.replace(tzinfo=UTC)
Request = Try | Version
"""What an author waits for: a try, or the check of a version."""


@contextmanager
def lock_runner(hill: Hill) -> Iterator[None]:
    """Hold the lock of the hill's only runner. Raises KothError if another process holds the lock."""
    with lock_run(hill.folder):
        if not hill.is_sqlite:  # the lock ends with the connection
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_try_advisory_lock(%s)", [RUNNER_LOCK])
                if not cursor.fetchone()[0]:
                    raise KothError(f"{hill.folder}: another runner works on this hill's database")
        yield


def begin(hill: Hill, isolation: Isolation) -> Runner:
    """Record a new runner, and release the claims of a killed one. The runner holds the lock."""
    release(hill, failed=True)
    Runner.objects.filter(ended=None).update(ended=timezone.now())
    runner = Runner.objects.create(host=socket.gethostname(), pid=os.getpid())
    log_action(
        "run", f"runner {runner.pk} begins: process {runner.pid} of {runner.host}, isolation {isolation.level}"
    )
    return runner


def release(hill: Hill, *, failed: bool) -> None:
    """Return claimed matches and versions to their queues, and end tries; with `failed`, count it for versions."""
    matches = Match.objects.filter(state=Match.State.PLAYING)
    for match in matches:
        remove_part(hill, match.pk)
    matches.update(state=Match.State.SCHEDULED)
    checking = Version.objects.filter(state=Version.State.CHECKING)
    checking.update(state=Version.State.RECEIVED, tries=F("tries") + int(failed))
    ended = Now(state="broken", text="try again: the runner that played the try has ended").as_json()
    running = Try.objects.filter(state=Try.State.RUNNING)
    for attempt in running:
        remove_part(hill_of_tries(hill), attempt.pk)
    running.update(state=Try.State.OVER, now=ended)


def find_requests() -> list[Request]:
    """Return what authors wait for in the order of service: each author's first request, then each one's second.

    Authors who were served longest ago come first.
    """
    tries = Try.objects.filter(state=Try.State.WAITING).select_related("author").defer("data")
    versions = Version.objects.filter(state=Version.State.RECEIVED).select_related("author", "bot").defer("archive")
    rounds: Counter[int] = Counter()
    ordered: list[tuple[int, datetime, datetime, Request]] = []
    for request in (*tries.order_by("pk"), *versions.order_by("pk")):
        rounds[request.author_id] += 1
        asked = request.asked if isinstance(request, Try) else request.submitted
        ordered.append((rounds[request.author_id], request.author.served or NEVER, asked, request))
    return [request for *_, request in sorted(ordered, key=lambda one: one[:3])]


def count_before(request: Request) -> int:
    """Return the number of requests that are served before this one; 0 if it does not wait."""
    waiting = find_requests()
    return waiting.index(request) if request in waiting else 0


def claim_request(busy: Container[tuple[type, int]] = ()) -> Request | None:
    """Claim the next request; leave out those of a kind and an author in `busy`. Return None if no request waits."""
    for request in find_requests():
        if (type(request), request.author_id) in busy:
            continue
        state = Try.State.RUNNING if isinstance(request, Try) else Version.State.CHECKING
        if type(request)._base_manager.filter(pk=request.pk, state=request.state).update(state=state):
            request.state = state
            Author.objects.filter(pk=request.author_id).update(served=timezone.now())
            return request
    return None


def claim_match(
    schedule: Schedule, hill: Hill, versions: Mapping[int, Version], size: int, rotations: int
) -> Match | None:
    """Claim the next match of a season, scheduled or new; None if a budget is used up.

    In a final only scheduled matches are played, without a budget (see `koth_hill.finals`).
    """
    is_final = schedule.season.is_in_final
    waiting = Match.objects.filter(season=schedule.season, state=Match.State.SCHEDULED, round__isnull=not is_final)
    while is_final or not find_spent_budget(hill):
        match = waiting.order_by("tries", "pk").first()
        if match is None and is_final:
            return None
        if match is None:
            _add_group(schedule.season, schedule.next(versions, size), rotations)
        elif set(match.seats.values_list("version_id", flat=True)) - set(versions):
            reason = "one of the versions had stopped playing before the match"
            waiting.filter(pk=match.pk).update(state=Match.State.VOID, reason=reason)
        elif waiting.filter(pk=match.pk).update(state=Match.State.PLAYING):
            return match
    return None


@transaction.atomic
def _add_group(season: Season, group: PlannedGroup, rotations: int) -> None:
    """Schedule a group of bots: a match for each rotation, moving all bots up one seat each time."""
    block = None
    for shift in range(rotations):
        match = Match.objects.create(season=season, focus_id=group.focus, block=block)
        if block is None:
            block = match.pk
            Match.objects.filter(pk=match.pk).update(block=block)
        seats = enumerate(group.seats[shift:] + group.seats[:shift])
        Seat.objects.bulk_create(Seat(match=match, place=place, version_id=version) for place, version in seats)
