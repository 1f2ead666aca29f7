"""Backups that the host starts from the site: `koth hill backup` as a process of its own, one at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.utils import timezone

from koth.errors import KothError
from koth.hill.backup import ROWS
from koth.hill.connection import Hill

FOLDER = "backups"
"""The folder of the hill in which they lie."""
SAID = "said.txt"
"""The file beside them with what the last one has said."""
LONGEST = 500
"""Characters of it that are shown."""


@dataclass(frozen=True)
class Backup:
    """A backup that is there: where, when it was written, and the bytes of its rows."""

    path: Path
    at: datetime
    size: int


class Backups:
    """The backups that this process starts: one at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._said: Path | None = None
        self._lock = threading.Lock()

    def start(self, hill: Hill) -> Path:
        """Start a backup, and return the folder that it will be. Raises KothError while one is being written."""
        to = hill.folder / FOLDER / timezone.now().strftime("%Y-%m-%d-%H%M%S")
        with self._lock:
            if self.is_running():
                raise KothError("a backup is being written already")
            to.parent.mkdir(mode=0o700, exist_ok=True)
            self._said = to.parent / SAID
            words = [sys.executable, "-m", "koth", "hill", "backup", str(hill.folder), str(to)]
            nothing = subprocess.DEVNULL
            with open(self._said, "wb") as said:
                self._process = subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=said)
        return to

    def is_running(self) -> bool:
        """Return whether one is being written."""
        return self._process is not None and self._process.poll() is None

    def failure(self) -> str:
        """Return why the last one failed; empty if it did not."""
        if self._process is None or self._said is None or not self._process.poll():
            return ""
        return self._said.read_text(errors="replace")[-LONGEST:].strip() or f"code {self._process.returncode}"


_backups = Backups()
start, is_running, failure = _backups.start, _backups.is_running, _backups.failure


def there(hill: Hill) -> list[Backup]:
    """Return the backups of a hill, newest first."""
    rows = [path / ROWS for path in (hill.folder / FOLDER).glob("*") if path.suffix != ".part"]
    found = [(row.parent, row.stat()) for row in rows if row.is_file()]
    made = [
        Backup(path, datetime.fromtimestamp(stat.st_mtime, timezone.get_current_timezone()), stat.st_size)
        for path, stat in found
    ]
    return sorted(made, key=lambda backup: backup.at, reverse=True)
