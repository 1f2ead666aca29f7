"""Retention of a match's files beside its row: replays, stderr and notes, which may go after some days.

Rows, versions with their archives, the folders of finals, and for each pair of bots the first, the newest and the
closest match stay for ever.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Set
from datetime import timedelta
from itertools import combinations, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from koth.files.beneath import remove_beneath
from koth.hill.connection import Hill
from koth.hill.models import Match, Seat, Trial
from koth.replay.names import REPLAYS, SUFFIX, match_name

PRIVATE = ("stderr", "notes")
"""Folders of what bots left for their authors, a folder in them for each match."""
PART = 500
"""Matches that are asked for at once."""


def remove_old(hill: Hill) -> int:
    """Remove the files of matches and trials that ended longer ago than the hill keeps them; return how many had any.

    Raises OSError.
    """
    if hill.keep_days is None:
        return 0
    before = timezone.now() - timedelta(days=hill.keep_days)
    matches = Match.objects.filter(ended__lt=before, has_key=True)
    trials = Trial.objects.filter(ended__lt=before)
    return _remove(hill.folder, matches, memorable()) + _remove(hill.trials, trials, set())


def memorable() -> set[int]:
    """Return the numbers of the first, the newest and the closest match of each two bots."""
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


def _remove(folder: Path, over: QuerySet[Any], keep: Set[int]) -> int:
    """Remove the files in a folder of those that are `over`; return how many had any."""
    there = sorted(set(_matches(folder)) - keep)
    removed = 0
    for start in range(0, len(there), PART):
        for match in over.filter(pk__in=there[start : start + PART]).values_list("pk", flat=True):
            remove_beneath(folder, f"{REPLAYS}/{match_name(match)}{SUFFIX}")
            for kind in PRIVATE:
                shutil.rmtree(folder / kind / match_name(match), ignore_errors=True)
            removed += 1
    return removed


def size(hill: Hill) -> int:
    """Return the bytes of all replays."""
    try:
        with os.scandir(hill.folder / REPLAYS) as files:
            return sum(file.stat(follow_symlinks=False).st_size for file in files)
    except FileNotFoundError:  # nothing was played
        return 0


def _matches(folder: Path) -> Iterator[int]:
    """Yield the numbers of matches that have files."""
    for kind in (REPLAYS, *PRIVATE):
        if (folder / kind).is_dir():
            for name in os.listdir(folder / kind):
                number = name.removesuffix(SUFFIX).removeprefix("match-")
                if number.isdecimal():
                    yield int(number)
