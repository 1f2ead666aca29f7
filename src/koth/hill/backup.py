"""A hill's backup: every row as a line of JSON, for any database, and the files of matches."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core import serializers
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.core.management.color import no_style
from django.db import DataError, IntegrityError, connection, transaction
from django.utils import timezone

from koth.errors import KothError, visible
from koth.files.beneath import open_beneath, read_beneath, write_beneath
from koth.files.folders import OF_KOTH, Entry, copy_folder, remove
from koth.hill.connection import LARGEST_RECORD, RECORD, Hill
from koth.hill.registry import note
from koth.replay.names import REPLAYS

ROWS = "hill.jsonl.gz"
Tables = Sequence[Any]
"""Classes of Django's models; a class follows the classes to which it refers."""
TABLES: Tables = list(apps.get_app_config("hill").get_models())
BACKUPS = "backups"
"""The folder of backups in the hill's folder; backups leave out this folder."""
FOLDERS = (REPLAYS, "stderr", "notes")
"""Folders of the hill that are copied, in addition to the folders of finals."""
ROWS_AT_ONCE = 500
"""The number of rows that are read or written at once."""
LONGEST_ROW = 128 << 20
"""The largest size of a line in bytes: 64 MB of sources take a third more as text."""
MOST_VALUES = 1_000_000
"""The largest number of lists, objects and values in a line."""
LARGEST_RATIO, SMALLEST_LIMIT = 200, 256 << 20
"""The largest ratio of a file's lines to its compressed bytes, and the number of bytes that is always accepted."""
NOT_ROWS = (
    *(EOFError, zlib.error, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError),
    *(MemoryError, serializers.base.DeserializationError, FieldDoesNotExist, ValidationError),
    *(IntegrityError, DataError),
)
"""Errors that reading rows can raise, especially a stranger's rows."""


def backup(hill: Hill, to: Path, on_table: Callable[[str], None], who: str | None = None) -> int:
    """Write a backup to a new folder, and return the number of rows. A runner and a site may continue meanwhile.

    Raises KothError.
    """
    count = write(hill, to, on_table)
    note("backup", f"written to {to}", who)
    return count


def write(hill: Hill, to: Path, on_table: Callable[[str], None], tables: Tables = TABLES) -> int:
    """Write a backup of these tables into a new folder, and return the number of rows. Raises KothError."""
    if os.path.lexists(to):
        raise KothError(f"name a new folder for the backup: {to} exists")
    part = to.with_name(f"{to.name}.part")
    try:
        part.mkdir(parents=True)
    except OSError as error:
        raise KothError(f"{part}: {error.strerror}") from None
    try:
        count = _write_rows(part / ROWS, on_table, tables)  # first: the files of every match in it are there
        with write_beneath(part, RECORD, mode=0o600) as file:  # its URL may have a password
            file.write(read_beneath(hill.folder, RECORD, LARGEST_RECORD))
        _copy_folders(hill.folder, part, on_table)
        part.rename(to)
    except OSError as error:
        raise KothError(f"{error.filename or to}: {error.strerror or error}") from None
    finally:
        remove(part)
    return count


def new_folder(hill: Hill) -> Path:
    """Return the folder, in the hill's folder, for a backup that begins now."""
    folder = hill.folder / BACKUPS
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / timezone.now().strftime("%Y-%m-%d-%H%M%S")


def find_backups(hill: Hill) -> list[Path]:
    """Return the folders of the backups in a hill's folder, newest first."""
    there = [rows.parent for rows in (hill.folder / BACKUPS).glob(f"*/{ROWS}") if rows.parent.suffix != ".part"]
    return sorted(there, key=lambda place: place.name, reverse=True)


def restore(source: Path, hill: Hill, on_table: Callable[[str], None]) -> int:
    """Fill a new, empty hill with a backup, which may be a stranger's; return the number of rows.

    Raises KothError.
    """
    with transaction.atomic():
        count = _add_rows(source, on_table)
        note("restore", f"made from the backup {source}")
        for statement in connection.ops.sequence_reset_sql(no_style(), TABLES):
            connection.cursor().execute(statement)
        try:
            _copy_folders(source, hill.folder, on_table)
        except OSError as error:
            raise KothError(f"{error.filename or source}: {error.strerror or error}") from None
    return count


def read_record(source: Path) -> bytes:
    """Return the hill's record from a backup. Raises KothError."""
    try:
        return read_beneath(source, RECORD, LARGEST_RECORD)
    except OSError as error:
        raise KothError(f"{source / RECORD}: {error.strerror}; {source} is not a backup of a hill") from None


def _copy_folders(source: Path, to: Path, on_table: Callable[[str], None]) -> None:
    """Copy the folders of a backup. Raises OSError, and CopyError for links, which koth does not make."""

    def leaves_out(entry: Entry) -> bool:
        if "/" in entry.place:
            return False
        is_kept = entry.name in FOLDERS or entry.name.startswith("season-")
        if is_kept:
            on_table(entry.name)
        return not is_kept

    copy_folder(source, to, OF_KOTH, leaves_out)


def _write_rows(file: Path, on_table: Callable[[str], None], tables: Tables) -> int:
    count = 0
    with _hold_snapshot(), gzip.open(file, "wt", encoding="utf-8") as out:
        for table in tables:
            on_table(f"rows: {table._meta.verbose_name}")
            rows = table._base_manager.order_by("pk").iterator(ROWS_AT_ONCE)
            serializers.serialize("jsonl", rows, stream=out)
            count += table._base_manager.count()
    file.chmod(0o600)  # it has the secrets of seasons
    return count


@contextmanager
def _hold_snapshot() -> Iterator[None]:
    """Read all tables as they are at one moment; others write meanwhile."""
    level = "" if connection.vendor == "sqlite" else "ISOLATION LEVEL REPEATABLE READ, READ ONLY"
    with connection.cursor() as cursor:
        # in SQLite `transaction.atomic()` would block all writers: Django's transactions here are IMMEDIATE
        cursor.execute(f"BEGIN {level}")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def _add_rows(source: Path, on_table: Callable[[str], None]) -> int:
    """Add the rows of a backup to the tables of a hill, and return their number. Raises KothError."""
    count = 0
    try:
        for row in serializers.deserialize("python", _read_rows(source)):
            if not count % ROWS_AT_ONCE:
                on_table(f"{count:,} rows")
            row.save()
            count += 1
    except OSError as error:
        raise KothError(f"{source / ROWS}: {error.strerror or error}") from None
    except NOT_ROWS as error:
        reason = visible(" ".join(str(error).split()))[:200] or type(error).__name__
        raise KothError(f"{source / ROWS}: line {count + 1} is not a row of a hill: {reason}") from None
    return count


def _read_rows(source: Path) -> Iterator[Any]:
    """Yield the rows of a backup. Raises OSError, and ValueError for unknown tables or rows above the limits."""
    known = {f"hill.{table.__name__.lower()}" for table in TABLES}
    with open_beneath(source, ROWS, OF_KOTH.bytes) as packed, gzip.open(packed) as lines:
        left = max(SMALLEST_LIMIT, LARGEST_RATIO * os.fstat(packed.fileno()).st_size)
        while line := lines.readline(LONGEST_ROW + 1):
            left -= len(line)
            if len(line) > LONGEST_ROW:
                raise ValueError(f"more than {LONGEST_ROW >> 20} MB")
            if left < 0:
                raise ValueError(f"the lines so far have more than {LARGEST_RATIO} times the bytes of the file")
            if sum(map(line.count, (b",", b"[", b"{"))) > MOST_VALUES:
                raise ValueError(f"more than {MOST_VALUES:,} values")
            row = json.loads(line)
            if not isinstance(row, dict) or row.get("model") not in known:
                named = row.get("model") if isinstance(row, dict) else row
                raise ValueError(f"{str(named)[:80]!r} is not a table of hills")
            yield row
