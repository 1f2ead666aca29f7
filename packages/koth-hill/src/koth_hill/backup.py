"""A hill's backup: a copy of its folder, written while the runner and the site go on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from django.db import connection

from koth.contest.results import replay_place
from koth.errors import KothError
from koth.files.folders import remove
from koth.replay.names import match_name
from koth_hill.connection import DATABASE, RECORD, Hill
from koth_hill.models import Match
from koth_hill.registry import log_action
from koth_hill.retention import PRIVATE_FOLDERS, hold_removals
from koth_hill.site_settings import KEY


def backup(hill: Hill, to: Path) -> int:
    """Write a backup to a new folder, and return the number of its files.

    The database comes first: then the files of every match in it are there, because nothing is removed meanwhile.
    A database of PostgreSQL is its host's to dump before. Raises KothError.
    """
    if os.path.lexists(to):
        raise KothError(f"name a new folder for the backup: {to} exists")
    part = to.with_name(f"{to.name}.part")
    try:
        part.mkdir(parents=True)
        with hold_removals(hill.folder):
            if hill.is_sqlite:
                copy_database(part / DATABASE)
            for place in (files := [*_find_files(hill)]):
                (part / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(hill.folder / place, part / place)
        if missing := [place for place in files if not (part / place).exists()]:
            raise KothError(f"{part / missing[0]} was not written")
        part.rename(to)
    except OSError as error:
        raise KothError(f"{error.filename or to}: {error.strerror or error}") from None
    finally:
        remove(part)
    log_action("backup", f"written to {to.name}")
    return len(files)


def copy_database(to: Path) -> None:
    """Write the database as it is at one moment, in SQLite, to a new file; others write meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(to)])
    to.chmod(0o600)  # it has the secrets of seasons


def _find_files(hill: Hill) -> Iterator[str]:
    """Yield the paths of a hill's record and key, and of the files of the matches that are over."""
    yield from (name for name in (RECORD, KEY) if (hill.folder / name).exists())
    over = Match.objects.filter(state__in=(Match.State.PLAYED, Match.State.VOID))
    for number in over.order_by("pk").values_list("pk", flat=True):
        if (hill.folder / replay_place(number)).exists():
            yield replay_place(number)
        for kind in PRIVATE_FOLDERS:
            folder = hill.folder / kind / match_name(number)
            yield from (f"{kind}/{folder.name}/{file.name}" for file in folder.glob("*"))
