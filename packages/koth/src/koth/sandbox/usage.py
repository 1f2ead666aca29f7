"""The total memory and threads of a program, measured from outside, shared memory included."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping

from koth.sandbox.policy import MEGABYTE, SandboxPolicy
from koth.sandbox.proc_status import read_status
from koth.sandbox.supervised_process import SupervisedProcess

SPARE = 64 * MEGABYTE
"""The tolerance above the memory limit: a limit in the sandbox stops most programs first, and more cleanly."""

PAGE = os.sysconf("SC_PAGE_SIZE")

HAS_PROC = os.path.isdir("/proc/self")

MEMORY_FIELD = b"RssAnon"
"""A field of `status` that only a thread with memory has."""
COUNTED_FIELDS = (MEMORY_FIELD, b"RssShmem", b"VmSwap", b"VmPTE", b"HugetlbPages")
"""The fields whose sum is the memory of a process."""
LISTINGS = 10
"""The largest number of listings of a process's threads: a listed thread may end before its `status` is read."""
PER_TABLE = 512
"""Pages that one page of a page table maps: tables take at most this fraction of mapped memory."""


class Usage:
    """The usage of one program against its policy, measured repeatedly, so the files in /proc stay open.

    With `has_family` child processes count as well: the policy allows children, or nothing prevents them.
    """

    def __init__(self, child: SupervisedProcess, policy: SandboxPolicy, *, has_family: bool) -> None:
        self._child = child
        self._policy = policy
        self._has_family = has_family
        self._statm = self._tasks = -1
        self._fits = policy.memory // PAGE
        self._used: dict[int, tuple[int, int]] = {}
        """The last reading of each process: bytes and threads."""

    def find_excess(self) -> str:
        """Return the limit that the program exceeds, as text; empty if there is none, or nothing can be measured."""
        policy = self._policy
        pid = self._child.program_pid() if HAS_PROC else 0
        if not pid:
            return ""
        pids = self._child.pids() if self._has_family else [pid]
        if pids == [pid] and self._is_modest():
            return ""
        self._used = {one: self._measure(one) for one in pids}
        memory = sum(used for used, _ in self._used.values()) + self._file_bytes(pid)
        tasks = sum(threads for _, threads in self._used.values())
        if memory > policy.memory + SPARE:
            return f"used {memory // MEGABYTE} MB of memory; {policy.memory // MEGABYTE} are allowed"
        if tasks > policy.tasks:
            return f"had {tasks} threads; {policy.tasks} are allowed"
        return ""

    def _file_bytes(self, pid: int) -> int:
        """Return the bytes of the files in the program's own /tmp, which take memory; 0 if /tmp can't be read.

        Mapped files count twice: no field of a process distinguishes them from other shared memory. Before
        the program has entered its sandbox, this /tmp is the host's, of another size.
        """
        if self._child.has_files:
            with contextlib.suppress(OSError):
                folder = os.statvfs(f"/proc/{pid}/root/tmp")
                if folder.f_blocks * folder.f_frsize == self._policy.temporary:
                    return (folder.f_blocks - folder.f_bfree) * folder.f_frsize
        return 0

    def _measure(self, pid: int) -> tuple[int, int]:
        """Return bytes and threads of a process: zeros after its end, the last reading if reading fails."""
        try:
            status = _read_status(pid)
            return sum(_field_bytes(status, name) for name in COUNTED_FIELDS), int(status[b"Threads"])
        except (FileNotFoundError, ProcessLookupError):
            return 0, 0
        except (OSError, ValueError, LookupError):
            return self._used.get(pid, (0, 0))

    def _is_modest(self) -> bool:
        """Return whether the short statistics of one process suffice to show that it is within its limits.

        Short statistics take a tenth of the time of full ones; they count mapped files as memory, and page tables as
        full. If the first thread of a process has ended, the short statistics are invalid: mapped memory reads 0.
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


def _read_status(pid: int) -> dict[bytes, bytes]:
    """Return the `status` of a process, from a thread whose status has the memory that all its threads share.

    The status of the process itself is its first thread's, which has no memory fields once the first thread has
    ended. Raises OSError, and LookupError for a process whose threads end before they can be read.
    """
    status = read_status(f"/proc/{pid}")
    if MEMORY_FIELD in status or int(status[b"Threads"]) < 2:
        return status
    for _ in range(LISTINGS):
        for tid in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                if MEMORY_FIELD in (other := read_status(f"/proc/{pid}/task/{tid}")):
                    return other
    raise LookupError(f"no thread of process {pid} can be read")


def _field_bytes(status: Mapping[bytes, bytes], name: bytes) -> int:
    return int(status[name].split()[0]) * 1024 if name in status else 0


def peak_memory(pid: int) -> int:
    """Return the peak of a process's memory in bytes; 0 if it can't be read."""
    with contextlib.suppress(OSError, ValueError, LookupError):
        return _field_bytes(_read_status(pid), b"VmHWM")
    return 0
