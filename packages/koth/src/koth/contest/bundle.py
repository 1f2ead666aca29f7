"""A bot's files, sent to another machine, which verifies the digest."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from koth.discovery.digest import content_digest
from koth.discovery.packing import pack, unpack
from koth.errors import BotError


@dataclass(frozen=True)
class Bundle:
    """The files at one path of a bot: `content` is their digest, `name` the name of the folder or file."""

    content: str
    name: str
    archive: bytes
    """The files as `koth.discovery.packing` packs them."""

    @classmethod
    def of(cls, path: Path, content: str) -> Bundle:
        """Pack the files at `path`. Raises BotError if the digest of these files is not `content`."""
        archive = pack(path)
        if content_digest(path) != content:
            raise BotError(f"{path} has changed since the run began; start a new run")
        return cls(content, path.name, archive)

    def write(self, into: Path) -> Path:
        """Write the files below `into`; return the path. Raises BotError if the files' digest is not `content`."""
        path = into / self.content / self.name
        if path.exists():
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="bundle-", dir=path.parent) as part:
            files = unpack(self.archive, self.name, Path(part))
            if content_digest(files) != self.content:
                raise BotError(f"{self.name}: its files were damaged on the way (their digest differs)")
            try:
                files.rename(path)
            except OSError as error:
                if not path.exists():  # no other process has unpacked it meanwhile
                    raise BotError(f"{error.filename or path}: {error.strerror}") from None
        return path
