"""`koth hill backup` and `restore`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from koth.cli.screen import Doing, counted, echo
from koth.hill.backup import backed_up_record, backup, restore
from koth.hill.connection import RECORD, Hill, made, record_of


def write_backup(hill: Hill, to: Path, as_json: bool) -> None:
    """Write a backup of a hill."""
    doing = Doing()
    try:
        rows = backup(hill, to, lambda what: doing(f"writing {what}"))
    finally:
        doing.stop()
    _tell(to, rows, as_json)


def read_backup(source: Path, folder: Path, database: str | None, as_json: bool) -> None:
    """Make a hill of a backup."""
    hill = replace(record_of(backed_up_record(source), folder, source / RECORD), database=database)
    doing = Doing()
    try:
        with made(hill):
            rows = restore(source, hill, lambda what: doing(f"reading {what}"))
    finally:
        doing.stop()
    _tell(folder, rows, as_json)


def _tell(folder: Path, rows: int, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "rows": rows}))
    else:
        echo(f"{folder}: {counted(rows, 'row', 'rows')}")
