"""Folders of strangers, walked, copied and removed: through descriptors, without links, within limits.

A folder is read through descriptors of its folders, so that no part of a path can be replaced by a link meanwhile. No
function here recurses without a limit of depth.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

from koth.errors import KothError
from koth.files.beneath import FOLDER, NO_LINKS, NO_WAIT

PIECE = 1 << 20
HOLE = bytes(PIECE)
HANDLE = getattr(os, "O_PATH", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags for opening a folder without read or search permission."""
REPLACED = (errno.ELOOP, errno.ENOTDIR, errno.ENOENT)
"""Errors of opening a folder that was replaced or removed since it was listed."""


class CopyError(KothError):
    """Raised when files are not copied: too many, or of a kind that is not allowed."""


@dataclass(frozen=True)
class FolderLimits:
    """Limits of a folder: numbers of files, bytes and nested folders, and the end of the message about an excess."""

    files: int
    bytes: int
    depth: int
    verdict: str = ""

    def too_much(self, top: Path | str) -> CopyError:
        """Return the error for too many files or bytes."""
        return CopyError(f"{top}: more than {self.files} files or {self.bytes >> 20} MB{self.verdict}")

    def too_deep(self, top: Path | str) -> CopyError:
        """Return the error for too deeply nested folders."""
        return CopyError(f"{top}: more than {self.depth} folders within each other{self.verdict}")

    def count(self, top: Path | str, sizes: Mapping[str, int]) -> int:
        """Return the number of these files (path below `top` -> bytes) and of their folders.

        Raises CopyError beyond the limits.
        """
        if sum(sizes.values()) > self.bytes:
            raise self.too_much(top)
        found = set(sizes)
        for place in sizes:
            if place.count("/") > self.depth:
                raise self.too_deep(top)
            found.update(accumulate(place.split("/")[:-1], "{}/{}".format))
            if len(found) > self.files:
                raise self.too_much(top)
        return len(found)


@dataclass(frozen=True)
class Entry:
    """A file or folder: the walked folder, its path from there, its stat result, and the open parent folder."""

    top: Path
    place: str
    name: str
    stat: os.stat_result
    folder: int

    @property
    def path(self) -> Path:
        return self.top / self.place

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.stat.st_mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.stat.st_mode)

    def open(self) -> BinaryIO:
        """Open the file. Raises OSError, and CopyError if it is not a regular file any more."""
        if stat.S_ISLNK(self.stat.st_mode):
            raise self._link_error()
        if not self.is_file:
            raise CopyError(f"{self.path} is not a file")
        try:
            handle = os.open(self.name, os.O_RDONLY | NO_LINKS, dir_fd=self.folder)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise self._link_error() from None
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise CopyError(f"{self.path} is not a file")
        return os.fdopen(handle, "rb")

    def _link_error(self) -> CopyError:
        return CopyError(f"{self.path} is a link; a folder must hold its files themselves")


Choice = Callable[[Entry], bool]


def leave_nothing_out(entry: Entry) -> bool:
    """Return False: leave nothing out."""
    return False


def walk(
    top: Path,
    limits: FolderLimits,
    leaves_out: Choice = leave_nothing_out,
    *,
    skips_odd: bool = False,
    opens_up: bool = False,
) -> Iterator[Entry]:
    """Yield the files and folders below `top`, sorted, a folder before its content, without following links.

    An entry that `leaves_out` chooses is not yielded, nor is its content. With `skips_odd` folders that are replaced
    meanwhile are skipped; with `opens_up` those that their owner may not read are made readable. Raises OSError, and
    CopyError beyond the limits.
    """
    walker = _Walker(top, limits, leaves_out, skips_odd, opens_up)
    root = os.open(top, FOLDER | NO_WAIT)
    try:
        for number, entry in enumerate(walker.entries(root, "", 0)):
            if number >= limits.files:
                raise limits.too_much(top)
            yield entry
    finally:
        os.close(root)


@dataclass(frozen=True)
class _Walker:
    top: Path
    limits: FolderLimits
    leaves_out: Choice
    skips_odd: bool
    opens_up: bool

    def entries(self, folder: int, place: str, depth: int) -> Iterator[Entry]:
        if depth > self.limits.depth:
            raise self.limits.too_deep(self.top)
        for name in self._names(folder):
            with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                entry = Entry(self.top, f"{place}{name}", name, status, folder)
                if self.leaves_out(entry):
                    continue
                if not entry.is_folder:
                    yield entry
                elif (inner := self._open(entry)) is not None:
                    try:
                        yield entry
                        yield from self.entries(inner, f"{entry.place}/", depth + 1)
                    finally:
                        os.close(inner)

    def _open(self, entry: Entry) -> int | None:
        """Open a folder; None for one that was replaced and is skipped."""
        try:
            if self.opens_up:
                _open_up(entry.folder, entry.name)
            return os.open(entry.name, FOLDER | NO_LINKS, dir_fd=entry.folder)
        except OSError as error:
            if self.skips_odd and error.errno in REPLACED:
                return None
            raise OSError(error.errno, error.strerror, str(entry.path)) from None

    def _names(self, folder: int) -> list[str]:
        names = []
        with os.scandir(folder) as found:
            for entry in found:
                names.append(entry.name)
                if len(names) > self.limits.files:
                    raise self.limits.too_much(self.top)
        return sorted(names)


def _open_up(folder: int, name: str) -> None:
    """Let the owner read and change the folder `name` in an open one, without following links. Raises OSError."""
    handle = os.open(name, HANDLE, dir_fd=folder)
    try:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            os.chmod(f"/proc/self/fd/{handle}" if hasattr(os, "O_PATH") else handle, 0o700)
    finally:
        os.close(handle)


def copy_folder(
    source: Path,
    to: Path,
    limits: FolderLimits,
    leaves_out: Choice = leave_nothing_out,
    *,
    skips_odd: bool = False,
    public: bool = False,
) -> None:
    """Copy the files and folders below `source` into the folder `to`, which is made if it does not exist.

    Links, pipes, sockets and devices are left out with `skips_odd`; otherwise they raise CopyError, as a folder
    beyond the limits does. With `public` everybody may read the copy, whatever the umask. Raises OSError.
    """
    to.mkdir(parents=True, exist_ok=True)
    left = limits.bytes
    for entry in walk(source, limits, leaves_out, skips_odd=skips_odd):
        if entry.is_folder:
            (to / entry.place).mkdir(exist_ok=True)
            if public:
                (to / entry.place).chmod(0o755)
            continue
        try:
            file = entry.open()
        except FileNotFoundError:  # removed meanwhile
            continue
        except CopyError:
            if not skips_odd:
                raise
            continue
        with file:
            size = copy_open_file(file, to / entry.place, left, public=public)
        if size > left:
            raise limits.too_much(source)
        left -= size


def copy_open_file(source: BinaryIO, to: Path, most: int, *, public: bool = False) -> int:
    """Copy an open file to a new one and return its size; after `most` bytes the copy stops, and the size is larger.

    One descriptor is used, so the file can't be replaced meanwhile; it may grow. Holes in a sparse file stay holes.
    """
    status = os.fstat(source.fileno())
    runs = bool(status.st_mode & stat.S_IXUSR)
    handle = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS, 0o777 if runs else 0o666)
    size = status.st_size if status.st_size > most else 0
    with os.fdopen(handle, "wb") as copy:
        while size <= most and (piece := source.read(PIECE)):
            size += len(piece)
            if size > most:
                break
            if piece == HOLE:
                copy.seek(PIECE, os.SEEK_CUR)
            else:
                copy.write(piece)
        if size <= most:
            copy.truncate(size)
        if public:
            os.fchmod(copy.fileno(), 0o755 if runs else 0o644)
    return size


def remove(folder: Path) -> None:
    """Remove a folder, if it exists, with everything that programs have left in it; of a link, remove only the link.

    Nested folders are moved up before they are emptied, so that no depth needs descriptors or recursion. Files that
    can't be removed stay.
    """
    with contextlib.suppress(OSError):
        around = os.open(folder.parent, FOLDER | NO_WAIT)
        try:
            if not _unlink(around, folder.name):
                _open_up(around, folder.name)
                _empty(around, folder.name)
                os.rmdir(folder.name, dir_fd=around)
        finally:
            os.close(around)


def _empty(around: int, name: str) -> None:
    top = os.open(name, FOLDER | NO_LINKS, dir_fd=around)
    try:
        mark, moved, left = secrets.token_hex(8), 0, os.listdir(top)
        while left:
            inner = left.pop()
            with contextlib.suppress(OSError):
                if not _unlink(top, inner):
                    folders = _flatten(top, inner, f"{mark}-{moved}")
                    moved += 1
                    left += folders
                    os.rmdir(inner, dir_fd=top)
    finally:
        os.close(top)


def _flatten(top: int, name: str, mark: str) -> list[str]:
    """Remove the files of a folder in `top`, move its folders up into `top`, and return their new names."""
    _open_up(top, name)
    folder, moved = os.open(name, FOLDER | NO_LINKS, dir_fd=top), list[str]()
    try:
        for inner in os.listdir(folder):
            with contextlib.suppress(OSError):
                if not _unlink(folder, inner):
                    _open_up(folder, inner)  # else only root could move it
                    os.rename(inner, f"{mark}-{len(moved)}", src_dir_fd=folder, dst_dir_fd=top)
                    moved.append(f"{mark}-{len(moved)}")
    finally:
        os.close(folder)
    return moved


def _unlink(folder: int, name: str) -> bool:
    """Remove a path that is not a folder; return whether it is gone. Raises OSError."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError:
        if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise
        return False
    return True
