"""What a hill keeps of matches beside their rows: replays, stderr and notes, which may go after some days.

Rows, versions with their archives, and the folders of finals stay for ever.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from koth.contest.schedule import match_name
from koth.files.beneath import remove_beneath
from koth.hill.connection import Hill
from koth.hill.models import Match
from koth.replay.reader import REPLAYS, SUFFIX

PRIVATE = ("stderr", "notes")
"""Folders of what bots left for their authors, a folder in them for each match."""
PART = 500
"""Matches that are asked for at once."""


def remove_old(hill: Hill) -> int:
    """Remove the files of matches that ended longer ago than the hill keeps them; return how many matches had any.

    Raises OSError.
    """
    if hill.keep_days is None:
        return 0
    there = sorted(set(_matches(hill.folder)))
    before = timezone.now() - timedelta(days=hill.keep_days)
    removed = 0
    for start in range(0, len(there), PART):
        part = Match.objects.filter(pk__in=there[start : start + PART], ended__lt=before, has_key=True)
        for match in part.values_list("pk", flat=True):
            remove_beneath(hill.folder, f"{REPLAYS}/{match_name(match)}{SUFFIX}")
            for kind in PRIVATE:
                shutil.rmtree(hill.folder / kind / match_name(match), ignore_errors=True)
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
