"""Files below a folder that a stranger may have made: opened relative to that folder, without following links.

A stranger's link could make koth read, or even write, a file of the host. koth writes files atomically, as new files,
and never changes a file with a second name elsewhere (a hard link).
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from koth.files.bounded_read import LARGEST_FILE, LINK, SECOND_NAME, check_plain

FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
"""Flags for opening a folder."""
NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags for opening a file without waiting for the other end of a pipe."""
NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | NO_WAIT
"""Flags for opening a file below the top: links are not followed, and pipes do not block."""


def open_beneath(top: Path, place: str, most: int = LARGEST_FILE) -> io.BufferedReader:
    """Open a file below `top` for reading; `place` has slashes between its parts.

    Raises OSError, also if a part is a link, or the file is a pipe, a device or a folder, or larger than `most`.
    """
    with _parent(top, place) as (folder, name):
        return os.fdopen(check_plain(_open(top, place, folder, name, os.O_RDONLY), top / place, most), "rb")


def read_beneath(top: Path, place: str, most: int = LARGEST_FILE) -> bytes:
    """Return the content of a file below `top`. Raises OSError as `open_beneath` does."""
    with open_beneath(top, place, most) as file:
        return file.read(most)


def change_beneath(top: Path, place: str) -> io.BufferedRandom:
    """Open a file below `top` for changes. Raises OSError, also if the file has another name elsewhere."""
    with _parent(top, place) as (folder, name):
        handle = check_plain(_open(top, place, folder, name, os.O_RDWR), top / place)
    if os.fstat(handle).st_nlink > 1:
        os.close(handle)
        raise OSError(errno.EMLINK, SECOND_NAME, str(top / place))
    return os.fdopen(handle, "r+b")


@contextlib.contextmanager
def write_beneath(top: Path, place: str, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Write a file below `top` that replaces the old one once complete; missing folders are made. Raises OSError."""
    with _parent(top, place, makes=True) as (folder, name):
        part = f"{name}.part"
        _unlink(folder, part)
        try:
            handle = _open(top, f"{place}.part", folder, part, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(handle, "w+b") as file:
                yield file
            with _add_path(top / place):
                os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            _unlink(folder, part)


def remove_beneath(top: Path, place: str) -> None:
    """Remove a file below `top`, if it exists; of a link only the link. Raises OSError."""
    with contextlib.suppress(FileNotFoundError), _parent(top, place) as (folder, name), _add_path(top / place):
        os.unlink(name, dir_fd=folder)


def make_beneath(top: Path, place: str) -> None:
    """Make a folder below `top`, and its missing parents. Raises OSError."""
    with _parent(top, f"{place}/", makes=True):
        pass


@contextlib.contextmanager
def _parent(top: Path, place: str, *, makes: bool = False) -> Iterator[tuple[int, str]]:
    """Open the folder that contains `place`; yield its file descriptor and the last part of `place`."""
    *above, name = place.split("/")
    if not {*above, name}.isdisjoint(("..", ".")) or "\0" in place or "" in above or not (name or makes):
        raise OSError(errno.EINVAL, "not the name of a file in the folder", str(top / place.replace("\0", "\\0")))
    if makes:
        top.mkdir(parents=True, exist_ok=True)
    folder = os.open(top, FOLDER)
    try:
        for number, part in enumerate(above, 1):
            inner = "/".join(above[:number])
            if makes:
                with contextlib.suppress(FileExistsError), _add_path(top / inner):
                    os.mkdir(part, dir_fd=folder)
            below = _open(top, inner, folder, part, FOLDER)
            os.close(folder)
            folder = below
        yield folder, name
    finally:
        os.close(folder)


def _open(top: Path, place: str, folder: int, name: str, flags: int, mode: int = 0o777) -> int:
    try:
        return os.open(name, flags | NO_LINKS, mode, dir_fd=folder)
    except OSError as error:
        what = (errno.ELOOP, LINK) if _is_link(folder, name) else (error.errno, error.strerror)
        raise OSError(*what, str(top / place)) from None


def _is_link(folder: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


@contextlib.contextmanager
def _add_path(path: Path) -> Iterator[None]:
    """Add the full path to an error of a call that was given a file descriptor."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _unlink(folder: int, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
