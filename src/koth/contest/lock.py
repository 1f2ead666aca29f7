"""One contest, one process: a run's folder is held while it is written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from koth.errors import KothError


@contextlib.contextmanager
def only_run(folder: Path) -> Iterator[None]:
    """Hold the folder for one process. Raises KothError when another one runs this contest."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_CREAT | os.O_RDWR)
    except OSError as error:
        raise KothError(f"{error.filename or folder}: {error.strerror}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise KothError(f"{folder}: another koth is running this contest") from None
    try:
        yield
    finally:
        os.close(handle)
