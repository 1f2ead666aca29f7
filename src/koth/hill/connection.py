"""A hill's folder, and the set-up of Django for the hill's database, which precedes any import of the models."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from koth.contest.sqlite_limits import reason
from koth.errors import KothError, visible
from koth.extras import install_command
from koth.files.beneath import read_beneath, write_beneath
from koth.files.shape import find_mismatch, read_json, shape_of
from koth.hill.databases import URL_VARIABLE, Applied, check_file
from koth.hill.host_paths import hide_folder
from koth.hill.settings import DATABASES
from koth.hill.site_settings import KEY, site_settings

RECORD = "hill.json"
DATABASE = "hill.sqlite"
WRITER_PATIENCE = 60.0
"""Seconds for which a writer waits for another writer."""
SCHEMES = ("postgresql", "postgres")
LARGEST_RECORD = 1 << 16
"""The largest size of a record in bytes."""
LARGEST_SETTINGS: Mapping[str, int] = {
    "seats": 1 << 16,
    "matches_a_day": 10**9,
    "hours_a_day": 10**6,
    "keep_days": 10**5,
}
KINDS_OF_REPLAYS = ("all", "answers", "none")
TRIES = "tries"
"""The folder of tries: replays, logs, and copies of opponents."""
OTHERS = 0o077
"""Permissions of the group and of others."""


@dataclass(frozen=True)
class Hill:
    """A hill's folder and record; `database` is None for SQLite in the folder."""

    folder: Path
    game: str
    seats: int | None = None
    matches_a_day: int | None = None
    hours_a_day: float | None = None
    """The most hours of processor time that bots may use in 24 hours."""
    replays: str = "all"
    keep_days: int | None = None
    """Days for which replays are kept; None: for ever."""
    database: str | None = None

    @property
    def is_sqlite(self) -> bool:
        """Return whether the hill's database is a file in the folder."""
        return self.database is None

    @property
    def has_site(self) -> bool:
        """Return whether the hill was ever served as a site, where untrusted authors may send bots."""
        return os.path.lexists(self.folder / KEY)


@dataclass
class ProcessHill:
    """The only hill that this process opens: Django's models have one database in a process."""

    folder: Path | None = None
    users: int = 0
    """The number of contexts in which the hill is open."""


_process = ProcessHill()
RECORD_SHAPE = {name: shape for name, shape in shape_of(Hill).items() if name != "folder"}


@contextlib.contextmanager
def make_files_private() -> Iterator[None]:
    """Give new files and folders permissions for their owner only, whatever the umask."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def close_to_others(folder: Path) -> bool:
    """Remove others' access to a hill's folder; return whether they had access.

    Raises OSError.
    """
    mode = folder.stat().st_mode
    if mode & OTHERS:
        folder.chmod(mode & 0o7700)
    return bool(mode & OTHERS)


@contextlib.contextmanager
def create_hill(hill: Hill) -> Iterator[Hill]:
    """Make the tables of a new hill, yield the hill for filling, and then write its record.

    Raises KothError.
    """
    _check_process(hill.folder)
    if os.path.lexists(hill.folder / RECORD):
        raise KothError(f"{hill.folder} already holds a hill")
    if (hill.folder / DATABASE).exists():
        raise KothError(f"{hill.folder / DATABASE} exists already")
    database = database_settings(hill)
    with _database_errors(hill), make_files_private():
        hill.folder.mkdir(parents=True, exist_ok=True)
        close_to_others(hill.folder)
        set_up()
        from django.core.management import call_command  # it needs Django set up
        from django.db import connection

        with _connect_hill(hill, database):
            if "hill_season" in connection.introspection.table_names():
                raise KothError(f"{database_name(hill)} already holds a hill")
            call_command("migrate", verbosity=0, interactive=False)
            yield hill
        record = {key: value for key, value in asdict(hill).items() if key != "folder"}
        with write_beneath(hill.folder, RECORD, mode=0o600) as file:  # its URL may have a password
            file.write(f"{json.dumps(record, indent=2)}\n".encode())


@contextlib.contextmanager
def open_hill(folder: Path, url: str | None = None, accepts_earlier: bool = False) -> Iterator[Hill]:
    """Yield the hill of this folder, with Django set up for it; turn errors of the database into one line.

    A process opens only one hill. With `url`, the address of its site, set up Django for the site, too. With
    `accepts_earlier`, accept tables of an earlier koth, for a migration. Raises KothError.
    """
    _check_process(folder)
    hill = _read_hill(folder)
    hide_folder(folder)
    database = database_settings(hill)
    with _database_errors(hill), make_files_private():
        with contextlib.suppress(OSError):  # it belongs to somebody else
            if close_to_others(folder):
                sys.stderr.write(f"others could read {folder}; now only its owner can\n")
                sys.stderr.flush()  # a runner may say nothing else for hours
        check_top(hill)
        set_up(**({} if url is None else {"HILL": hill, **site_settings(folder, url)}))
        from koth.hill.migration import check_migrations, read_migrations

        def check(applied: Applied) -> None:
            check_migrations(applied, database_name(hill), folder, accepts_earlier)

        if hill.database is None:
            check_file(hill.folder / DATABASE, check, _make_tables_in_memory)
        elif hill.database != os.environ.get(URL_VARIABLE):
            raise KothError(
                f"{folder}: its database is {database_name(hill)}, which a folder alone can't name; if you trust it, "
                f"set {URL_VARIABLE} to the URL in its hill.json"
            )
        with _connect_hill(hill, database):
            if hill.database is not None:
                check(read_migrations())
            yield hill


def _check_process(folder: Path) -> None:
    """Refuse a second hill in this process, whose data Django would read for the first one. Raises KothError."""
    first = _process.folder
    if first is not None and folder.resolve() != first:
        raise KothError(f"{folder}: open this hill in another process: this one has opened the hill {first}")


@contextlib.contextmanager
def _connect_hill(hill: Hill, database: Mapping[str, Any]) -> Iterator[None]:
    """Make Django's models use the database of the process's hill, and close it with the last context."""
    from django.db import connections

    process = _process
    process.folder = hill.folder.resolve()
    if not database.items() <= connections["default"].settings_dict.items():
        connect(database)
    process.users += 1
    try:
        yield
    finally:
        process.users -= 1
        if not process.users:
            _close_database()


def _make_tables_in_memory(applied: Applied) -> sqlite3.Connection:
    """Make the tables of these migrations in memory, and return the connection."""
    from koth.hill.migration import make_tables

    connect(DATABASES["default"])
    return make_tables(applied)


def check_top(hill: Hill) -> None:
    """Refuse links at the paths of koth's files and folders. Raises KothError and OSError."""
    with contextlib.suppress(FileNotFoundError), os.scandir(hill.folder) as found:
        for entry in found:
            if entry.is_symlink():
                raise KothError(f"{visible(entry.path)}: a link; koth makes none in the folder of a hill")


def _read_hill(folder: Path) -> Hill:
    file = folder / RECORD
    try:
        hill = parse_record(read_beneath(folder, RECORD, LARGEST_RECORD), folder, file)
    except OSError as error:
        raise KothError(f"{file}: {error.strerror}; {folder} is not the folder of a hill") from None
    if hill.is_sqlite and not os.path.lexists(folder / DATABASE):
        raise KothError(f"{folder / DATABASE}: No such file or directory; without this file there is no hill")
    return hill


def parse_record(data: bytes, folder: Path, file: Path) -> Hill:
    """Return the hill in `folder` from the record `data`, read from `file`. Raises KothError."""
    try:
        record = read_json(data)
    except ValueError as error:
        raise KothError(f"{file}: {error}") from None
    wrong = find_mismatch(record, RECORD_SHAPE)
    for key, most in () if wrong else LARGEST_SETTINGS.items():
        if record[key] is not None and not 0 < record[key] <= most:
            wrong = f"`{key}` is not from 1 to {most:,}"
    if not wrong and record["replays"] not in KINDS_OF_REPLAYS:
        wrong = f"`replays` is not one of {', '.join(KINDS_OF_REPLAYS)}"
    if wrong:
        raise KothError(f"{file}: this koth can't read it as the record of a hill: {wrong}")
    return Hill(folder, **{key: record[key] for key in RECORD_SHAPE})


def database_name(hill: Hill) -> str:
    """Return the database's name for people, without a password."""
    if hill.database is None:
        return str(hill.folder / DATABASE)
    parts = urlsplit(hill.database)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"


def database_settings(hill: Hill) -> dict[str, Any]:
    """Return Django's settings of the hill's database. Raises KothError if the URL is not PostgreSQL's."""
    if hill.database is None:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str((hill.folder / DATABASE).absolute()),
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": WRITER_PATIENCE,
                "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL",
            },
        }
    try:
        parts = urlsplit(hill.database)
        port = parts.port
    except ValueError as error:
        raise KothError(f"--database {hill.database}: {error}") from None
    if parts.scheme not in SCHEMES or len(parts.path) < 2:
        raise KothError(f"--database {hill.database}: use postgresql://USER:PASSWORD@HOST:PORT/NAME")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def _close_database() -> None:
    """Close the database, so that all written data are in one file."""
    from django.db import connections

    connections.close_all()


def set_up(**site: Any) -> None:
    """Set up Django, once in a process; if the process serves a site, with the site's settings.

    Raises KothError without Django.
    """
    try:
        import django
        from django.conf import Settings, settings
    except ImportError:
        raise KothError(f"the hill needs Django: {install_command('hill')}") from None
    if not settings.configured or site:
        settings.configure(Settings("koth.hill.settings"), **site)
        django.setup()


def connect(database: Mapping[str, Any]) -> None:
    """Make Django's models use this database from now on."""
    from django.db import connections

    connections.close_all()
    for left in connections.all(initialized_only=True):
        if left.connection is not None:
            left.connection.close()  # it is in memory, where Django closes none
    with contextlib.suppress(AttributeError):
        del connections["default"]
    connections.settings = connections.configure_settings({"default": dict(database)})


@contextlib.contextmanager
def _database_errors(hill: Hill) -> Iterator[None]:
    """Convert errors of the database to a one-line KothError."""
    try:
        yield
    except KothError:
        raise
    except OSError as error:
        raise KothError(f"{error.filename or hill.folder}: {error.strerror or error}") from None
    except Exception as error:
        from django.core.exceptions import ImproperlyConfigured
        from django.db import Error

        if not isinstance(error, Error | ImproperlyConfigured):
            raise
        raise KothError(f"{database_name(hill)}: {' '.join(reason(error.__cause__ or error).split())}") from None
