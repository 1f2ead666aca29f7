"""Private copies of bots, so that the files of a run can't be changed or replaced by links.

A bot's folder is read through descriptors of its folders, so that no part of a path can become a link meanwhile, and
only as deep as a bot may be.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from koth.errors import KothError
from koth.files.beneath import FOLDER, NO_WAIT, OWN
from koth.sandbox.failures import check_shortage

FILES, BYTES, DEPTH = 20_000, 1 << 30, 64
"""The most files, bytes and nested folders of a bot."""
BLOCK = 4096
"""Bytes that a file or folder takes at least."""
PIECE = 1 << 20
RUN = "results.sqlite"
"""The file that marks the folder of a run: people start contests in their bots' folders."""
LEFT_OUT = ("__pycache__", ".git", ".hg", ".svn")
"""Folders that are no part of a bot: compiled files, which may differ from the sources, and version histories."""


class CopyError(KothError):
    """Files that can't belong to a bot."""


def too_much(path: Path) -> CopyError:
    """Return the error for more files or bytes than a bot may have."""
    return CopyError(f"{path}: more than {FILES} files or {BYTES >> 20} MB; that is no bot")


@dataclass(frozen=True)
class Entry:
    """A file or folder: its path from the top, its stat result, and the open folder that contains it."""

    place: str
    name: str
    stat: os.stat_result
    folder: int

    def open(self) -> int:
        """Open the file. Raises OSError, and CopyError if it is no regular file any more."""
        file = os.open(self.name, os.O_RDONLY | OWN, dir_fd=self.folder)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise CopyError(f"{self.place} is no file")
        return file


def entries(top: Path, *, every: bool = False) -> Iterator[Entry]:
    """Yield the files and folders of a bot, sorted, a folder before its content, without following links.

    With `every`, include files that bots leave out, in any number. Raises OSError, and CopyError beyond the limits.
    """
    root = os.open(top, FOLDER | NO_WAIT)
    try:
        for number, entry in enumerate(_entries(root, "", top, every)):
            if number >= FILES and not every:
                raise too_much(top)
            yield entry
    finally:
        os.close(root)


def _entries(folder: int, place: str, top: Path, every: bool) -> Iterator[Entry]:
    if place.count("/") > DEPTH:
        raise CopyError(f"{top}: more than {DEPTH} folders within each other; that is no bot")
    for name in _names(folder, top, every):
        with contextlib.suppress(FileNotFoundError):  # removed meanwhile
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not stat.S_ISDIR(status.st_mode):
                yield Entry(f"{place}{name}", name, status, folder)
                continue
            inner = _opened(folder, name, top / place)
            try:
                if every or not (name in LEFT_OUT or _is_run(inner)):
                    yield Entry(f"{place}{name}", name, status, folder)
                    yield from _entries(inner, f"{place}{name}/", top, every)
            finally:
                os.close(inner)


def _opened(folder: int, name: str, place: Path) -> int:
    try:
        return os.open(name, FOLDER | OWN, dir_fd=folder)
    except PermissionError as error:
        raise PermissionError(error.errno, error.strerror, str(place / name)) from None


def _names(folder: int, top: Path, every: bool) -> list[str]:
    names = []
    with os.scandir(folder) as found:
        for entry in found:
            names.append(entry.name)
            if len(names) > FILES and not every:
                raise too_much(top)
    return sorted(names)


def _is_run(folder: int) -> bool:
    """Return whether this is the folder of a run."""
    with contextlib.suppress(OSError):
        os.stat(RUN, dir_fd=folder, follow_symlinks=False)
        return True
    return False


def is_regular_file(file: Path) -> bool:
    """Return whether a path is a regular file and no link: links in a bot's folder are never followed."""
    return stat.S_ISREG(file.lstat().st_mode)


def contents(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the path and size of each file of a bot (a folder, or one file), within the limits of a bot.

    Links and devices are left out. Raises OSError and CopyError.
    """
    if not path.is_dir():
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > BYTES:
            raise too_much(path) if stat.S_ISREG(status.st_mode) else CopyError(f"{path} is no file")
        yield path.name, status.st_size
        return
    total = 0
    for entry in entries(path):
        if stat.S_ISREG(entry.stat.st_mode):
            total += entry.stat.st_size
            if total > BYTES:
                raise too_much(path)
            yield entry.place, entry.stat.st_size


def copy_bot(path: Path, to: Path, left_out: Collection[str] = ()) -> None:
    """Copy a bot's folder, or its one file, into the new folder `to`. Links and devices raise CopyError.

    `left_out` are files and folders of the folder that belong to other bots. Raises ArenaError if the disk of this
    machine is full or fails.
    """
    unfinished = to.with_name(f"{to.name}.{os.getpid()}.part")
    remove(unfinished)
    unfinished.mkdir(parents=True)
    unfinished.chmod(0o755)
    try:
        if path.is_dir():
            _copy_folder(path, unfinished, left_out)
        else:
            _copy_file(os.open(path, os.O_RDONLY | NO_WAIT), path, unfinished / path.name, BYTES)
        remove(to)
        unfinished.rename(to)
    except OSError as error:
        check_shortage(error)
        raise CopyError(f"{error.filename or path}: {error.strerror or error}") from None
    finally:
        remove(unfinished)


def _copy_folder(path: Path, to: Path, left_out: Collection[str]) -> None:
    left, gone = BYTES, set(left_out)
    for entry in entries(path):
        if entry.place in gone or entry.place.rpartition("/")[0] in gone:
            gone.add(entry.place)
        elif stat.S_ISDIR(entry.stat.st_mode):
            (to / entry.place).mkdir(mode=0o755)
            (to / entry.place).chmod(0o755)
        elif stat.S_ISLNK(entry.stat.st_mode):
            raise CopyError(f"{path / entry.place} is a link; a bot's folder must hold its files themselves")
        elif not stat.S_ISREG(entry.stat.st_mode):
            raise CopyError(f"{path / entry.place} is no file")
        else:
            left -= _copy_file(entry.open(), path / entry.place, to / entry.place, left)


def _copy_file(source: int, path: Path, to: Path, most: int) -> int:
    """Copy a file of at most `most` bytes and return its size; one descriptor is used, so it can't be replaced
    meanwhile.
    """
    size = 0
    with os.fdopen(source, "rb") as data:
        status = os.fstat(source)
        if not stat.S_ISREG(status.st_mode):
            raise CopyError(f"{path} is no file")
        with open(to, "xb") as copy:
            while status.st_size <= most and (piece := data.read(PIECE)):
                size += len(piece)
                if size > most:
                    break
                copy.write(piece)
    if max(size, status.st_size) > most:
        raise too_much(path)
    to.chmod(0o755 if status.st_mode & 0o100 else 0o644)
    return size


def change_owner(folder: Path, user: int) -> None:
    """Make this user the owner of a copy and its content (only root can), without following links."""
    os.chown(folder, user, user, follow_symlinks=False)
    for entry in entries(folder, every=True):
        os.chown(entry.name, user, user, dir_fd=entry.folder, follow_symlinks=False)


def normalize(folder: Path) -> None:
    """Reset owners and modes of a copy that programs have written to, as if koth had made it.

    Files and folders then belong to koth and are readable by all; pipes, sockets, devices, and links that lead
    outside are removed. Raises OSError and CopyError.
    """
    here = os.path.realpath(folder)
    _open_up(folder)
    _normalize_one(str(folder), 0o755, None)
    for entry in entries(folder, every=True):
        mode = entry.stat.st_mode
        if stat.S_ISDIR(mode):
            _normalize_one(entry.name, 0o755, entry.folder)
        elif stat.S_ISREG(mode):
            _normalize_one(entry.name, 0o755 if mode & 0o100 else 0o644, entry.folder)
        elif not stat.S_ISLNK(mode) or not os.path.realpath(folder / entry.place).startswith(f"{here}/"):
            os.unlink(entry.name, dir_fd=entry.folder)
        elif os.getuid() == 0:
            os.chown(entry.name, 0, 0, dir_fd=entry.folder, follow_symlinks=False)


def _normalize_one(name: str, mode: int, folder: int | None) -> None:
    if os.getuid() == 0:
        os.chown(name, 0, 0, dir_fd=folder, follow_symlinks=False)
    os.chmod(name, mode, dir_fd=folder)


def remove(folder: Path) -> None:
    """Remove a folder, if it exists, even if programs have made parts of it unreadable; of a link, the link."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        try:
            _open_up(folder)
            shutil.rmtree(folder, ignore_errors=True)
        except RecursionError:  # nested deeper than Python's recursion limit
            subprocess.run(["rm", "-rf", "--", str(folder)], check=False, stdin=subprocess.DEVNULL)


def _open_up(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.chmod(0o700)
    for place, folders, _ in os.walk(folder):
        for name in folders:
            inner = os.path.join(place, name)
            if not os.path.islink(inner):
                with contextlib.suppress(OSError):
                    os.chmod(inner, 0o700)


def folder_size(folder: Path, most: int) -> int:
    """Return the bytes that a folder takes on the disk; counting stops above `most`.

    A file counts with its length or its blocks, whichever is more: blocks can be reserved beyond its end. Raises
    CopyError when a part of the folder can't be read.
    """
    total = 0
    try:
        for entry in entries(folder, every=True):
            total += max(BLOCK, entry.stat.st_size, entry.stat.st_blocks * 512)
            if total > most:
                break
    except PermissionError as error:
        raise CopyError(f"{error.filename} can't be read") from None
    except OSError as error:  # folders that are replaced while they are opened
        check_shortage(error)
        raise CopyError(f"{error.filename}: {error.strerror}") from None
    return total
