"""What tells one bot's files from another's."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path, PurePosixPath

from koth.bots.manifest import BotError
from koth.bots.sandbox.copies import BYTES, PIECE, CopyError, contents, open_inside, too_much


def content_digest(path: Path) -> str:
    """A digest of a bot's files: their names and contents. Links are not followed, unless it is one itself.

    Raises BotError for what can't be read, or is more than any bot.
    """
    digest = hashlib.blake2b(digest_size=8)
    left = BYTES
    try:
        for place, _ in sorted(contents(path), key=lambda file: PurePosixPath(file[0])):
            digest.update(place.encode("utf-8", "surrogateescape") + b"\0")
            with os.fdopen(open_inside(path, place) if path.is_dir() else os.open(path, os.O_RDONLY), "rb") as file:
                while data := file.read(PIECE):
                    digest.update(data)
                    left -= len(data)
                    if left < 0:
                        raise too_much(path)
            digest.update(b"\0")
    except CopyError as error:
        raise BotError(str(error)) from None
    except OSError as error:
        raise BotError(f"{path}: {error.strerror}") from None
    return digest.hexdigest()
