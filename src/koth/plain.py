"""Files that somebody else has made, read to a bound: what is no file is not waited for."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST = 1 << 30
"""Bytes of the largest file that is read whole: no replay of koth's comes near."""


def read_plain(path: Path, most: int = MOST) -> bytes:
    """What is in a file. Raises OSError, too when it is a pipe, a device or a folder, or larger than that."""
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        told = os.fstat(file.fileno())
        if not stat.S_ISREG(told.st_mode):
            raise OSError(errno.EINVAL, "it is no file", str(path))
        if told.st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MB", str(path))
        return file.read(most)


def is_plain(path: Path) -> bool:
    """Whether it is a file, or a link to one."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False
