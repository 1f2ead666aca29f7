"""The memory and threads that a program uses in all, looked up from outside, shared memory included."""

from __future__ import annotations

import contextlib
import os

from koth.sandbox.policy import MEGABYTE, Policy
from koth.sandbox.supervised_process import SupervisedProcess

EVERY = 0.05
"""Seconds between two looks."""
SPARE = 64 * MEGABYTE
"""So much more than its limit may be seen: a limit inside stops most programs first, and more cleanly."""

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

TOLD = os.path.isdir("/proc/self")

WANTED = {b"RssAnon:": 0, b"RssShmem:": 0, b"VmSwap:": 0, b"VmPTE:": 0, b"HugetlbPages:": 0, b"Threads:": 1}
MEMORY = b"RssAnon:"
"""What the `status` of a thread tells that has memory."""
PER_TABLE = 512
"""What a page of a table tells of so many others: so much less than what is mapped do tables take, at most."""


class Usage:
    """The usage of one program against its policy; it is looked at again and again, so its files stay open.

    With `has_family` it may start processes, which count as well: its policy allows them, or nothing hinders it.
    """

    def __init__(self, child: SupervisedProcess, policy: Policy, *, has_family: bool) -> None:
        self._child = child
        self._policy = policy
        self._has_family = has_family
        self._statm = self._tasks = -1
        self._fits = policy.memory // PAGE

    def excess(self) -> str:
        """Return which of its limits the program exceeds, in words; empty if none, or where it can't be seen."""
        policy = self._policy
        pid = self._child.program_pid() if TOLD else 0
        if not pid:
            return ""
        pids = self._child.pids() if self._has_family else [pid]
        if pids == [pid] and self._is_modest():
            return ""
        memory = tasks = 0
        for one in pids:
            used = _of(one)
            memory += used[0]
            tasks += used[1]
        if memory > policy.memory + SPARE:
            return f"it used {memory // MEGABYTE} MB of memory; {policy.memory // MEGABYTE} are allowed"
        if tasks > policy.tasks:
            return f"it had {tasks} threads; {policy.tasks} are allowed"
        return ""

    def _is_modest(self) -> bool:
        """Return whether the short account of one process already shows that it is within its limits.

        It is a tenth of the work of the full one; files that it has mapped count as memory here, and tables as if
        they were full. A process whose first thread has ended has no short account: it maps nothing, by that.
        """
        if self._statm < 0 and not self._open():
            return False
        try:
            threads = os.fstat(self._tasks).st_nlink - 2  # a folder for each, and the usual two links
            mapped, pages = os.pread(self._statm, 100, 0).split(None, 2)[:2]
        except (OSError, ValueError):  # it has ended
            return False
        fits = int(pages) + int(mapped) // PER_TABLE <= self._fits
        return int(mapped) > 0 and threads <= self._policy.tasks and fits

    def _open(self) -> bool:
        pid = self._child.program_pid() if TOLD else 0
        if not pid:
            return False
        try:
            self._tasks = os.open(f"/proc/{pid}/task", os.O_RDONLY | os.O_DIRECTORY)
            self._statm = os.open(f"/proc/{pid}/statm", os.O_RDONLY)
        except OSError:
            self.close()
        return self._statm >= 0

    def close(self) -> None:
        """Give back the files."""
        for file in (self._statm, self._tasks):
            if file >= 0:
                os.close(file)
        self._statm = self._tasks = -1


def _of(pid: int) -> tuple[int, int]:
    """Return bytes and threads of one process; of one that is gone, none."""
    found = [0, 0]
    for line in _status(pid).splitlines():
        at = WANTED.get(line.split(None, 1)[0])
        if at is not None:
            found[at] += int(line.split()[1])
    return found[0] * 1024, found[1]


def _status(pid: int) -> bytes:
    """Return the `status` of a process that tells of its memory, which all its threads share, if one does.

    That of the process itself is its first thread's, and tells nothing once that has ended, though others go on.
    """
    status = _read(f"/proc/{pid}/status")
    if MEMORY in status:
        return status
    with contextlib.suppress(OSError):
        for tid in os.listdir(f"/proc/{pid}/task"):
            if MEMORY in (other := _read(f"/proc/{pid}/task/{tid}/status")):
                return other
    return status


def _read(path: str) -> bytes:
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read()
    return b""


def peak_memory(pid: int) -> int:
    """Return the most bytes that a process has had in memory; 0 if it can't be told."""
    for line in _status(pid).splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
