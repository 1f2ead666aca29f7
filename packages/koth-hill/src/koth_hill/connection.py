"""A hill's folder, and the set-up of Django for the hill's database, which precedes any import of the models."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from koth.contest.sqlite_limits import reason
from koth.errors import KothError
from koth.extras import install_command
from koth.files.beneath import write_beneath
from koth.files.shape import find_mismatch, read_json, shape_of
from koth_hill.host_paths import hide_folder
from koth_hill.site_settings import KEY, site_settings

RECORD = "hill.json"
DATABASE = "hill.sqlite"
WRITER_PATIENCE = 60.0
"""Seconds for which a writer waits for another writer."""
SCHEMES = ("postgresql", "postgres")
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


_folder: Path | None = None
"""The folder of the only hill that this process opens."""
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
    for name in (RECORD, DATABASE):
        if os.path.lexists(hill.folder / name):
            raise KothError(f"{hill.folder} already holds a hill")
    with _database_errors(hill), make_files_private():
        hill.folder.mkdir(parents=True, exist_ok=True)
        close_to_others(hill.folder)
        set_up(hill)
        from django.core.management import call_command  # it needs Django set up
        from django.db import connection

        if "hill_season" in connection.introspection.table_names():
            raise KothError(f"{database_name(hill)} already holds a hill")
        call_command("migrate", verbosity=0, interactive=False)
        yield hill
        connection.close()
        record = {key: value for key, value in asdict(hill).items() if key != "folder"}
        with write_beneath(hill.folder, RECORD, mode=0o600) as file:  # its URL may have a password
            file.write(f"{json.dumps(record, indent=2)}\n".encode())


@contextlib.contextmanager
def open_hill(folder: Path, url: str | None = None, accepts_earlier: bool = False) -> Iterator[Hill]:
    """Yield the hill of this folder, with Django set up for it; turn errors of the database into one line.

    A process opens only one hill. With `url`, the address of its site, set up Django for the site, too. With
    `accepts_earlier`, accept tables of an earlier koth, for a migration. Raises KothError.
    """
    hill = _read_hill(folder)
    hide_folder(folder)
    with _database_errors(hill), make_files_private():
        with contextlib.suppress(OSError):  # it belongs to somebody else
            if close_to_others(folder):
                sys.stderr.write(f"others could read {folder}; now only its owner can\n")
                sys.stderr.flush()  # a runner may say nothing else for hours
        set_up(hill, **({} if url is None else {"HILL": hill, **site_settings(folder, url)}))
        from django.db import connections

        from koth_hill.migration import check_migrations

        check_migrations(database_name(hill), folder, accepts_earlier)
        try:
            yield hill
        finally:
            connections.close_all()  # all that was written is in one file then


def _read_hill(folder: Path) -> Hill:
    file = folder / RECORD
    try:
        hill = parse_record(file.read_bytes(), folder, file)
    except OSError as error:
        raise KothError(f"{file}: {error.strerror}; {folder} is not the folder of a hill") from None
    if hill.is_sqlite and not (folder / DATABASE).exists():
        raise KothError(f"{folder / DATABASE}: No such file or directory; without this file there is no hill")
    return hill


def parse_record(data: bytes, folder: Path, file: Path) -> Hill:
    """Return the hill in `folder` from the record `data`, read from `file`. Raises KothError."""
    try:
        record = read_json(data)
    except ValueError as error:
        raise KothError(f"{file}: {error}") from None
    wrong = find_mismatch(record, RECORD_SHAPE)
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


def set_up(hill: Hill, **site: Any) -> None:
    """Set up Django for the only hill of this process; if the process serves a site, with the site's settings.

    Django's models have one database in a process. Raises KothError for a second hill, or without Django.
    """
    global _folder
    folder = hill.folder.resolve()
    if _folder is None:
        configure(hill, site)
        _folder = folder
    elif folder != _folder:
        raise KothError(f"{hill.folder}: open this hill in another process: this one has opened the hill {_folder}")


def configure(hill: Hill, site: Mapping[str, Any]) -> None:
    """Set up Django for a hill. Raises KothError without Django."""
    try:
        import django
        from django.conf import Settings, settings
    except ImportError:
        raise KothError(f"the hill needs Django: {install_command('hill')}") from None
    settings.configure(Settings("koth_hill.settings"), DATABASES={"default": database_settings(hill)}, **site)
    django.setup()


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
