"""Failures of this machine, which are no bot's."""

from __future__ import annotations

import errno

from koth.errors import KothError

SHORTAGES = frozenset(
    {
        *(errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE),  # processes, memory, file descriptors
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO),  # room on its disks
    }
)
"""Errors by which the system says that it is short of something, whoever's files these are."""


class ArenaError(KothError):
    """The arena failed, not a bot: nothing is scored."""


def check_shortage(error: OSError) -> None:
    """Raise ArenaError where an error says that this machine is short of something, or that its disk fails."""
    if error.errno in SHORTAGES:
        where = f"{error.filename}: " if error.filename else ""
        raise ArenaError(f"this machine failed, not a bot: {where}{error.strerror}") from error
