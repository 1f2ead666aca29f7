"""Permissions of a hill's folder, which has secrets of seasons, password hashes and logs: it is its owner's alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

DRAFTS = "drafts"
"""The folder of drafts: their replays and logs, and copies of the bots that they meet."""
OTHERS = 0o077
"""Permissions of the group and of others."""


@contextlib.contextmanager
def make_files_private() -> Iterator[None]:
    """Make new files and folders for their owner alone, whatever the umask is."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def close_to_others(folder: Path) -> bool:
    """Take a hill's folder, and so all that is in it, from all but its owner; return whether others had access.

    Raises OSError.
    """
    mode = folder.stat().st_mode
    if mode & OTHERS:
        folder.chmod(mode & 0o7700)
    return bool(mode & OTHERS)
