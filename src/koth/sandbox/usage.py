"""The total memory and threads of a program, measured from outside, shared memory included."""

from __future__ import annotations

import contextlib
import os

from koth.sandbox.policy import MEGABYTE, Policy
from koth.sandbox.supervised_process import SupervisedProcess

EVERY = 0.05
"""Seconds between two measurements."""
SPARE = 64 * MEGABYTE
"""The tolerance above the memory limit: a limit inside the sandbox stops most programs first, and more cleanly."""

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

HAS_PROC = os.path.isdir("/proc/self")

WANTED = {b"RssAnon:": 0, b"RssShmem:": 0, b"VmSwap:": 0, b"VmPTE:": 0, b"HugetlbPages:": 0, b"Threads:": 1}
MEMORY = b"RssAnon:"
"""The field that only the `status` of a thread with memory has."""
PER_TABLE = 512
"""Pages that one page of a page table maps: tables take at most this fraction of mapped memory."""


class Usage:
    """The usage of one program against its policy, measured repeatedly, so its files stay open.

    With `has_family` its processes count as well: its policy allows them, or nothing prevents them.
    """

    def __init__(self, child: SupervisedProcess, policy: Policy, *, has_family: bool) -> None:
        self._child = child
        self._policy = policy
        self._has_family = has_family
        self._statm = self._tasks = -1
        self._fits = policy.memory // PAGE

    def excess(self) -> str:
        """Return the limit that the program exceeds, as text; empty if none, or if it can't be measured."""
        policy = self._policy
        pid = self._child.program_pid() if HAS_PROC else 0
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
        """Return whether the short statistics of one process suffice to show that it is within its limits.

        They take a tenth of the time of the full ones; they count mapped files as memory, and page tables as full. A
        process whose first thread has ended has none: its mapped memory reads 0.
        """
        if self._statm < 0 and not self._open():
            return False
        try:
            threads = os.fstat(self._tasks).st_nlink - 2  # a folder per thread, and the usual two links
            mapped, pages = os.pread(self._statm, 100, 0).split(None, 2)[:2]
        except (OSError, ValueError):  # the process has ended
            return False
        fits = int(pages) + int(mapped) // PER_TABLE <= self._fits
        return int(mapped) > 0 and threads <= self._policy.tasks and fits

    def _open(self) -> bool:
        pid = self._child.program_pid() if HAS_PROC else 0
        if not pid:
            return False
        try:
            self._tasks = os.open(f"/proc/{pid}/task", os.O_RDONLY | os.O_DIRECTORY)
            self._statm = os.open(f"/proc/{pid}/statm", os.O_RDONLY)
        except OSError:
            self.close()
        return self._statm >= 0

    def close(self) -> None:
        """Close the files."""
        for file in (self._statm, self._tasks):
            if file >= 0:
                os.close(file)
        self._statm = self._tasks = -1


def _of(pid: int) -> tuple[int, int]:
    """Return bytes and threads of one process; zeros if it has ended."""
    found = [0, 0]
    for line in _status(pid).splitlines():
        at = WANTED.get(line.split(None, 1)[0])
        if at is not None:
            found[at] += int(line.split()[1])
    return found[0] * 1024, found[1]


def _status(pid: int) -> bytes:
    """Return the `status` of a process, from a thread whose status has the memory that all its threads share.

    The status of the process itself is its first thread's, which has no memory fields once that thread has ended.
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
    """Return the peak of a process's memory in bytes; 0 if it can't be read."""
    for line in _status(pid).splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
