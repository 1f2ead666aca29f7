"""A bot's files as a zip: equal for equal files, and unpacked with the limits of authors' zips."""

from __future__ import annotations

import io
import os
import stat
import tempfile
import zipfile
from pathlib import Path

from koth.discovery import archives
from koth.discovery.archives import Allowance
from koth.errors import BotError
from koth.files.folders import CopyError
from koth.sandbox.copies import list_files, open_file

LARGEST_ARCHIVE = 64 << 20
"""The largest size of a hill's archive in bytes."""
FILE_TIME = (1980, 1, 1, 0, 0, 0)


def add_file(archive: zipfile.ZipFile, name: str, data: bytes, mode: int = 0o644) -> None:
    """Add a file with a fixed time to a zip."""
    info = zipfile.ZipInfo(name, FILE_TIME)
    info.external_attr = (stat.S_IFREG | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def pack(path: Path, most: int = LARGEST_ARCHIVE) -> bytes:
    """Return the files of a bot's folder, or its one file, as a zip of at most `most` bytes. Raises BotError."""
    data = io.BytesIO()
    try:
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
            for place, size in sorted(list_files(path)):
                if "\\" in place or not place.isprintable():
                    raise BotError(f"{path}: {place!r} can't be packed: rename the file")
                with open_file(path, place) as file:
                    runs = os.fstat(file.fileno()).st_mode & stat.S_IXUSR
                    name = f"{path.name}/{place}" if path.is_dir() else place
                    part = file.read(size)  # not what it has grown by since
                    add_file(archive, name, part, 0o755 if runs else 0o644)
                if data.tell() > most:
                    raise BotError(f"{path}: more than {most >> 20} MB packed")
    except CopyError as error:
        raise BotError(str(error)) from None
    except OSError as error:
        raise BotError(f"{error.filename or path}: {error.strerror}") from None
    return data.getvalue()


def unpack(archive: bytes, name: str, into: Path | None = None) -> Path:
    """Unpack an archive below `into`, or to koth's cache; return the path of the bot's folder or file `name`.

    Raises BotError.
    """
    if "/" in name or name in ("", ".", ".."):
        raise BotError(f"{name!r} is not the name of a bot's folder or file")
    try:
        with tempfile.TemporaryDirectory(prefix="zip-", dir=into) as folder:
            file = Path(folder) / f"{name}.files.zip"  # unlike the bot, so that its folder is not taken for the bot
            file.write_bytes(archive)
            place = archives.unpack(file, Allowance(into=into))
    except OSError as error:
        raise BotError(f"{name}: can't be unpacked: {error.strerror}") from None
    return place if place.name == name and place.is_dir() else place / name
