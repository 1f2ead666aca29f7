"""`koth hill backup`, `restore` and `migrate`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from koth.cli.screen import answer, counted, waiting
from koth.hill.backup import backup, new_folder, read_record, restore
from koth.hill.connection import RECORD, Hill, create_hill, open_hill, parse_record
from koth.hill.migration import migrate


def write_backup(hill: Hill, to: Path, as_json: bool) -> None:
    """Write a backup of a hill."""
    with waiting("writing", plain=False) as doing:
        rows = backup(hill, to, lambda what: doing(f"writing {what}"))
    _print_rows(to, rows, as_json)


def read_backup(source: Path, folder: Path, database: str | None, as_json: bool) -> None:
    """Make a hill from a backup."""
    hill = replace(parse_record(read_record(source), folder, source / RECORD), database=database)
    with waiting("reading", plain=False) as doing, create_hill(hill):
        rows = restore(source, hill, lambda what: doing(f"reading {what}"))
    _print_rows(folder, rows, as_json)


def migrate_tables(folder: Path, as_json: bool) -> None:
    """Back up a hill and migrate its tables."""
    with open_hill(folder, accepts_earlier=True) as hill, waiting("migrating", plain=False) as doing:
        place = new_folder(hill)
        names = migrate(hill, place, lambda what: doing(f"writing {what}"))
    answer(
        as_json,
        {"migrations": names, "backup": str(place) if names else None},
        f"{folder}: migrated by {', '.join(names)}; backup: {place}"
        if names
        else f"{folder}: the tables are up to date",
    )


def _print_rows(folder: Path, rows: int, as_json: bool) -> None:
    answer(as_json, {"folder": str(folder), "rows": rows}, f"{folder}: {counted(rows, 'row', 'rows')}")
