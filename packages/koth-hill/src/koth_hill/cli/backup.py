"""`koth hill backup` and `migrate`."""

from __future__ import annotations

from pathlib import Path

from koth.cli.screen import counted, echo
from koth_hill.backup import backup
from koth_hill.connection import Hill
from koth_hill.migration import migrate


def write_backup(hill: Hill, to: Path) -> None:
    """Write a backup of a hill."""
    echo(f"{to}: {counted(backup(hill, to), 'file', 'files')} and the database")


def migrate_tables(hill: Hill) -> None:
    """Convert a hill's tables to this koth, after a copy of the database."""
    names, copy = migrate(hill)
    after = "" if copy is None else f"; the database before: {copy}"
    echo(f"{hill.folder}: " + (f"migrated by {', '.join(names)}{after}" if names else "the tables are up to date"))
