"""Files of strangers, read up to a limit, and without blocking on pipes and devices."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import resource
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from koth.errors import KothError

LINK = "a link; koth makes none in the folder of a run"
SECOND_NAME = "it has another name elsewhere (a hard link), and koth would change both"
LARGEST_FILE = 1 << 30
"""The largest size in bytes of a file that is read whole: replays of koth are far smaller."""


def open_plain(path: Path, most: int = LARGEST_FILE) -> io.BufferedReader:
    """Open a file for reading. Raises OSError, also for a pipe, a device, a folder, or more than `most` bytes."""
    return os.fdopen(check_plain(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), path, most), "rb")


def check_plain(handle: int, path: Path, most: int = LARGEST_FILE) -> int:
    """Return the descriptor of a regular file of at most `most` bytes; close any other. Raises OSError."""
    found = os.fstat(handle)
    is_file = stat.S_ISREG(found.st_mode)
    if is_file and found.st_size <= most:
        return handle
    os.close(handle)
    if is_file:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MB", str(path))
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is not a file", str(path))


def read_plain(path: Path, most: int = LARGEST_FILE) -> bytes:
    """Return the content of a file. Raises OSError as `open_plain` does."""
    with open_plain(path, most) as file:
        return file.read(most)


def read_text(path: Path, most: int = LARGEST_FILE) -> str:
    """Return the text of a file that a person wrote, without a byte order mark.

    It is UTF-8, or UTF-16 if it says so, as some programs of Windows write. Raises OSError as `open_plain` does, and
    UnicodeDecodeError.
    """
    data = read_plain(path, most)
    return data.decode("utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig")


def check_no_links(folder: Path, apart: str = "") -> None:
    """Raise KothError if a folder has links, which would lead writers elsewhere; skip the subfolders of `apart`.

    A file with another name elsewhere (a hard link) counts as a link, too.
    """
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            if problem := find_link_problem(Path(place, name)):
                raise KothError(f"{os.path.join(place, name)}: {problem}")
        if place == str(folder / apart) != str(folder):
            folders.clear()


def find_link_problem(path: Path) -> str:
    """Return why writing to this path would change another file; empty if it would not."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return ""
    if stat.S_ISLNK(found.st_mode):
        return LINK
    return SECOND_NAME if stat.S_ISREG(found.st_mode) and found.st_nlink > 1 else ""


def bound_memory() -> None:
    """Limit this process to half the machine's memory; larger requests raise MemoryError.

    For processes that read strangers' files: a small file may expand to a large match.
    """
    with contextlib.suppress(ValueError, OSError):
        half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = half if hard == resource.RLIM_INFINITY else min(half, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


class CpuBudget:
    """A limit on this thread's CPU time for reading a stranger's file."""

    def __init__(self, what: object, seconds: float) -> None:
        self.seconds = seconds
        self._what = what
        self._end = time.thread_time() + seconds

    def check(self) -> None:
        """Raise KothError once the time is used up."""
        if time.thread_time() > self._end:
            raise KothError(f"{self._what}: reading it or playing it again takes more than {self.seconds:g} s")

    @contextlib.contextmanager
    def pause(self) -> Iterator[None]:
        """Exclude the CPU time of this context."""
        begin = time.thread_time()
        yield
        self._end += time.thread_time() - begin
