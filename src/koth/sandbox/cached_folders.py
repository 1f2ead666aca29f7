"""Folders of the cache that appear whole, even if several processes make the same one at once."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from koth.files.folders import remove

FORGOTTEN = 86400
"""Seconds after which an unfinished folder in the cache must be the rest of a killed koth."""


def fill_once(root: Path, key: str, make: Callable[[Path], None]) -> Path:
    """Return the folder `root`/`key`, filled by `make` if it does not exist yet. Raises OSError.

    Several processes may make the same folder at once: it appears whole, and the first one counts.
    """
    final = root / key
    if final.is_dir():
        return final
    new = unfinished(root, key)
    try:
        make(new)
        new.chmod(0o755)
        try:
            new.rename(final)
        except OSError:
            if not final.is_dir():
                raise
    finally:
        remove(new)
    return final


def unfinished(root: Path, key: str) -> Path:
    """Make a new temporary folder in `root` for this key, and remove those that killed processes have left there."""
    for old in root.glob("*.*"):
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > FORGOTTEN:
                remove(old)
    return Path(tempfile.mkdtemp(prefix=f"{key}.", dir=root))
