"""The CPU time of one bot, read from outside the bot, and whether the bot sleeps. Moments and times are nanoseconds.

This module alone reads CPU clocks, the times in `/proc` and the states of threads. docs/clocks.md explains the rules.
"""

from __future__ import annotations

import contextlib
import functools
import os
import random
import sys
import time
from collections.abc import Callable

from koth.sandbox.supervised_process import SupervisedProcess

NANO = 1_000_000_000
TICK = NANO // os.sysconf("SC_CLK_TCK")
EXITING = 4
"""Linux's flag of a process that executes no more code of its own."""
LOOK_SECONDS = 0.25
"""The mean time between two looks at a silent bot, in seconds; each look stands for this time."""
READINGS = 3
"""The readings of a look: work may pass from thread to thread while threads are read one after the other."""
OWN_RANDOM = random.Random()
"""The source of random times, separate from the caller's `random`."""

now = time.monotonic_ns
"""Return the current time in nanoseconds."""


def draw_look() -> int:
    """Return the time until the next look: exponential, so that the past tells nothing about the next moment."""
    return int(OWN_RANDOM.expovariate(1 / LOOK_SECONDS) * NANO)


def clock_of(pid: int) -> int:
    """Return the id of another process's CPU clock, as clock_getcpuclockid computes it."""
    return (~pid << 3) | 2


def cpu_time(pid: int) -> int:
    """Return the CPU time of all threads of a process, ended threads included; 0 if the time can't be read."""
    try:
        return time.clock_gettime_ns(clock_of(pid)) if pid > 0 else 0
    except OSError:
        return 0


def read_stat(pid: int, tid: int | None = None) -> list[bytes]:
    """Return the fields of the `stat` of a process or thread, from the state on; empty if unreadable."""
    try:
        with open(f"/proc/{pid}/stat" if tid is None else f"/proc/{pid}/task/{tid}/stat", "rb", 0) as stat:
            return stat.read().rsplit(b")", 1)[1].split()
    except OSError:
        return []


@functools.cache
def has_cpu_clocks() -> bool:
    """Return whether this system reports CPU times and states of other processes; if not, koth charges wall time."""
    return sys.platform == "linux" and cpu_time(os.getpid()) > 0 and bool(read_stat(os.getpid()))


def waited_time(pid: int) -> int:
    """Return the CPU time of the ended children for which a process has waited."""
    fields = read_stat(pid)
    return (int(fields[13]) + int(fields[14])) * TICK if len(fields) > 14 else 0


def threads_of(pid: int) -> list[int]:
    """Return the thread ids of a process; none once the process has ended."""
    try:
        return [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def is_ending(pid: int) -> bool:
    """Return whether all threads of a process have ended or are ending.

    The end closes the process's files before anybody can wait for the process.
    """
    for fields in (read_stat(pid, tid) for tid in threads_of(pid)):
        if len(fields) >= 7 and fields[0] not in (b"Z", b"X") and not int(fields[6]) & EXITING:
            return False
    return True


class CpuClock:
    """The clock of one bot: the CPU time of all its processes, and whether they sleep.

    `main` returns the number of the bot's main process, as koth sees it; 0 before the bot's program begins. For a bot
    that may start processes, `family` returns all the bot's processes, and the process that reaps orphans (0:
    unknown). `cgroup` is the folder of the cgroup that holds all processes from their first instruction on; its
    `cpu.stat` then counts all CPU time. Without a cgroup, a living process counts, and an ended process whose parent
    has waited for it. Raises OSError for an unreadable cgroup.
    """

    def __init__(
        self, main: Callable[[], int], family: Callable[[], tuple[list[int], int]] | None = None, cgroup: str = ""
    ) -> None:
        self._main = main
        self._family = family
        self._cgroup = os.open(f"{cgroup}/cpu.stat", os.O_RDONLY) if cgroup else -1
        self._clock: int | None = None if has_cpu_clocks() else time.CLOCK_MONOTONIC
        """The clock of a bot's only process, once there is one; of wall time where there are no CPU clocks."""
        self._last = 0
        """The last reading."""

    @classmethod
    def of_child(cls, child: SupervisedProcess, *, has_family: bool = True) -> CpuClock:
        """Make the clock of a program; with `has_family` all processes that the program starts are counted."""

        def main() -> int:
            return child.program_pid() if child.began_at() else 0

        if not has_family:
            return cls(main)
        cgroup = str(child.cgroup.folder) if child.cgroup is not None else ""
        return cls(main, lambda: (child.pids(), child.supervisor_pid()), cgroup)

    def read(self) -> int:
        """Return the CPU time so far; the last reading once the processes have ended."""
        try:
            if self._clock is not None:
                self._last = time.clock_gettime_ns(self._clock)
            else:
                self._last = max(self._last, self._read_family() if self._family is not None else self._read_first())
        except OSError:
            pass  # they have ended
        return self._last

    def _read_first(self) -> int:
        if pid := self._main():
            self._clock = clock_of(pid)
        return cpu_time(pid)

    def _read_family(self) -> int:
        assert self._family is not None
        if self._cgroup >= 0:
            with contextlib.suppress(OSError):  # removed with its last process
                return 1000 * int(os.pread(self._cgroup, 64, 0).split(None, 2)[1])
            return 0
        pids, reaper = self._family()
        return sum(map(cpu_time, pids)) + sum(map(waited_time, {*pids, reaper}))

    def is_asleep(self) -> bool:
        """Return whether no thread of the bot runs or waits for a core, in three readings.

        Only the state R shows work: a thread can stay in state D for as long as it likes. A bot whose program has not
        begun is not asleep, because koth is still making its process.
        """
        return not any(self._is_runnable() for _ in range(READINGS))

    def _is_runnable(self) -> bool:
        main = self._main()
        pids = [main] if self._family is None or not main else self._family()[0]
        return not main or any(read_stat(pid, tid)[:1] == [b"R"] for pid in pids for tid in threads_of(pid))

    def close(self) -> None:
        """Close the open file."""
        if self._cgroup >= 0:
            os.close(self._cgroup)
            self._cgroup = -1


def describe_wait(waited: float, wall: float) -> str:
    """Return how many seconds a program was kept waiting for a core, as text."""
    return f"waited {waited:.1f} of {wall:.1f} s for other processes of this machine"


class Stopwatch:
    """The time of a build or of an author's command: wall time less the time kept waiting for a core.

    The owner calls `is_over` again and again; looks happen at random moments.
    """

    def __init__(self, clock: CpuClock) -> None:
        self._clock = clock
        self._begun = now()
        self._look_at = self._begun + draw_look()
        self._runnable = 0
        """The number of looks that found a thread running or waiting for a core."""

    @property
    def wall(self) -> float:
        """The wall time in seconds."""
        return (now() - self._begun) / NANO

    @property
    def waited(self) -> float:
        """The time kept waiting for a core, in seconds, as the looks say; computing is not waiting."""
        return max(0.0, self._runnable * LOOK_SECONDS - self._clock.read() / NANO) if has_cpu_clocks() else 0.0

    @property
    def seconds(self) -> float:
        """The time that counts: at least a third of the wall time."""
        return max(self.wall - self.waited, self.wall / 3)

    def is_over(self, limit: float) -> bool:
        """Return whether `limit` seconds are used up, after a look if one is due."""
        if now() >= self._look_at:
            self._runnable += not self._clock.is_asleep()
            self._look_at = now() + draw_look()
        return self.wall > limit and self.seconds > limit

    def describe_wait(self) -> str:
        """Return how long the program was kept waiting, as text."""
        return describe_wait(self.waited, self.wall)

    @property
    def is_overloaded(self) -> bool:
        """True if the program was kept waiting for most of the time, so that its lateness is the machine's fault."""
        return self.waited > self.wall / 2
