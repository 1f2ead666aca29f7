"""CPU clocks and times of processes and threads, as the system reports them.

This module alone reads CPU clocks and the times in `/proc`. All moments and times are nanoseconds.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable

NANO = 1_000_000_000
TICK = NANO // os.sysconf("SC_CLK_TCK")
EXITING = 4
"""Linux's flag of a process that executes no more code of its own."""

now = time.monotonic_ns
"""Return the current time in nanoseconds."""


class RunDelay:
    """The open `schedstat` of a thread, read repeatedly: the time on a core, and the time waiting for a core.

    The open file belongs to this thread, even if another thread gets the same number later.
    """

    def __init__(self, path: str) -> None:
        try:
            self.file = os.open(path, os.O_RDONLY)
            """The file descriptor; -1 once reading has failed."""
        except OSError:
            self.file = -1

    def read(self) -> tuple[int, int] | None:
        """Return the nanoseconds on a core and waiting for a core; None once they can't be read."""
        try:
            run, wait, _ = os.pread(self.file, 64, 0).split()
        except (OSError, ValueError):
            self.close()
            return None
        return int(run), int(wait)

    def close(self) -> None:
        """Close the file."""
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


def clock_of(pid: int) -> int:
    """Return the id of another process's CPU clock, as clock_getcpuclockid computes it."""
    return (~pid << 3) | 2


def cpu_time(pid: int) -> int | None:
    """Return the CPU time of all threads of a process, ended threads included; None if the time can't be read."""
    if sys.platform != "linux" or pid <= 0:
        return None
    try:
        return time.clock_gettime_ns(clock_of(pid))
    except OSError:
        return None


def has_run_delay() -> bool:
    """Return whether this system reports how long threads wait for a core."""
    return os.path.exists("/proc/self/schedstat") and cpu_time(os.getpid()) is not None


def read_stat(pid: int) -> list[bytes]:
    """Return the fields of a thread's or process's `stat`, beginning with the state; empty if unreadable."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rsplit(b")", 1)[1].split()
    except OSError:
        return []


def reaped_time(pid: int) -> int:
    """Return the CPU time of the ended children for which a process has waited."""
    fields = read_stat(pid)
    return (int(fields[13]) + int(fields[14])) * TICK if len(fields) > 14 else 0


def is_runnable(tid: int) -> bool:
    """Return whether a thread is on a core or waits for a core."""
    return read_stat(tid)[:1] == [b"R"]


def is_ending(pid: int) -> bool:
    """Return whether all threads of a process have ended or are ending.

    The end closes the process's files before anybody can wait for the process.
    """
    try:
        return all(_thread_is_ending(int(tid)) for tid in os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return True


def _thread_is_ending(tid: int) -> bool:
    fields = read_stat(tid)
    return len(fields) < 7 or fields[0] in (b"Z", b"X") or bool(int(fields[6]) & EXITING)


def read_birth(tid: int) -> int:
    """Return the latest possible moment of a thread's start; -1 if the start can't be read."""
    fields = read_stat(tid)
    if len(fields) < 20 or not hasattr(time, "CLOCK_BOOTTIME"):
        return -1
    age = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - int(fields[19]) * TICK
    return now() - age + TICK


def read_all_threads(pids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return run time and waiting time of all threads of these processes, by thread id."""
    found: dict[int, tuple[int, int]] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for tid in map(int, os.listdir(f"/proc/{pid}/task")):
                delay = RunDelay(f"/proc/{pid}/task/{tid}/schedstat")
                if (times := delay.read()) is not None:
                    found[tid] = times
                delay.close()
    return found
