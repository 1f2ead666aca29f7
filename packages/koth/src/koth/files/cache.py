"""The cache of this user: machine code, classes, frames, unpacked zips."""

from __future__ import annotations

import functools
import os
import tempfile
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Return a part of the cache by its name; make it if it does not exist. `KOTH_CACHE_DIR` moves the whole cache.

    If the home folder is not writable, the cache is a folder of this user in the temporary directory. Raises
    PermissionError if neither can be used.
    """
    variables = (os.environ.get(word, "") for word in ("KOTH_CACHE_DIR", "XDG_CACHE_HOME", "HOME"))
    folder = _find_folder(name, tempfile.gettempdir(), *variables)
    if not os.path.isdir(folder):
        _find_folder.cache_clear()
        return cache_folder(name)
    return folder


@functools.cache
def _find_folder(name: str, temporary: str, *_: str) -> Path:
    """Return the folder; the result is cached until the environment changes."""
    roots = [*_preferred_folders(), Path(temporary) / f"koth-{os.getuid()}"]
    for folder in (root / name for root in roots):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK) and _is_own(folder):
            return folder
    raise PermissionError(f"{roots[0]} can't be written; set KOTH_CACHE_DIR to a folder of yours")


def _preferred_folders() -> list[Path]:
    if base := os.environ.get("KOTH_CACHE_DIR"):
        return [Path(base)]
    if caches := os.environ.get("XDG_CACHE_HOME"):
        return [Path(caches) / "koth"]
    home = home_folder()
    return [] if home is None else [home / ".cache" / "koth"]


def home_folder() -> Path | None:
    """Return this user's home folder; None if the system knows none."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def _is_own(folder: Path) -> bool:
    """Return whether only this user and root can replace a folder."""
    return folder.stat().st_uid == os.getuid() and folder.parent.stat().st_uid in (0, os.getuid())
