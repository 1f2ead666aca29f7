"""A record of a bot's files that reveals later changes."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Stamp = tuple[int, int, int, int, int]
"""Mode, inode, size, and times of modification and change of a file: equal stamps mean equal content.

No program can set the time of change.
"""


@dataclass(frozen=True)
class Seal:
    """The recorded content of some folders: every file by its path, with its stamp and a digest."""

    folders: tuple[Path, ...]
    files: Mapping[str, tuple[Stamp, bytes]]

    @classmethod
    def make(cls, folders: Sequence[Path]) -> Seal:
        """Record the current content of these folders. Raises OSError."""
        files = {place: (look, _digest_file(place, look)) for place, look in _read_stamps(folders)}
        return cls(tuple(folders), files)

    def digest(self) -> str:
        """Return a digest of the files' names, modes and contents, independent of the folders' paths."""
        total = hashlib.blake2b(digest_size=16)
        roots = [f"{folder}{os.sep}" for folder in self.folders]
        for number, root in enumerate(roots):
            inside = (place for place in self.files if place.startswith(root))
            for place in sorted(inside):
                name = os.fsencode(place.removeprefix(root))
                total.update(b"%d %s\0%s" % (number, name, self.files[place][1]))
        return total.hexdigest()

    def find_change(self, *, may_add: bool = False) -> str:
        """Return the path of a file that has changed; empty if there is none. Raises OSError.

        With `may_add`, new files are ignored.
        """
        left = dict(self.files)
        for place, look in _read_stamps(self.folders):
            sealed, content = left.pop(place, (None, b""))
            if sealed is None and may_add:
                continue
            if look != sealed and (sealed is None or _digest_file(place, look) != content):
                return place
        return next(iter(left), "")


def _read_stamps(folders: Sequence[Path]) -> Iterator[tuple[str, Stamp]]:
    """Yield the path and stamp of every file, folder and link; the stamp of a folder only shows that it exists."""
    todo = [str(folder) for folder in folders]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(found.st_mode):
                    todo.append(entry.path)
                    yield entry.path, (found.st_mode, found.st_ino, 0, 0, 0)
                else:
                    look = (found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
                    yield entry.path, look


def _digest_file(place: str, look: Stamp) -> bytes:
    total = hashlib.blake2b(f"{stat.S_IFMT(look[0])} {look[0] & 0o111}\0".encode(), digest_size=16)
    if stat.S_ISLNK(look[0]):
        total.update(os.fsencode(os.readlink(place)))
    elif stat.S_ISREG(look[0]):
        with open(place, "rb") as file:
            while data := file.read(1 << 20):
                total.update(data)
    return total.digest()
