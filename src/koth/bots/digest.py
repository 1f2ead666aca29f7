"""What tells one bot's files from another's."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from koth.bots.manifest import BotError
from koth.bots.sandbox.copies import is_left_out, is_plain


def content_digest(path: Path) -> str:
    """A digest of a bot's files: their names and contents. Links are not followed, unless it is one itself."""
    digest = hashlib.blake2b(digest_size=8)
    files = [path] if path.is_file() else []
    for place, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not is_left_out(Path(place, name))]
        files += [file for file in (Path(place, name) for name in names) if is_plain(file)]
    for file in sorted(files):
        name = file.relative_to(path.parent if path.is_file() else path).as_posix()
        try:
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0" + file.read_bytes() + b"\0")
        except OSError as error:
            raise BotError(f"{file}: {error.strerror}") from None
    return digest.hexdigest()
