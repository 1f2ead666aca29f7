"""Failures of this machine and bugs of koth, which are never a bot's fault."""

from __future__ import annotations

import contextlib
import errno
import traceback
from collections.abc import Iterator
from pathlib import Path

from koth.errors import BotError, KothError
from koth.files.atomic_write import replace_file
from koth.files.cache import cache_folder

SHORTAGES = frozenset(
    {
        *(errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE),  # processes, memory, file descriptors
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO),  # room on its disks
    }
)
"""Errors that report a shortage of the system or a failing disk, whichever files are concerned."""


class ArenaError(KothError):
    """Raised when the arena fails, not a bot: nothing is scored."""


def check_shortage(error: OSError) -> None:
    """Raise ArenaError if an error reports a shortage of this machine or a failing disk."""
    if error.errno in SHORTAGES:
        where = f"{error.filename}: " if error.filename else ""
        raise ArenaError(f"this machine failed, not a bot: {where}{error.strerror}") from error


class Bug(BotError):
    """Raised when a bug of koth or of a game affects one bot only: the bot can't be checked, or can't play."""


@contextlib.contextmanager
def refuse_at_bugs(where: str = "") -> Iterator[None]:
    """Turn an unexpected error while one bot is handled into a `Bug`, and a shortage into an ArenaError.

    `where` is the bot's path or name, for the beginning of the message. Strangers may read the message: it contains
    nothing about this machine.
    """
    try:
        yield
    except (KothError, MemoryError, BrokenPipeError):
        raise
    except Exception as error:
        if isinstance(error, OSError):
            check_shortage(error)
        text = f"a bug of koth or of the game, not of the bot: {type(error).__name__} ({record_bug(error)})"
        raise Bug(f"{where}: {text}" if where else text) from error


def record_bug(error: Exception) -> str:
    """Write the traceback of an unexpected error to the cache; return the error's file and line, and the path."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    place, name = f"{Path(at.filename).name}, line {at.lineno}", f"{Path(at.filename).stem}-{at.lineno}.txt"
    try:
        with replace_file(cache_folder("bugs") / name) as file:
            file.write_text("".join(traceback.format_exception(error)), encoding="utf-8", errors="backslashreplace")
    except OSError:
        return place
    return f"{place}; the traceback is in koth's cache: bugs/{name}"
