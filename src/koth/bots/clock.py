"""What a question costs a bot: its time without the time in which others held its core.

    charged = max(CPU time of the whole bot, wall time - time it was runnable while other processes ran)

Waiting behind threads or processes of its own is never taken off. Where the system does not tell these
things (no `/proc`, no process clocks), the wall time is charged.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

GRACE = 0.002
"""Seconds after which the threads of a bot are looked at: most answers are there sooner, and cost nothing."""
STILL = 0.02
"""A thread that could run and has not for so long is waiting for its turn, though the system has not said so."""
TICK = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01


def tells_queues() -> bool:
    """Whether this system says how long threads wait for a core."""
    return os.path.exists("/proc/self/schedstat") and cpu_time(os.getpid()) is not None


class Spent(NamedTuple):
    """Seconds of one question: by the wall clock, of all cores, and waiting for a core that others held."""

    wall: float
    cpu: float
    queue: float

    @property
    def charged(self) -> float:
        """What counts against the budget."""
        return max(self.cpu, self.wall - self.queue)


def cpu_time(pid: int) -> float | None:
    """Seconds that all threads of a process, ended ones too, have held a core; None if it can't be told."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the clock of another process, as clock_getcpuclockid makes it
    except OSError:
        return None


class _Thread(NamedTuple):
    """One thread as the scheduler sees it, and since when it has been seen like this."""

    run: int
    wait: int
    since: float


Look = dict[int, _Thread]
"""Threads by number."""


class Clock:
    """The clock of one bot. `program` gives its process as the host numbers it, 0 if there is none.

    With `family`, processes that it has started count as well.
    """

    def __init__(self, program: Callable[[], int], *, family: bool) -> None:
        self._program = program
        self._family = family
        self._begun = 0.0
        self._cpu: dict[int, float] = {}
        self._base_at = 0.0
        self._base_cpu = 0.0
        self._base: Look | None = None
        self._seen: Look = {}
        self._reaped = 0.0

    def start(self) -> None:
        """A question is put to it now."""
        self._cpu = {pid: self._cpu_of(pid) for pid in self._pids(self._cpu)}
        self._base = None
        self._seen = {}
        self._reaped = 0.0
        self._begun = time.perf_counter()

    def start_new(self) -> None:
        """Its process is started now: all that is ever seen of it counts."""
        self._cpu = {}
        self._base = {}
        self._base_cpu = 0.0
        self._reaped = 0.0
        self._seen = {}
        self._begun = time.perf_counter()

    @property
    def wall(self) -> float:
        """Seconds since the question."""
        return time.perf_counter() - self._begun

    def look(self) -> None:
        """Begin to watch its threads; a question that is over sooner has no queue."""
        if self._base is None:
            pids = self._pids(())
            for pid in pids:
                self._cpu.setdefault(pid, self._cpu_of(pid))
            self._base = self._seen = _threads(pids, {})
            self._base_cpu = self._total(pids)
            self._reaped = sum(map(_reaped, pids)) if self._family else 0.0

    def read(self) -> Spent:
        """What the question has cost so far."""
        wall = self.wall
        if self._base is None:
            return Spent(wall, self._total(self._cpu), 0.0)
        pids = self._pids(())
        cpu = self._total(pids)
        if self._family:
            cpu += max(0.0, sum(map(_reaped, pids)) - self._reaped)
        self._seen = _threads(pids, self._seen)
        queue = self._queue(cpu - self._base_cpu)
        return Spent(wall, cpu, min(queue, wall))

    def pids(self) -> list[int]:
        """Its processes."""
        return self._pids(())

    def _queue(self, cpu: float) -> float:
        """How long, at least, one of its threads waited while no thread of its own ran.

        A thread waited behind its own kind for no longer than they held a core; what is more, others held.
        """
        assert self._base is not None
        most = 0.0
        now = time.perf_counter()
        for tid, thread in self._seen.items():
            before = self._base.get(tid)
            run, wait = (before.run, before.wait) if before else (0, 0)
            waited = (thread.wait - wait) / 1e9
            if now - thread.since > STILL and _is_runnable(tid):
                waited += now - thread.since
            own = max(0.0, cpu - (thread.run - run) / 1e9)
            most = max(most, waited - own)
        return most

    def _total(self, pids: Iterable[int]) -> float:
        """Seconds of all cores since the question."""
        return sum(max(0.0, self._cpu_of(pid) - self._cpu.get(pid, 0.0)) for pid in pids)

    def _cpu_of(self, pid: int) -> float:
        return cpu_time(pid) or 0.0

    def _pids(self, known: Iterable[int]) -> list[int]:
        """Its processes: those known if there are any, else the program and, with `family`, all below it."""
        program = self._program()
        if not program:
            return []
        known = list(known)
        if program in known:
            return known
        return descendants(program) if self._family else [program]


def descendants(pid: int) -> list[int]:
    """A process and all that it and they have started, as far as the system tells."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for tid in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{tid}/children", "rb") as children:
                    found += [int(word) for word in children.read().split()]
    return found


def _threads(pids: Iterable[int], before: Look) -> Look:
    """All threads of these processes; `since` is kept of those that have not moved since `before`."""
    now = time.perf_counter()
    found: Look = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for tid in map(int, os.listdir(f"/proc/{pid}/task")):
                with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{tid}/schedstat", "rb") as file:
                    run, wait, _ = map(int, file.read().split())
                    last = before.get(tid)
                    still = last is not None and (last.run, last.wait) == (run, wait)
                    found[tid] = _Thread(run, wait, last.since if still and last else now)
    return found


def _is_runnable(tid: int) -> bool:
    return _stat(tid)[:1] == [b"R"]


def _reaped(pid: int) -> float:
    """Seconds that children of a process held a core which have ended since."""
    fields = _stat(pid)
    return (int(fields[13]) + int(fields[14])) * TICK if len(fields) > 14 else 0.0


def _stat(pid: int) -> list[bytes]:
    """The fields of a thread's or process's `stat` from its state on."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rsplit(b")", 1)[1].split()
    except OSError:
        return []


def peak_memory(pid: int) -> int:
    """The most bytes that a process has had in memory; 0 if it can't be told."""
    with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/status", "rb") as status:
        for line in status:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0
