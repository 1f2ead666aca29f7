"""`koth hill backup`, `restore` and `migrate`."""

from __future__ import annotations

import shutil
from pathlib import Path

from koth.cli.screen import answer, counted
from koth.errors import KothError
from koth.escaping import shell_word
from koth.files.folders import remove
from koth_hill.connection import DATABASE, RECORD, Hill, open_hill


def write_backup(hill: Hill, to: Path, as_json: bool) -> None:
    """Write a backup of a hill."""
    from koth_hill.backup import backup  # its models need the hill

    files = backup(hill, to)
    answer(as_json, {"folder": str(to), "files": files}, f"{to}: {counted(files, 'file', 'files')} and the database")


def read_backup(source: Path, folder: Path, as_json: bool) -> None:
    """Copy a backup to a new folder, and check that the copy is a hill. Raises KothError."""
    if not (source / RECORD).exists():
        raise KothError(f"{source} is not a backup of a hill")
    if (source / f"{DATABASE}-wal").exists():
        raise KothError(f"{source} is in use: write a backup of it first: koth hill backup {shell_word(source)} TO")
    if folder.exists():
        raise KothError(f"name a new folder: {folder} exists; a hill that is replaced is moved away first")
    part = folder.with_name(f"{folder.name}.part")
    try:
        shutil.copytree(source, part)
        part.chmod(0o700)
        part.rename(folder)
    except OSError as error:
        raise KothError(f"{error.filename or folder}: {error.strerror or error}") from None
    finally:
        remove(part)
    with open_hill(folder):
        from koth_hill.models import Match  # it needs the hill
        from koth_hill.registry import note

        matches = Match.objects.filter(state=Match.State.PLAYED).count()
        note("restore", f"made from the backup {source}")
    played = f"a hill with {counted(matches, 'match', 'matches')}"
    answer(as_json, {"folder": str(folder), "matches": matches}, f"{folder}: {played}")


def migrate_tables(folder: Path, as_json: bool) -> None:
    """Convert a hill's tables to this koth, after a copy of the database."""
    with open_hill(folder, accepts_earlier=True) as hill:
        from koth_hill.migration import migrate  # its models need the hill

        names, copy = migrate(hill)
    after = "" if copy is None else f"; the database before: {copy}"
    text = f"migrated by {', '.join(names)}{after}" if names else "the tables are up to date"
    found = {"migrations": names, "copy": None if copy is None else str(copy)}
    answer(as_json, found, f"{folder}: {text}")
