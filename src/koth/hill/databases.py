"""Checks of a hill's database, whose file or address may come from a stranger.

koth checks a file of SQLite before Django opens it, and limits the open file. koth connects to a server only if the
URL is in the environment, too: a URL in the hill's folder alone sends no password to a server.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Set
from contextlib import closing, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from koth.contest import sqlite_limits
from koth.contest.sqlite_limits import Layout, Steps
from koth.errors import KothError
from koth.files.atomic_write import replace_file
from koth.files.bounded_read import read_plain
from koth.files.cache import cache_folder

LONGEST_ROW = 1 << 28
"""The largest size of a row in bytes, uploads and sources included."""
URL_VARIABLE = "KOTH_DATABASE"
"""The environment variable with the URL of a database that a hill may use."""
MIGRATIONS_TABLE = "django_migrations"
"""The table in which Django keeps the migrations of a database."""
MOST_MIGRATIONS = 1_000
"""The largest number of migrations that are read."""
MIGRATIONS = Path(__file__).parent / "migrations"


Applied = Set[tuple[str, str]]
"""The migrations that have made a database's tables, as pairs of an application and a migration's name."""
MakeTables = Callable[[Applied], sqlite3.Connection]
"""A function that makes a hill's tables in memory by the given migrations."""


def check_file(file: Path, check_applied: Callable[[Applied], None], make_tables: MakeTables) -> None:
    """Raise KothError for a file with tables or values that its migrations do not define.

    `check_applied` may refuse the migrations.
    """
    sqlite_limits.check_beside(file, reads_only=False)
    try:
        address = f"{file.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(address, uri=True)) as database:
            with (steps := _limit(database, file)):
                applied = frozenset(
                    database.execute(f"SELECT app, name FROM {MIGRATIONS_TABLE} LIMIT {MOST_MIGRATIONS}")
                )
            check_applied(applied)
            wanted = _load_layout(applied, make_tables)
            with steps:
                sqlite_limits.check_tables(database, file, wanted, "tables of a hill")
            sqlite_limits.check_values(database, file, wanted, steps)
    except (sqlite3.Error, MemoryError) as error:
        raise KothError(f"{file}: {sqlite_limits.reason(error)}") from None


def limit_connection(connection: Any, **_: object) -> None:
    """Restrict a new connection of Django's to its file."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite" and os.path.isabs(name):
        steps = _limit(connection.connection, Path(name))
        connection.execute_wrappers[:] = [functools.partial(_execute, steps)]


def _limit(database: sqlite3.Connection, file: Path) -> Steps:
    steps = Steps(database, file)
    sqlite_limits.limit(database, reads_only=False, longest=LONGEST_ROW, distrusts_schema=False)  # it is compared
    return steps


def _execute(steps: Steps, execute: Callable[..., Any], *query: Any) -> Any:
    steps.begin()
    return execute(*query)


def _load_layout(applied: Applied, make_tables: MakeTables) -> Layout:
    """Return the tables of a hill, from the cache if possible."""
    digest = hashlib.blake2b(" ".join(map(version, ("django", "django-axes"))).encode(), digest_size=10)
    digest.update(repr(sorted(applied)).encode())
    for file in sorted(MIGRATIONS.glob("*.py")):
        digest.update(file.read_bytes())
    try:
        cached = cache_folder("hill-tables") / f"{digest.hexdigest()}.json"
        with suppress(OSError, ValueError):
            return {name: tuple(row) for name, row in json.loads(read_plain(cached)).items()}
    except OSError:  # no cache can be written
        return sqlite_limits.layout(make_tables(applied))
    found = sqlite_limits.layout(make_tables(applied))
    with suppress(OSError), replace_file(cached) as part:
        part.write_text(json.dumps(found))
    return found
