"""Notice of saved files: those of a bot are looked at again and again, which works everywhere."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

EVERY = 0.25
"""Seconds between two looks; so long must the files have stayed as they are, too, before it counts as a save."""
FILES = 5000
"""Files of a bot that are looked at."""
NOT_THE_AUTHORS = {"__pycache__", "node_modules", "venv", "target", "dist", "build"}
"""Folders whose files others write, beside hidden ones."""

Stamps = dict[str, tuple[int, int]]


class Saves:
    """The files of a bot, in a folder or alone, and their stamps at the last look."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: Stamps = {}
        self.look()

    def look(self) -> None:
        """Take what lies there now as known."""
        self._seen = self._stamps()

    def are_new(self) -> bool:
        """Return whether something was saved, made or taken away since the last look."""
        return self._stamps() != self._seen

    def wait(self, stop: threading.Event) -> bool:
        """Wait until something new has been saved, and lies still; False when it is to stop."""
        before = self._seen
        while not stop.wait(EVERY):
            now = self._stamps()
            if now != self._seen and now == before:
                return True
            before = now
        return False

    def _stamps(self) -> Stamps:
        """Return when each file was changed, and its length."""
        found = {}
        for file in islice(self._files(), FILES):
            try:
                status = os.stat(file)
            except OSError:
                continue  # gone meanwhile: editors write another file and rename it
            found[file] = (status.st_mtime_ns, status.st_size)
        return found

    def _files(self) -> Iterator[str]:
        if not self.path.is_dir():
            yield str(self.path)
        for place, folders, names in os.walk(self.path):
            folders[:] = [name for name in folders if name not in NOT_THE_AUTHORS and not name.startswith(".")]
            yield from (os.path.join(place, name) for name in names if not name.startswith("."))
