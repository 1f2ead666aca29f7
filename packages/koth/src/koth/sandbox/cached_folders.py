"""Folders of the cache that are filled atomically, even if several processes make the same folder at once."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from koth.files.folders import CopyError, remove
from koth.sandbox.copies import folder_size

LARGEST_CACHE = 2 << 30
"""The size in bytes above which a part of the cache loses its least recently used folders."""
IN_USE = 3600
"""Seconds for which a folder stays after its last use, because a process may still read it."""
LEFT_OVER_AFTER = 86400
"""The age in seconds at which an unfinished folder counts as left by a killed koth."""


def fill_once(root: Path, key: str, make: Callable[[Path], None]) -> Path:
    """Return the folder `root`/`key`, filled by `make` if it does not exist yet. Raises OSError.

    Several processes may make the same folder at once: the folder appears complete, and the first to appear
    counts. Old folders are removed when all folders of `root` together exceed `LARGEST_CACHE` bytes.
    """
    final = root / key
    if final.is_dir():
        mark_used(root, [final])
        return final
    new = make_unfinished(root, key)
    try:
        make(new)
        let_bots_read(new)
        try:
            new.rename(final)
        except OSError:
            if not final.is_dir():
                raise
    finally:
        remove(new)
    _make_room(root, final)
    return final


def mark_used(root: Path, paths: Iterable[Path]) -> None:
    """Record the use of the paths below `root`, so that their folders stay for `IN_USE` seconds."""
    for path in paths:
        if path.is_relative_to(root) and path != root:
            with contextlib.suppress(OSError):
                os.utime(root / path.relative_to(root).parts[0])


def _make_room(root: Path, keep: Path) -> None:
    """Remove unused folders, the oldest first and never `keep`, until at most `LARGEST_CACHE` bytes remain."""
    with contextlib.suppress(OSError, CopyError):  # others remove folders, too
        sizes = {folder: folder_size(folder, LARGEST_CACHE) for folder in root.iterdir() if folder.is_dir()}
        used = {folder: folder.stat().st_mtime for folder in sizes}
        for folder in sorted(used, key=used.__getitem__):
            if sum(sizes.values()) <= LARGEST_CACHE or used[folder] > time.time() - IN_USE:
                return
            if folder != keep:
                remove(folder)
                del sizes[folder]


def let_bots_read(folder: Path) -> None:
    """Let every user read a folder of the cache, whatever the umask: bots may run as another user."""
    folder.chmod(0o755)
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o055 if name in folders else 0o044))


def make_unfinished(root: Path, key: str) -> Path:
    """Make a new temporary folder in `root` for this key, and remove folders that killed processes have left."""
    for old in root.glob("*.*"):
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > LEFT_OVER_AFTER:
                remove(old)
    return Path(tempfile.mkdtemp(prefix=f"{key}.", dir=root))
