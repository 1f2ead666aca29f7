"""Limits for a stranger's database: allowed contents, and reading time.

A file of a few pages can hold an endless table (pages may form cycles that SQLite does not detect), expressions in
place of columns, triggers, and the name of a file to be deleted.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from koth.errors import KothError
from koth.files.bounded_read import SECOND_NAME, find_link_problem

LONGEST_VALUE = 1 << 26
"""The largest size of a text or blob in bytes; koth writes much shorter values."""
STEPS_PER_BYTE = 2
"""The number of SQLite's virtual-machine steps that a query may take per byte of the database; koth's own queries
take a quarter."""
LEAST_STEPS = 1_000_000
CHECK_INTERVAL = 10_000
"""The number of virtual-machine steps between checks of the limit."""
NAMES_ANOTHER = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""The last bytes of a journal that names another file; SQLite may delete that file."""


def reason(error: BaseException) -> str:
    """Return why a database can't be read, as text."""
    if isinstance(error, MemoryError):
        return "it does not fit into this machine's memory"
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
        return "it is damaged: a table has no end"
    return getattr(error, "strerror", None) or str(error)


def check_beside(file: Path, *, reads_only: bool) -> None:
    """Refuse a file that can't be koth's database, or has companion files that SQLite must not touch.

    SQLite writes to companion files even when it only reads the database. Raises KothError.
    """
    for name in ("", "-wal", "-shm", "-journal"):
        part = file.with_name(file.name + name)
        problem = find_link_problem(part)
        if problem and not (problem == SECOND_NAME and reads_only and not name):
            raise KothError(f"{part}: {problem}")
        if part.exists() and not part.is_file():
            raise KothError(f"{part}: it is not a file")
    journal = file.with_name(f"{file.name}-journal")
    if journal.exists():
        with open(journal, "rb") as data:
            data.seek(-min(len(NAMES_ANOTHER), data.seek(0, os.SEEK_END)), os.SEEK_END)
            if data.read() == NAMES_ANOTHER:
                raise KothError(f"{journal}: it belongs to more than one database; koth makes no such journal")


def limit(database: sqlite3.Connection, *, reads_only: bool) -> None:
    """Restrict a connection so that queries can only return rows of tables."""
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    if reads_only:
        database.execute("PRAGMA query_only = ON")
        database.execute("PRAGMA temp_store = MEMORY")  # sorting then has the limit of memory


class Steps:
    """A context manager that limits the steps of a query in proportion to the database's size."""

    def __init__(self, database: sqlite3.Connection, file: Path) -> None:
        self._files = (file, file.with_name(f"{file.name}-wal"))
        self._left = sys.maxsize
        database.set_progress_handler(self._step, CHECK_INTERVAL)

    def begin(self) -> None:
        """Start counting the steps of a query."""
        size = sum(file.stat().st_size for file in self._files if file.exists())
        self._left = LEAST_STEPS + STEPS_PER_BYTE * size

    def __enter__(self) -> None:
        self.begin()

    def __exit__(self, *_: object) -> None:
        self._left = sys.maxsize

    def _step(self) -> bool:
        """Return whether to interrupt the query (with sqlite3.OperationalError)."""
        self._left -= CHECK_INTERVAL
        return self._left < 0


Layout = Mapping[str, tuple[str, str, str]]
"""Tables and their indexes by name: type, table, SQL."""
COMMENT = re.compile(r"--[^\n]*|\s+")


def layout(database: sqlite3.Connection) -> Layout:
    """Return the tables and indexes of a database."""
    rows = database.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    return {name: (kind, table, _plain(sql)) for kind, name, table, sql in rows if not name.startswith("sqlite_")}


def _plain(sql: str) -> str:
    return COMMENT.sub(" ", sql).strip()


def check_tables(database: sqlite3.Connection, file: Path, wanted: Layout) -> None:
    """Raise KothError for tables that differ from `wanted`: views, computed columns, triggers, other indexes.

    Other tables in the file are ignored, because koth never reads other tables.
    """
    ending = "these are not results of koth's"
    tables = tuple(name.lower() for name, (kind, *_) in wanted.items() if kind == "table")
    found = {name: row for name, *row in _objects(database, (*tables, *map(str.lower, wanted)))}
    for name, (kind, table, sql) in found.items():
        made = kind == "index" and name.startswith("sqlite_autoindex_")
        if made or wanted.get(name) == (kind, table, _plain(sql)):
            continue
        if (kind, name) != ("table", table) or name not in wanted or sql.upper().startswith("CREATE VIRTUAL"):
            raise KothError(f"{file}: {name!r} is not a table; {ending}")
        hidden = database.execute("SELECT name FROM pragma_table_xinfo(?) WHERE hidden", (name,)).fetchone()
        if hidden:
            raise KothError(f"{file}: {name}.{hidden[0]} is computed; {ending}")
        raise KothError(f"{file}: {name!r} is not made as this koth makes it; {ending}")
    if missing := sorted(wanted.keys() - found.keys()):
        raise KothError(f"{file}: it has no {missing[0]!r}; {ending}")


def _objects(database: sqlite3.Connection, names: tuple[str, ...]) -> Iterable[tuple[str, str, str, str]]:
    marks = ", ".join("?" * len(names))
    query = (
        "SELECT name, type, tbl_name, coalesce(sql, '') FROM sqlite_master "
        f"WHERE lower(name) IN ({marks}) OR lower(tbl_name) IN ({marks})"
    )
    return database.execute(query, (*names, *names))
