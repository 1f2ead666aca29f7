"""Disk space that a build uses in files without a name: deleted files that are still open, and nameless ones.

Such a file lives as long as a descriptor, a running program or a mapping refers to it. Descriptors in transit through
a socket could not be seen; there are none, because builds may not call `sendmsg`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence

from koth.files.folders import CopyError
from koth.sandbox.supervised_process import SupervisedProcess

DELETED = b" (deleted)"
"""The end of a mapping's line in /proc/PID/maps when its file has no name any more."""
BLOCK = 512
"""Bytes of a block as `stat` counts them."""


class UnnamedFiles:
    """The unnamed files of one build's processes.

    `places` are the prefixes of paths, as the processes see them, at which a build may write; `largest` is the size
    of the largest file that a build may write.
    """

    def __init__(self, child: SupervisedProcess, places: Sequence[str], largest: int) -> None:
        self._child = child
        self._places = tuple(os.fsencode(place) for place in places)
        self._largest = largest
        self._shut: set[int] = set()

    def size(self) -> int:
        """Return the bytes that unnamed files take on the disk.

        A file that is only mapped counts as the largest allowed: its size can't be read without privileges. Raises
        CopyError for a process that can't be inspected twice in a row: once is normal, during exec.
        """
        held: dict[int, int] = {}
        mapped: set[int] = set()
        shut: set[int] = set()
        for pid in self._child.pids():
            for task in _tasks(pid):
                try:
                    held |= _open_files(task)
                    mapped |= self._mapped_files(task)
                except PermissionError:
                    if not _has_ended(task):
                        shut.add(pid)
                except OSError:
                    continue  # the task has ended meanwhile
        again, self._shut = shut & self._shut, shut
        if again:
            raise CopyError(f"process {min(again)} of the build can't be inspected")
        return sum(held.values()) + len(mapped - held.keys()) * self._largest

    def _mapped_files(self, task: str) -> set[int]:
        found = set()
        with open(f"{task}/maps", "rb") as maps:
            for line in maps:
                if line.rstrip(b"\n").endswith(DELETED):
                    *_, inode, path = line.split(None, 5)
                    if path.startswith(self._places):
                        found.add(int(inode))
        return found


def _tasks(pid: int) -> Iterator[str]:
    """Yield the folders of a process's threads in /proc: each thread may have descriptors of its own."""
    try:
        for tid in os.listdir(f"/proc/{pid}/task"):
            yield f"/proc/{pid}/task/{tid}"
    except OSError:
        return  # it has ended


def _open_files(task: str) -> dict[int, int]:
    """Return the bytes of the unnamed files that a task has open or runs, by inode number. Raises OSError."""
    found = {}
    for link in (*(f"{task}/fd/{fd}" for fd in os.listdir(f"{task}/fd")), f"{task}/exe"):
        try:
            target = os.stat(link)
        except FileNotFoundError:
            continue  # closed meanwhile
        if stat.S_ISREG(target.st_mode) and target.st_nlink == 0:
            found[target.st_ino] = target.st_blocks * BLOCK
    return found


def _has_ended(task: str) -> bool:
    """Return whether a thread is a zombie or gone: it holds no files then, and its folder belongs to root."""
    try:
        with open(f"{task}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return True
