"""Digests of bots' files."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path, PurePosixPath

from koth.discovery.manifest import BotError
from koth.files.beneath import open_beneath
from koth.files.bounded_read import open_plain
from koth.sandbox.copies import BYTES, PIECE, CopyError, contents, too_much


def check_size(path: Path) -> None:
    """Look at a bot's files from outside, before anybody reads one. Raises BotError where there is too much."""
    try:
        for _ in contents(path):
            pass
    except CopyError as error:
        raise BotError(str(error)) from None
    except OSError as error:
        raise BotError(f"{error.filename or path}: {error.strerror}") from None


def content_digest(path: Path) -> str:
    """Return a digest of a bot's files: names, whether they can be run, and contents, each after its length.

    Links are not followed, unless it is one itself. Raises BotError for what can't be read, or is more than any bot.
    """
    digest = hashlib.blake2b(digest_size=8)
    left = BYTES
    try:
        for place, _ in sorted(contents(path), key=lambda file: PurePosixPath(file[0])):
            name = place.encode("utf-8", "surrogateescape")
            digest.update(len(name).to_bytes(8, "little") + name)
            with open_beneath(path, place) if path.is_dir() else open_plain(path) as file:
                told = os.fstat(file.fileno())
                runs = b"x" if told.st_mode & stat.S_IXUSR else b"-"
                digest.update(runs + told.st_size.to_bytes(8, "little"))
                left -= told.st_size
                if left < 0:
                    raise too_much(path)
                unread = told.st_size
                while unread and (data := file.read(min(unread, PIECE))):
                    digest.update(data)
                    unread -= len(data)
                if unread or file.read(1):
                    raise BotError(f"{path}: {place} changed while it was read")
    except CopyError as error:
        raise BotError(str(error)) from None
    except OSError as error:
        raise BotError(f"{path}: {error.strerror}") from None
    return digest.hexdigest()
