"""Permissions of a hill's folder, which has secrets, password hashes and logs: only its owner may read it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

DRAFTS = "drafts"
"""The folder of drafts: their replays and logs, and copies of their opponents."""
OTHERS = 0o077
"""Permissions of the group and of others."""


@contextlib.contextmanager
def make_files_private() -> Iterator[None]:
    """Give new files and folders permissions for their owner only, whatever the umask."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def close_to_others(folder: Path) -> bool:
    """Remove others' access to a hill's folder; return whether they had access.

    Raises OSError.
    """
    mode = folder.stat().st_mode
    if mode & OTHERS:
        folder.chmod(mode & 0o7700)
    return bool(mode & OTHERS)
