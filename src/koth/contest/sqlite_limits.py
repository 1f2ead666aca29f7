"""Limits for a database that a stranger may have made: allowed contents, and the cost of reading it.

A file of a few pages can hold a table without an end (pages may form circles of a kind that SQLite does not detect),
expressions in place of columns, triggers, and the name of a file to be deleted.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Collection
from pathlib import Path

from koth.errors import KothError
from koth.files.bounded_read import SECOND_NAME, leads_elsewhere

LONGEST = 1 << 26
"""Bytes of the longest text or blob: those of koth are much shorter."""
STEPS_PER_BYTE = 2
"""Steps of SQLite's virtual machine per byte of the database that a query may take: koth's own take a quarter."""
LEAST_STEPS = 1_000_000
EVERY = 10_000
"""Steps between two checks of their number."""
NAMES_ANOTHER = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""The last bytes of a journal that names another file, which SQLite may delete after using the journal."""


def check_beside(file: Path, *, reads_only: bool) -> None:
    """Refuse a file that can't be koth's database, or has files beside it that SQLite should not touch.

    SQLite writes to those even if the database is only read. Raises KothError.
    """
    for name in ("", "-wal", "-shm", "-journal"):
        part = file.with_name(file.name + name)
        problem = leads_elsewhere(part)
        if problem and not (problem == SECOND_NAME and reads_only and not name):
            raise KothError(f"{part}: {problem}")
        if part.exists() and not part.is_file():
            raise KothError(f"{part}: it is no file")
    journal = file.with_name(f"{file.name}-journal")
    if journal.exists():
        with open(journal, "rb") as data:
            data.seek(-min(len(NAMES_ANOTHER), data.seek(0, os.SEEK_END)), os.SEEK_END)
            if data.read() == NAMES_ANOTHER:
                raise KothError(f"{journal}: it belongs to more than one database; koth makes no such journal")


def limit(database: sqlite3.Connection, *, reads_only: bool) -> None:
    """Restrict a connection, so that a file can only make it return the rows of its tables."""
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    if reads_only:
        database.execute("PRAGMA query_only = ON")
        database.execute("PRAGMA temp_store = MEMORY")  # sorting then has the limit of memory


class Steps:
    """The limit on the work of a query, by the size of the database; a context for each query."""

    def __init__(self, database: sqlite3.Connection, file: Path) -> None:
        self._files = (file, file.with_name(f"{file.name}-wal"))
        self._left = sys.maxsize
        database.set_progress_handler(self._step, EVERY)

    def __enter__(self) -> None:
        size = sum(file.stat().st_size for file in self._files if file.exists())
        self._left = LEAST_STEPS + STEPS_PER_BYTE * size

    def __exit__(self, *_: object) -> None:
        self._left = sys.maxsize

    def _step(self) -> bool:
        """Return whether the query is to be interrupted (sqlite3.OperationalError)."""
        self._left -= EVERY
        return self._left < 0


def check_tables(database: sqlite3.Connection, file: Path, wanted: Collection[str]) -> None:
    """Refuse objects that are no plain tables: views, computed columns, and triggers.

    Raises KothError. Other tables in the same file are ignored, because they are never read.
    """
    names = ", ".join("?" * len(wanted))
    query = (
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master "
        f"WHERE lower(name) IN ({names}) OR lower(tbl_name) IN ({names})"
    )
    for kind, name, table, sql in database.execute(query, (*wanted, *wanted)):
        own = kind == "table" and name == table and not sql.upper().startswith("CREATE VIRTUAL")
        made = kind == "index" and name.startswith("sqlite_autoindex_")
        if not own and not made:
            raise KothError(f"{file}: {name!r} is no table; these are no results of koth's")
    for table in wanted:
        hidden = database.execute("SELECT name FROM pragma_table_xinfo(?) WHERE hidden", (table,)).fetchone()
        if hidden:
            raise KothError(f"{file}: {table}.{hidden[0]} is computed; these are no results of koth's")
