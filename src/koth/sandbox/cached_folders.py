"""Folders of the cache that appear whole, also where several processes make the same one at the same time."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from koth.sandbox.copies import remove

FORGOTTEN = 86400
"""Seconds after which something unfinished in the cache is what a koth has left that was killed."""


def fill_once(root: Path, key: str, make: Callable[[Path], None]) -> Path:
    """Return the folder `root`/`key`, which `make` fills if it is not there yet. Raises OSError.

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
    """Make a new folder in `root` for something with this key, and remove what killed processes have left there."""
    for old in root.glob("*.*"):
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > FORGOTTEN:
                remove(old)
    return Path(tempfile.mkdtemp(prefix=f"{key}.", dir=root))
