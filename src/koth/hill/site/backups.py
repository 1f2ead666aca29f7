"""Backups that the host starts from the site: written in the background, one at a time."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import connection
from django.utils import timezone

from koth.errors import KothError
from koth.hill.backup import ROWS, backup, new_folder
from koth.hill.backup import find_backups as find_folders
from koth.hill.connection import Hill


@dataclass(frozen=True)
class Backup:
    """An existing backup: its folder, its time, and the bytes of its rows."""

    path: Path
    at: datetime
    size: int


class Backups:
    """The backups that this process writes, in a thread of their own."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "backup")
        self._last: Future[None] | None = None

    def start(self, hill: Hill, who: str) -> Path:
        """Start a backup, and return its folder. Raises KothError while another is being written."""
        if self.is_running():
            raise KothError("a backup is being written already")
        to = new_folder(hill)
        self._last = self._thread.submit(_write, hill, to, who)
        return to

    def is_running(self) -> bool:
        """Return whether one is being written."""
        return self._last is not None and not self._last.done()

    def failure(self) -> str:
        """Return why the last one failed; empty if it did not."""
        error = None if self._last is None or not self._last.done() else self._last.exception()
        return "" if error is None else str(error) or type(error).__name__


def _write(hill: Hill, to: Path, who: str) -> None:
    try:
        backup(hill, to, lambda table: None, who)
    finally:
        connection.close()  # it is this thread's


_backups = Backups()
start, is_running, failure = _backups.start, _backups.is_running, _backups.failure


def find_backups(hill: Hill) -> list[Backup]:
    """Return the backups of a hill, newest first."""
    found = [(path, (path / ROWS).stat()) for path in find_folders(hill)]
    zone = timezone.get_current_timezone()
    return [Backup(path, datetime.fromtimestamp(stat.st_mtime, zone), stat.st_size) for path, stat in found]
