"""A bot's files sent to another machine, where their digest is verified."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from koth.discovery.digest import content_digest
from koth.errors import BotError
from koth.files.beneath import open_beneath
from koth.files.bounded_read import open_plain
from koth.files.folders import CopyError, remove
from koth.sandbox.copies import BYTES, FILES, list_files, too_much


@dataclass(frozen=True)
class Bundle:
    """The files at one path of a bot: `content` is their digest, `name` the name of the folder or file."""

    content: str
    name: str
    folder: bool
    files: tuple[tuple[str, bool, bytes], ...]
    """For each file: path below the folder, whether it is executable, and its content compressed by zlib."""

    @classmethod
    def of(cls, path: Path, content: str) -> Bundle:
        """Pack the files at a path. Raises BotError if their digest is not `content`."""
        try:
            files = tuple(_pack(path))
        except (OSError, CopyError) as error:
            raise BotError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
        if content_digest(path) != content:
            raise BotError(f"{path} has changed since the run began; start a new run")
        return cls(content, path.name, path.is_dir(), files)

    def unpack(self, into: Path) -> Path:
        """Write the files below this folder; return their path. Raises BotError if their digest differs."""
        home = into / self.content
        path = home / self.name
        if path.exists():
            return path
        part = into / f"{self.content}.{os.getpid()}.part"
        remove(part)
        try:
            self._write(part)
            if content_digest(part / self.name) != self.content:
                raise BotError(f"{self.name}: its files were damaged on the way (their digest differs)")
            part.rename(home)
        except OSError as error:
            if not path.exists():  # no other process has unpacked it meanwhile
                raise BotError(f"{error.filename or part}: {error.strerror}") from None
        finally:
            remove(part)
        return path

    def _write(self, part: Path) -> None:
        top = part / self.name
        (top if self.folder else part).mkdir(parents=True)
        left = BYTES
        if len(self.files) > FILES or not _stays_inside(self.name):
            raise too_much(Path(self.name))
        for place, runs, data in self.files:
            if not _stays_inside(place):
                raise BotError(f"{self.name}: the path {place!r} leads out of its folder")
            file = top / place if self.folder else top
            file.parent.mkdir(parents=True, exist_ok=True)
            unpacking = zlib.decompressobj()
            content = unpacking.decompress(data, left + 1)
            left -= len(content)
            if left < 0:
                raise too_much(Path(self.name))
            file.write_bytes(content)
            file.chmod(0o755 if runs else 0o644)


def _pack(path: Path) -> Iterator[tuple[str, bool, bytes]]:
    for place, _ in list_files(path):
        with open_beneath(path, place) if path.is_dir() else open_plain(path) as file:
            runs = bool(os.fstat(file.fileno()).st_mode & 0o100)
            yield place, runs, zlib.compress(file.read())


def _stays_inside(place: str) -> bool:
    """Return whether a path leads below its folder."""
    parts = PurePosixPath(place).parts
    return bool(parts) and not place.startswith("/") and ".." not in parts
