"""A hill's backup: every row as a line of JSON, whatever database it is in, and the files that matches left."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.core import serializers
from django.core.management.color import no_style
from django.db import connection, transaction

from koth.errors import KothError
from koth.files.beneath import read_beneath
from koth.hill import models
from koth.hill.connection import LARGEST, RECORD, Hill
from koth.hill.registry import note
from koth.replay.names import REPLAYS

ROWS = "hill.jsonl.gz"
TABLES: Mapping[str, Any] = {
    "authors": models.Author,
    "seasons": models.Season,
    "bots": models.Bot,
    "runners": models.Runner,
    "versions": models.Version,
    "matches": models.Match,
    "seats": models.Seat,
    "fits": models.Fit,
    "ratings": models.Rating,
    "uploads": models.Upload,
    "trials": models.Trial,
    "trial seats": models.TrialSeat,
    "tokens": models.Token,
    "announcements": models.Announcement,
    "policy": models.Policy,
    "audit entries": models.AuditEntry,
}
"""Each after those that it refers to."""
FOLDERS = (REPLAYS, "stderr", "notes", "trials")
"""Folders of the hill that are copied, beside those of finals."""
PART = 500
"""Rows that are read or written at once."""


def backup(hill: Hill, to: Path, on_table: Callable[[str], None]) -> int:
    """Write a backup into a new folder, and return the number of rows. A runner may go on meanwhile.

    Raises KothError.
    """
    if os.path.lexists(to):
        raise KothError(f"{to} is there already; a backup wants a new folder")
    part = to.with_name(f"{to.name}.part")
    try:
        part.mkdir(parents=True)
        count = _write_rows(part / ROWS, on_table)  # first: the files of every match in it are there
        shutil.copy2(hill.folder / RECORD, part / RECORD)
        for folder in _folders(hill.folder):
            on_table(folder)
            shutil.copytree(hill.folder / folder, part / folder, symlinks=True)
        part.rename(to)
        note("backup", f"written to {to}")
    except (OSError, shutil.Error) as error:
        shutil.rmtree(part, ignore_errors=True)
        reason = getattr(error, "strerror", None) or error
        raise KothError(f"{getattr(error, 'filename', None) or to}: {reason}") from None
    return count


def restore(source: Path, hill: Hill, on_table: Callable[[str], None]) -> int:
    """Fill a new, empty hill with a backup, and return the number of rows. Raises KothError."""
    try:
        with transaction.atomic():
            count = _read_rows(source / ROWS, on_table)
            note("restore", f"made of the backup {source}")
            for statement in connection.ops.sequence_reset_sql(no_style(), TABLES.values()):
                connection.cursor().execute(statement)
        for folder in _folders(source):
            on_table(folder)
            shutil.copytree(source / folder, hill.folder / folder, symlinks=True, dirs_exist_ok=True)
    except (OSError, EOFError, shutil.Error, serializers.base.DeserializationError) as error:
        reason = getattr(error, "strerror", None) or error
        raise KothError(f"{source / ROWS}: {reason}") from None
    return count


def backed_up_record(source: Path) -> bytes:
    """Return the record of the hill that was backed up. Raises KothError."""
    try:
        return read_beneath(source, RECORD, LARGEST)
    except OSError as error:
        raise KothError(f"{source / RECORD}: {error.strerror}; {source} is not a backup of a hill") from None


def _folders(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name in FOLDERS or path.match("season-*"))


def _write_rows(file: Path, on_table: Callable[[str], None]) -> int:
    count = 0
    with transaction.atomic(), gzip.open(file, "wt", encoding="utf-8") as out:
        if connection.vendor == "postgresql":
            connection.cursor().execute(
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
            )  # one moment for all tables
        for name, table in TABLES.items():
            on_table(name)
            rows = table.objects.order_by("pk").iterator(PART)
            serializers.serialize("jsonl", rows, stream=out)
            count += table.objects.count()
    file.chmod(0o600)  # it has the secrets of seasons
    return count


def _read_rows(file: Path, on_table: Callable[[str], None]) -> int:
    count = 0
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in serializers.deserialize("jsonl", lines):
            if not count % PART:
                on_table(f"{count:,} rows")
            row.save()
            count += 1
    return count
