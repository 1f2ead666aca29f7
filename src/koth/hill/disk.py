"""The disk space of a hill."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from koth.hill.connection import DATABASE, Hill, database_name

DATABASE_FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")


@dataclass(frozen=True)
class DiskUse:
    """The disk use of a part of the hill: numbers of files and bytes."""

    part: str
    files: int
    size: int


def measure_hill(hill: Hill) -> list[DiskUse]:
    """Return the size of the database, and of each folder of the hill."""
    folders = sorted(path for path in hill.folder.iterdir() if path.is_dir() and not path.is_symlink())
    return [_measure_database(hill), *map(measure_folder, folders)]


def free_bytes(hill: Hill) -> int:
    """Return the number of free bytes on the hill's disk."""
    return shutil.disk_usage(hill.folder).free


def _measure_database(hill: Hill) -> DiskUse:
    if hill.is_sqlite:
        sizes = [path.stat().st_size for name in DATABASE_FILES if (path := hill.folder / name).exists()]
        return DiskUse(DATABASE, len(sizes), sum(sizes))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return DiskUse(database_name(hill), 0, cursor.fetchone()[0])


def measure_folder(folder: Path) -> DiskUse:
    """Return the disk use of a folder; files that vanish meanwhile do not count."""
    files = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(place, name)).st_size
            except FileNotFoundError:
                continue
            files += 1
    return DiskUse(folder.name, files, size)
