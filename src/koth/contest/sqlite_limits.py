"""A database that anybody may have made: what may be in it, and what reading it may cost.

A file of a few pages can hold a table without an end (pages may lead to each other in circles of a kind that SQLite
does not look for), expressions where columns should be, triggers, and the name of a file to be deleted.
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
"""Bytes of a text or a blob: none of koth's comes near."""
STEPS_PER_BYTE = 2
"""Of SQLite's machine, for a question to a database of so many bytes: koth's own need a quarter of one."""
LEAST_STEPS = 1_000_000
EVERY = 10_000
"""Steps between two looks at how many there were."""
NAMES_ANOTHER = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""The last bytes of a journal that names another file, which SQLite may delete when it has used the journal."""


def check_beside(file: Path, *, reads_only: bool) -> None:
    """Refuse what can't be a database of koth's, or has something beside it that SQLite should not touch.

    What lies beside it SQLite writes even where the database is only read. Raises KothError.
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
    """Keep a connection from what a file could make it do beyond giving the rows of its tables."""
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    if reads_only:
        database.execute("PRAGMA query_only = ON")
        database.execute("PRAGMA temp_store = MEMORY")  # what is sorted is bounded as memory is


class Steps:
    """How much work one question may make, by the size of what it is asked of; a context for each question."""

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
        """Whether it is to be interrupted (sqlite3.OperationalError)."""
        self._left -= EVERY
        return self._left < 0


def check_tables(database: sqlite3.Connection, file: Path, wanted: Collection[str]) -> None:
    """Refuse tables that are not what they seem: views, computed columns, and what acts when they change.

    Raises KothError. Whatever else somebody keeps in the same file is let be, as nothing ever reads it.
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
