"""The disk space of a hill."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from koth_hill.connection import DATABASE, Hill, database_name

DATABASE_FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")


@dataclass(frozen=True)
class DiskUse:
    """The disk use of a part of the hill, in files and bytes."""

    part: str
    files: int
    size: int


def measure_hill(hill: Hill) -> list[DiskUse]:
    """Return the size of the database, and of each folder of the hill."""
    if hill.is_sqlite:
        sizes = [path.stat().st_size for name in DATABASE_FILES if (path := hill.folder / name).exists()]
        database = DiskUse(DATABASE, len(sizes), sum(sizes))
    else:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            database = DiskUse(database_name(hill), 0, cursor.fetchone()[0])
    folders = sorted(path for path in hill.folder.iterdir() if path.is_dir() and not path.is_symlink())
    return [database, *map(measure_folder, folders)]


def measure_folder(folder: Path) -> DiskUse:
    """Return the disk use of a folder; ignore files that vanish meanwhile."""
    files = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(place, name)).st_size
            except FileNotFoundError:
                continue
            files += 1
    return DiskUse(folder.name, files, size)
