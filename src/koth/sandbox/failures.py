"""Failures of this machine, for which no bot is blamed."""

from __future__ import annotations

import errno

from koth.errors import KothError

SHORTAGES = frozenset(
    {
        *(errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE),  # processes, memory, file descriptors
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO),  # room on its disks
    }
)
"""Errors by which the system reports a shortage or a failing disk, whichever files are concerned."""


class ArenaError(KothError):
    """A failure of the arena, not of a bot: nothing is scored."""


def check_shortage(error: OSError) -> None:
    """Raise ArenaError if an error reports a shortage of this machine or a failing disk."""
    if error.errno in SHORTAGES:
        where = f"{error.filename}: " if error.filename else ""
        raise ArenaError(f"this machine failed, not a bot: {where}{error.strerror}") from error
