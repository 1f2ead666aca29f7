"""A bot's files in a zip of koth's own: for a hill's database, and for other machines of a cluster.

Limits are checked when files are packed, as everywhere (`koth.sandbox.copies.list_files`), and when they are
unpacked: a hill's database may be a stranger's. Authors' zips, which koth has not packed, are read by `archives.py`.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import sys
import zipfile
from pathlib import Path

from koth.discovery.archives import LARGEST_TABLE, ZIP_ERRORS, Allowance, BoundedZip
from koth.discovery.digest import reading
from koth.errors import BotError
from koth.files.cache import cache_folder
from koth.sandbox.cached_folders import fill_once
from koth.sandbox.copies import list_files, open_file
from koth.sandbox.failures import check_shortage

LARGEST_ARCHIVE = 64 << 20
"""The largest size of a hill's archive in bytes."""
TABLE_ENTRY = 46
"""The bytes of a file in a zip's table, without the file's name."""
FILE_TIME = (1980, 1, 1, 0, 0, 0)


def add_file(archive: zipfile.ZipFile, name: str, data: bytes, mode: int = 0o644) -> None:
    """Add a file with a fixed time to a zip."""
    info = zipfile.ZipInfo(name, FILE_TIME)
    info.external_attr = (stat.S_IFREG | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def pack(path: Path, most: int = sys.maxsize) -> bytes:
    """Return the files of a bot's folder, or its one file, as a zip; equal files give equal bytes.

    Raises BotError, also for a zip of more than `most` bytes, and for a zip whose table `unpack` would refuse.
    """
    data = io.BytesIO()
    with reading(path), zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, size in sorted(list_files(path)):
            with open_file(path, place) as file:
                runs = os.fstat(file.fileno()).st_mode & stat.S_IXUSR
                name = f"{path.name}/{place}" if path.is_dir() else place
                part = file.read(size)  # not what it has grown by since
                add_file(archive, name, part, 0o755 if runs else 0o644)
            if data.tell() > most:
                raise BotError(f"{path}: more than {most >> 20} MB packed")
        if sum(TABLE_ENTRY + len(info.filename.encode()) for info in archive.infolist()) > LARGEST_TABLE:
            raise BotError(
                f"{path}: its {len(archive.infolist())} files have too long names: a zip's table of names may have "
                f"{LARGEST_TABLE >> 20} MB"
            )
    return data.getvalue()


def unpack(packed: bytes, name: str, into: Path | None = None) -> Path:
    """Write a packed bot to `into`, or once to koth's cache; return the path of the bot's folder or file `name`.

    Raises BotError.
    """
    if "/" in name or name in ("", ".", ".."):
        raise BotError(f"{name!r} is not the name of a bot's folder or file")
    try:
        if into is None:
            key = hashlib.blake2b(packed, digest_size=10).hexdigest()
            into = fill_once(cache_folder("zips"), key, lambda to: _write(packed, name, to))
        else:
            _write(packed, name, into)
    except ZIP_ERRORS as error:
        if isinstance(error, OSError):
            check_shortage(error)
        raise BotError(f"{name}: can't be unpacked: {error}") from None
    return into / name


def _write(packed: bytes, name: str, into: Path) -> None:
    with BoundedZip(io.BytesIO(packed)) as data, zipfile.ZipFile(data) as archive:
        sizes = {info.filename.removeprefix(f"{name}/"): info.file_size for info in archive.infolist()}
        if len(sizes) < len(archive.infolist()):
            raise zipfile.BadZipFile("a file is in it twice")
        Allowance().take(Path(name), sizes)
        for info in archive.infolist():
            Path(archive.extract(info, into)).chmod(info.external_attr >> 16 & 0o777)
