"""Bots in zips: limits are checked before koth reads a zip's table, and before it unpacks contents."""

from __future__ import annotations

import hashlib
import io
import lzma
import os
import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from koth.discovery.digest import reading
from koth.errors import BotError
from koth.files.bounded_read import open_plain
from koth.files.cache import cache_folder
from koth.sandbox.cached_folders import fill_once
from koth.sandbox.copies import BYTES, FILES, limits
from koth.sandbox.failures import check_shortage

PIECE_BYTES = 1 << 20
LARGEST_TABLE = 4 * PIECE_BYTES
"""The largest size of a zip's table in bytes: 200 bytes for each file that a bot may have."""


ZIP_ERRORS = (
    *(OSError, EOFError, ValueError, MemoryError, struct.error, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(RuntimeError, NotImplementedError),  # raised by zipfile for passwords and unknown compression
)
"""Errors that reading a zip can raise, especially a stranger's zip."""
DRIVE = re.compile(r"[A-Za-z]:")
"""The beginning of a Windows path with a drive letter."""
ENCRYPTED_FLAG = 1
"""The bit in a zip member's flags for encryption."""


@dataclass
class Allowance:
    """The number of bytes, and of files and folders, that may be unpacked from a zip."""

    bytes: int = field(default_factory=lambda: BYTES)
    files: int = field(default_factory=lambda: FILES)
    into: Path | None = None
    """The folder to unpack into; None: koth's cache."""

    def take(self, archive: Path, sizes: Mapping[str, int]) -> None:
        """Reduce the allowance by a zip's files (path -> bytes) and folders. Raises BotError beyond the limits."""
        with reading(archive):
            self.files -= replace(limits(), files=self.files, bytes=self.bytes).count(archive, sizes)
        self.bytes -= sum(sizes.values())


def unpack_zip(archive: Path, allowance: Allowance) -> Path:
    """Unpack an author's zip to the allowance's folder or koth's cache; return the folder, and reduce the allowance.

    Raises BotError.
    """
    try:
        with BoundedZip(open_plain(archive, BYTES).detach()) as data, zipfile.ZipFile(data) as table:
            members = _members(archive, table, allowance)
            made = _unpack_once(
                archive, data, allowance.into, lambda to: _write_members(table, members, to / archive.stem)
            )
    except ZIP_ERRORS as error:
        if isinstance(error, OSError):
            check_shortage(error)
        raise BotError(f"{archive}: can't be unpacked: {error or 'it is too large'}") from None
    folder = made / archive.stem
    inside = [path for path in folder.iterdir() if not path.name.startswith((".", "__MACOSX"))]
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _unpack_once(archive: Path, data: io.BufferedReader, into: Path | None, unpack: Callable[[Path], None]) -> Path:
    """Return a folder with the unpacked files: a new folder in `into`, or the cache's folder for these bytes."""
    if into is not None:
        folder = Path(tempfile.mkdtemp(prefix="zip-", dir=into))
        unpack(folder)
        return folder
    data.seek(0)
    digest = hashlib.file_digest(data, "blake2b")
    digest.update(os.fsencode(archive.stem))  # the folder's name, which may be the bot's
    return fill_once(cache_folder("zips"), digest.hexdigest()[:20], unpack)


class BoundedZip(io.BufferedReader):
    """A zip with a limited table, because zipfile reads the whole table at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LARGEST_TABLE:
            raise zipfile.BadZipFile(f"its table has {size >> 20} MB")
        return super().read(size)


def list_files(data: bytes, name: str, allowance: Allowance) -> list[str]:
    """Return the names of a zip's files from the table, without unpacking. Raises BotError."""
    try:
        with BoundedZip(io.BytesIO(data)) as file, zipfile.ZipFile(file) as table:
            return [info.filename for info in _members(Path(name), table, allowance)]
    except ZIP_ERRORS as error:
        raise BotError(f"{name}: can't be read as a zip: {error}") from None


def _members(archive: Path, table: zipfile.ZipFile, allowance: Allowance) -> Sequence[zipfile.ZipInfo]:
    """Return the files to unpack, and reduce the allowance. Raises BotError for files that a bot may not have."""
    sizes: dict[str, int] = {}
    for info in table.infolist():
        info.filename = info.filename.replace("\\", "/")  # older programs of Windows write paths so
        place = PurePosixPath(info.filename)
        if place.is_absolute() or ".." in place.parts or DRIVE.match(info.filename):
            raise BotError(f"{archive}: {info.filename!r} lies outside of it; zip the bot's folder itself")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise BotError(f"{archive}: {info.filename!r} is a link; a bot must hold its files themselves")
        if not info.filename.isprintable():
            raise BotError(f"{archive}: {info.filename!r} is not the name of a file: it has invisible characters")
        if info.flag_bits & ENCRYPTED_FLAG:
            raise BotError(f"{archive}: {info.filename!r} is encrypted")
        if info.is_dir():
            sizes.setdefault(str(place), 0)
        elif str(place) in sizes:
            raise BotError(f"{archive}: {info.filename!r} is in it twice")
        else:
            sizes[str(place)] = info.file_size
    allowance.take(archive, sizes)
    return [info for info in table.infolist() if not info.is_dir()]


def _write_members(table: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo], to: Path) -> None:
    to.mkdir()
    for info in members:
        target = to / info.filename
        target.parent.mkdir(parents=True, exist_ok=True)
        with table.open(info) as source, open(target, "xb") as copy:
            shutil.copyfileobj(source, copy, PIECE_BYTES)  # never more than the size in the table
        target.chmod(0o755 if info.external_attr >> 16 & 0o100 else 0o644)
