"""The lock of a run's folder: one process at a time runs a contest."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from koth.errors import KothError
from koth.files.beneath import NO_LINKS

LOCK_FILE = ".lock"
LOCK_TRIES = 20
"""Attempts to lock: processes that check for the lock take the lock for a moment."""
LOCK_PAUSE = 0.01
"""Seconds between attempts."""


@contextlib.contextmanager
def lock_run(folder: Path) -> Iterator[None]:
    """Lock the folder for this process. Raises KothError if another process runs this contest."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LOCK_FILE, os.O_CREAT | os.O_RDWR | NO_LINKS)
    except OSError as error:
        raise KothError(f"{error.filename or folder}: {error.strerror}") from None
    try:
        for left in reversed(range(LOCK_TRIES)):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if not left:
                    raise KothError(f"{folder}: another koth is running this contest") from None
                time.sleep(LOCK_PAUSE)
        yield
    finally:
        os.close(handle)


def is_held(folder: Path) -> bool | None:
    """Return whether a process of this machine runs the contest in the folder; None if unknown."""
    try:
        handle = os.open(folder / LOCK_FILE, os.O_RDONLY | NO_LINKS)
    except FileNotFoundError:
        return False
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(handle)
    return False
