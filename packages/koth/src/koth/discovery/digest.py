"""Digests of bots' files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from koth.errors import BotError
from koth.files.folders import PIECE, CopyError
from koth.sandbox.copies import BYTES, limits, list_files, open_file


@contextlib.contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Convert errors of reading a bot's files at `path`, and of files beyond the limits, to BotError."""
    try:
        yield
    except CopyError as error:
        raise BotError(str(error)) from None
    except OSError as error:
        raise BotError(f"{error.filename or path}: {error.strerror}") from None


def check_size(path: Path) -> None:
    """Check a bot's number and size of files before reading. Raises BotError beyond the limits."""
    with reading(path):
        for _ in list_files(path):
            pass


def content_digest(path: Path) -> str:
    """Return a digest of a bot's files: names, executable bits and contents, with lengths.

    Links are not followed, unless `path` is a link. Raises BotError for files that can't be read or exceed the
    limits.
    """
    digest = hashlib.blake2b(digest_size=8)
    left = BYTES
    with reading(path):
        for place, _ in sorted(list_files(path), key=lambda file: PurePosixPath(file[0])):
            name = place.encode("utf-8", "surrogateescape")
            digest.update(len(name).to_bytes(8, "little") + name)
            with open_file(path, place) as file:
                status = os.fstat(file.fileno())
                runs = b"x" if status.st_mode & stat.S_IXUSR else b"-"
                digest.update(runs + status.st_size.to_bytes(8, "little"))
                left -= status.st_size
                if left < 0:
                    raise limits().too_much(path)
                unread = status.st_size
                while unread and (data := file.read(min(unread, PIECE))):
                    digest.update(data)
                    unread -= len(data)
                if unread or file.read(1):
                    raise BotError(f"{path}: {place} changed while it was read")
    return digest.hexdigest()
