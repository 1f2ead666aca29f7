"""Private copies of bots, so that the files of a run can't be changed or replaced by links."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from io import BufferedReader
from pathlib import Path

from koth.errors import visible
from koth.files.beneath import NO_WAIT, open_beneath
from koth.files.bounded_read import open_plain
from koth.files.folders import CopyError, Entry, FolderLimits, copy_folder, copy_open_file, remove, walk
from koth.sandbox.failures import check_shortage
from koth.sandbox.policy import MEGABYTE, TEMPORARY_BYTES, TEMPORARY_FILES

FILES, BYTES, DEPTH = 20_000, 1 << 30, 64
"""The largest number of files, of bytes, and of nested folders of a bot."""
BLOCK = 4096
"""The smallest size in bytes at which a file or folder counts."""
RUN_MARK = "results.sqlite"
"""The file that marks a run's folder, which is left out: people start contests in their bots' folders."""
LEFT_OUT = ("__pycache__", ".git", ".hg", ".svn")
"""Folders that are not part of a bot: compiled files, which may differ from the sources, and version histories."""


def limits() -> FolderLimits:
    """Return the limits of a bot's folder."""
    return FolderLimits(FILES, BYTES, DEPTH, "; that is not a bot")


def entries(top: Path) -> Iterator[Entry]:
    """Yield the files and folders of a bot, sorted, a folder before its content, without following links.

    Raises OSError, and CopyError beyond the limits.
    """
    return walk(top, limits(), _is_left_out)


def _is_left_out(entry: Entry) -> bool:
    return entry.is_folder and (entry.name in LEFT_OUT or _is_run(entry))


def _is_run(entry: Entry) -> bool:
    with contextlib.suppress(OSError):
        os.stat(f"{entry.name}/{RUN_MARK}", dir_fd=entry.folder, follow_symlinks=False)
        return True
    return False


def _everything(top: Path, *, opens_up: bool = False) -> Iterator[Entry]:
    """Yield every file and folder of a copy that programs have written to. Raises OSError, and CopyError if
    folders are nested too deep.
    """
    return walk(top, replace(limits(), files=sys.maxsize, bytes=sys.maxsize), opens_up=opens_up)


def is_regular_file(file: Path) -> bool:
    """Return whether a path is a regular file and not a link: links in a bot's folder are never followed."""
    return stat.S_ISREG(file.lstat().st_mode)


def list_files(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the path and size of each file of a bot (a folder, or one file), within the limits of a bot.

    Links and devices are left out. Raises OSError, and CopyError, also for a name that is not UTF-8, which some
    compilers do not find, or has a backslash, which zips can't hold.
    """
    found: Iterator[tuple[str, int]]
    if path.is_dir():
        found = ((entry.place, entry.stat.st_size) for entry in entries(path) if entry.is_file)
    else:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise CopyError(f"{path} is not a file")
        found = iter([(path.name, status.st_size)])
    total = 0
    for place, size in found:
        total += size
        if total > BYTES:
            raise limits().too_much(path)
        if "\\" in place or place != place.encode(errors="ignore").decode():
            why = "has a backslash" if "\\" in place else "is not UTF-8"
            raise CopyError(f"{path}: the name {visible(place)} {why}; rename the file")
        yield place, size


def open_file(path: Path, place: str) -> BufferedReader:
    """Open a file of a bot that `list_files` has listed. Raises OSError."""
    return open_beneath(path, place) if path.is_dir() else open_plain(path)


def copy_bot(path: Path, to: Path, left_out: Collection[str] = ()) -> None:
    """Copy a bot's folder, or a bot's only file, into the new folder `to`. Links and devices raise CopyError.

    `left_out` lists files and folders below `path` that belong to other bots. Raises ArenaError if the disk of this
    machine is full or fails.
    """
    unfinished = to.with_name(f"{to.name}.{os.getpid()}.part")
    remove(unfinished)
    unfinished.mkdir(parents=True)
    unfinished.chmod(0o755)
    try:
        if path.is_dir():

            def leaves_out(entry: Entry) -> bool:
                return entry.place in left_out or _is_left_out(entry)

            copy_folder(path, unfinished, limits(), leaves_out, public=True)
        else:
            _copy_file(path, unfinished / path.name)
        remove(to)
        unfinished.rename(to)
    except OSError as error:
        check_shortage(error)
        raise CopyError(f"{error.filename or path}: {error.strerror or error}") from None
    finally:
        remove(unfinished)


def _copy_file(path: Path, to: Path) -> None:
    with os.fdopen(os.open(path, os.O_RDONLY | NO_WAIT), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise CopyError(f"{path} is not a file")
        if copy_open_file(file, to, BYTES, public=True) > BYTES:
            raise limits().too_much(path)


def change_owner(folder: Path, user: int) -> None:
    """Make this user the owner of a copy and its content (only root can), without following links."""
    os.chown(folder, user, user, follow_symlinks=False)
    for entry in _everything(folder):
        os.chown(entry.name, user, user, dir_fd=entry.folder, follow_symlinks=False)


def normalize(folder: Path) -> None:
    """Reset owners and modes of a copy that programs have written to, as if koth had made it.

    Files and folders then belong to koth and are readable by all; pipes, sockets, devices, and links that lead
    outside are removed. Raises OSError and CopyError.
    """
    here = os.path.realpath(folder)
    _normalize_one(str(folder), 0o755, None)
    for entry in _everything(folder, opens_up=True):
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


def find_copy_problem(folder: Path) -> str:
    """Return why a bot can't run in a copy of its folder in its own /tmp; "" if it can. Raises CopyError, OSError."""
    size, files = TEMPORARY_BYTES // 2, TEMPORARY_FILES // 2
    if folder_size(folder, size) <= size and sum(1 for _ in folder.rglob("*")) <= files:
        return ""
    return f"with `writable = true` its folder may have at most {size // MEGABYTE} MB and {files} files"


def folder_size(folder: Path, most: int) -> int:
    """Return the bytes that a folder takes on the disk; counting stops above `most`.

    A file counts as its length or its blocks, whichever is more: blocks can be reserved beyond its end. Raises
    CopyError when a part of the folder can't be read.
    """
    total = 0
    try:
        for entry in _everything(folder):
            total += max(BLOCK, entry.stat.st_size, entry.stat.st_blocks * 512)
            if total > most:
                break
    except PermissionError as error:
        raise CopyError(f"{error.filename} can't be read") from None
    except OSError as error:  # folders that are replaced while they are opened
        check_shortage(error)
        raise CopyError(f"{error.filename}: {error.strerror}") from None
    return total
