"""Backups that the host starts on the site: written in the background, one at a time."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import connection

from koth.errors import KothError
from koth.hill.backup import ROWS, backup, new_folder
from koth.hill.backup import find_backups as find_folders
from koth.hill.connection import Hill

_thread = ThreadPoolExecutor(1, "backup")
_written: list[Future[None]] = []
"""The backups that this process has started."""


def start(hill: Hill, who: str) -> Path:
    """Start a backup, and return its folder. Raises KothError while another is being written."""
    if is_running():
        raise KothError("wait: a backup is being written")
    to = new_folder(hill)
    _written.append(_thread.submit(_write, hill, to, who))
    return to


def is_running() -> bool:
    """Return whether a backup is being written."""
    return bool(_written) and not _written[-1].done()


def failure() -> str:
    """Return the reason why the last backup failed; empty if it succeeded."""
    error = _written[-1].exception() if _written and _written[-1].done() else None
    return "" if error is None else str(error) or type(error).__name__


def _write(hill: Hill, to: Path, who: str) -> None:
    try:
        backup(hill, to, lambda table: None, who)
    finally:
        connection.close()  # it is this thread's


def find_backups(hill: Hill) -> list[dict[str, Any]]:
    """Return the backups of a hill, newest first: folder, time of writing, and bytes of the rows."""
    found = [(path, (path / ROWS).stat()) for path in find_folders(hill)]
    return [
        {"path": path, "at": datetime.fromtimestamp(stat.st_mtime, UTC), "size": stat.st_size} for path, stat in found
    ]
