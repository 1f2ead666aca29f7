"""Permissions of a hill's folder, which has secrets of seasons, password hashes and logs: it is its owner's alone."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

COPIES = "bots"
"""The folder of a runner's copies of bots."""
DRAFTS = "drafts"
"""The folder of drafts: their replays and logs, and copies of the bots that they meet."""
OTHERS = 0o077
"""Permissions of the group and of everybody."""


@contextlib.contextmanager
def private() -> Iterator[None]:
    """Make new files and folders for their owner alone, whatever the umask is."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def close_to_others(folder: Path, names: Sequence[str]) -> bool:
    """Take a hill's folder, and what is in it, from all but its owner; return whether others had access.

    While the folder itself is its owner's alone, only the files with these `names` are looked at. Copies of bots stay
    readable, because bots may run as another user; nobody reaches them from outside. Raises OSError.
    """
    is_open = bool(folder.stat().st_mode & OTHERS)
    if not is_open:
        return sum(_close(str(folder / name)) for name in names) > 0
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            _close(os.path.join(place, name))
        if place == str(folder) and COPIES in folders:
            folders.remove(COPIES)
    folder.chmod(folder.stat().st_mode & 0o7700)
    return True


def _close(path: str) -> bool:
    """Take a file or folder from others, unless it is a link or has a second name; return whether they had access."""
    with contextlib.suppress(FileNotFoundError):
        found = os.lstat(path)
        is_plain = stat.S_ISDIR(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink == 1)
        if is_plain and found.st_mode & OTHERS:
            os.chmod(path, found.st_mode & 0o7700)
            return True
    return False
