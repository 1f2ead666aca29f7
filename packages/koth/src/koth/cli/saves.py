"""Detection of saved files by polling, which works on every system."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

POLL_SECONDS = 0.25
"""Seconds between checks; files count as saved if unchanged for as long."""
MOST_FILES = 5000
"""The largest number of a bot's files to check."""
NOT_THE_AUTHORS = {"__pycache__", "node_modules", "venv", "target", "dist", "build"}
"""Folders whose files the author does not write; hidden folders are ignored, too."""

Stamps = dict[str, tuple[int, int]]


class Saves:
    """A bot's files, with times and lengths at the last `look`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: Stamps = {}
        self.look()

    def look(self) -> None:
        """Record the files' current times and lengths."""
        self._seen = self._stamps()

    def are_new(self) -> bool:
        """Return whether a file was saved, made or removed since the last `look`."""
        return self._stamps() != self._seen

    def wait(self, stop: threading.Event) -> bool:
        """Wait until a file has been saved and no file changes any more; return False when `stop` is set."""
        before = self._seen
        while not stop.wait(POLL_SECONDS):
            now = self._stamps()
            if now != self._seen and now == before:
                return True
            before = now
        return False

    def _stamps(self) -> Stamps:
        """Return each file's modification time and length."""
        found = {}
        for file in islice(self._files(), MOST_FILES):
            try:
                status = os.stat(file)
            except OSError:
                continue  # removed meanwhile: editors write another file and rename it
            found[file] = (status.st_mtime_ns, status.st_size)
        return found

    def _files(self) -> Iterator[str]:
        if not self.path.is_dir():
            yield str(self.path)
        for place, folders, names in os.walk(self.path):
            folders[:] = [name for name in folders if name not in NOT_THE_AUTHORS and not name.startswith(".")]
            yield from (os.path.join(place, name) for name in names if not name.startswith("."))
