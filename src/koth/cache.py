"""The folder of this user for what koth makes once and uses again: machine code, classes, frames."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder(name: str) -> Path:
    """The part of the cache that is called so; made if it is not there. `KOTH_CACHE_DIR` moves the whole.

    Where the home can't be written, a folder of this user's in the temporary directory serves as well. Raises
    PermissionError when neither can be used.
    """
    base = os.environ.get("KOTH_CACHE_DIR")
    root = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "koth"
    user = os.getuid() if hasattr(os, "getuid") else "user"
    for folder in (root / name, Path(tempfile.gettempdir()) / f"koth-{user}" / name):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK) and _is_own(folder):
            return folder
    raise PermissionError(f"{root} can't be written; set KOTH_CACHE_DIR to a folder of yours")


def _is_own(folder: Path) -> bool:
    """Whether nobody else but root can put another folder in the place of this one."""
    if not hasattr(os, "getuid"):
        return True
    return folder.stat().st_uid == os.getuid() and folder.parent.stat().st_uid in (0, os.getuid())
