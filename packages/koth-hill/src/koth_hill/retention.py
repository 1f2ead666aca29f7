"""Retention of a match's files: replays, stderr and notes, which may be removed after some days.

koth keeps rows, versions with their archives, the matches of finals, and for each pair of bots the first, the newest
and the closest match for ever.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import combinations, groupby
from operator import itemgetter
from pathlib import Path

from django.contrib.sessions.models import Session
from django.utils import timezone

from koth.contest.private import remove_private
from koth.files.beneath import remove_beneath
from koth.replay.names import REPLAYS, SUFFIX, match_name
from koth_hill.connection import TRIES, Hill
from koth_hill.models import Match, Seat, Try, Version
from koth_hill.registry import find_needed_versions

PRIVATE_FOLDERS = ("stderr", "notes")
"""Folders of bots' logs; each has a folder for every match."""
REMOVALS_LOCK = "removals.lock"
MATCHES_AT_ONCE = 500
"""The number of matches in one query."""


@contextmanager
def hold_removals(folder: Path, waits: bool = True) -> Iterator[bool]:
    """Hold the lock of a hill's removals, and yield whether it is held; no other process removes files meanwhile."""
    with open(folder / REMOVALS_LOCK, "ab") as lock:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
            waits = True
        yield waits


def sweep(hill: Hill) -> None:
    """Remove files that are too old or left over, none while a backup is written. Raises KothError and OSError."""
    with hold_removals(hill.folder, waits=False) as is_held:
        if is_held:
            remove_old(hill)
            remove_leftovers(hill)


def remove_old(hill: Hill) -> int:
    """Remove the files of matches that are older than `keep_days`; return how many matches had files.

    Raises OSError.
    """
    if hill.keep_days is None:
        return 0
    before, removed = timezone.now() - timedelta(days=hill.keep_days), 0
    over = Match.objects.filter(ended__lt=before, has_key=True, round=None)
    for part in _split(set(_list_matches(hill.folder)) - find_memorable()):
        for match in over.filter(pk__in=part).values_list("pk", flat=True):
            remove_files(hill.folder, match)
            removed += 1
    return removed


def remove_leftovers(hill: Hill) -> None:
    """Remove ended sessions, and sources (after a final), logs and tries of deleted accounts.

    Raises KothError and OSError.
    """
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    own = Version.objects.filter(bot__author__is_deleted=True)
    own.exclude(archive=b"").exclude(pk__in=find_needed_versions()).update(archive=b"", is_shared=False)
    for part in _split(set(_list_matches(hill.folder, PRIVATE_FOLDERS))):
        for seat in Seat.objects.filter(match__in=part, version__in=own).select_related("match", "version__bot"):
            remove_private(hill.folder, seat.match_id, seat.name)
    for folder, rows in ((hill.folder, Match.objects), (hill.folder / TRIES, Try.objects)):
        for part in _split(set(_list_matches(folder))):
            for removed in set(part) - set(rows.filter(pk__in=part).values_list("pk", flat=True)):
                remove_files(folder, removed)


def find_memorable() -> set[int]:
    """Return the numbers of the first, newest and closest match of each pair of bots."""
    first: dict[tuple[int, int], int] = {}
    last: dict[tuple[int, int], int] = {}
    closest: dict[tuple[int, int], tuple[float, int]] = {}
    seats = Seat.objects.filter(match__state=Match.State.PLAYED).order_by("match_id")
    for match, group in groupby(seats.values_list("match_id", "version__bot_id", "score").iterator(), itemgetter(0)):
        for (_, one, score), (_, other, score_of_other) in combinations(sorted(group), 2):
            pair, end = (one, other), (abs(score - score_of_other), match)
            first.setdefault(pair, match)
            last[pair] = match
            closest[pair] = min(closest.get(pair, end), end)
    return {*first.values(), *last.values(), *(match for _, match in closest.values())}


def remove_files(folder: Path, match: int) -> None:
    """Remove the files of a match."""
    for ending in (SUFFIX, f"{SUFFIX}.part"):
        remove_beneath(folder, f"{REPLAYS}/{match_name(match)}{ending}")
    for kind in PRIVATE_FOLDERS:
        shutil.rmtree(folder / kind / match_name(match), ignore_errors=True)


def _split(matches: Set[int]) -> Iterator[list[int]]:
    """Yield the numbers of matches in groups for one query each."""
    ordered = sorted(matches)
    for start in range(0, len(ordered), MATCHES_AT_ONCE):
        yield ordered[start : start + MATCHES_AT_ONCE]


def _list_matches(folder: Path, kinds: Sequence[str] = (REPLAYS, *PRIVATE_FOLDERS)) -> Iterator[int]:
    """Yield the numbers of matches that have files."""
    for kind in kinds:
        if (folder / kind).is_dir():
            for name in os.listdir(folder / kind):
                number = name.removesuffix(".part").removesuffix(SUFFIX).removeprefix("match-")
                if number.isdecimal():
                    yield int(number)
