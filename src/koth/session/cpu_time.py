"""CPU time of a bot's processes, and the time charged for a question, both read from outside the bot.

    charged = max(CPU time of all processes of the bot, wall time - run-queue delay behind other processes)

This module alone reads CPU clocks, the times in `/proc` and `cpu.stat` of cgroups. A `ChargedClock` takes a `Mark` of
one bot; the difference of two marks is arithmetic (`elapsed`, `cpu_between`). Waiting behind threads or processes of
the bot's own is never deducted. Where the system reports none of this, the wall time is charged. All moments and
times are nanoseconds, except those of a `Cost`, which are seconds. docs/clocks.md explains the rules.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from koth.game import Array
from koth.kernel import INT, LONG, foreign, kernel

NANO = 1_000_000_000
SPACE, ZERO = ord(" "), ord("0")
STILL = 0.02
"""Seconds after which a runnable thread that has not run counts as waiting, even if `schedstat` shows no delay."""
SLIGHT = 0.001
"""Seconds of work below which koth does not look for the process or thread that did it."""
LISTED = 0.05
"""Seconds for which a list of a bot's processes is reused: making a new one opens files."""
TICK = NANO // os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 10_000_000

MONOTONIC, THREAD = getattr(time, "CLOCK_MONOTONIC", 0), getattr(time, "CLOCK_THREAD_CPUTIME_ID", 0)
"""The wall clock, and the CPU clock of the calling thread."""

_pread = foreign("pread", LONG, INT, LONG, LONG, LONG)
_clock_gettime = foreign("clock_gettime", INT, INT, LONG)


# -- reading clocks and files of times


def now() -> int:
    """Return the current moment in nanoseconds."""
    return time.clock_gettime_ns(MONOTONIC)


@kernel
def clock_time(clock: int, scratch: Array) -> int:
    """Return the nanoseconds of a clock; -1 if its process has ended."""
    if _clock_gettime(clock, scratch.ctypes.data) != 0:
        return -1
    return int(scratch[0]) * NANO + int(scratch[1])


@kernel
def thread_times(schedstat: int, scratch: Array) -> tuple[int, int]:
    """Read a thread's open `schedstat`: nanoseconds on a core, nanoseconds waiting for one; -1, -1 once the thread
    has ended.
    """
    size = _pread(schedstat, scratch.ctypes.data, 8 * scratch.size, 0)
    run = 0
    wait = 0
    words = 0
    for i in range(size):
        char = int(scratch[i >> 3]) >> 8 * (i & 7) & 0xFF  # (bytes by shifts: an array view takes long to compile)
        if char == SPACE:
            words += 1
        elif words == 0:
            run = run * 10 + char - ZERO
        elif words == 1:
            wait = wait * 10 + char - ZERO
        else:
            return run, wait
    return -1, -1


class RunDelay:
    """The open `schedstat` of a thread, read repeatedly: how long the thread ran, and waited for a core."""

    def __init__(self, path: str) -> None:
        try:
            self.file = os.open(path, os.O_RDONLY)
            """The file descriptor; -1 once nothing can be read from it."""
        except OSError:
            self.file = -1
        self._scratch = np.zeros(16, np.int64)

    def read(self) -> tuple[int, int] | None:
        """Return the nanoseconds on a core and those waiting for one; None if they can't be read any more."""
        run, wait = thread_times(self.file, self._scratch)
        if run < 0:
            self.close()
        return None if run < 0 else (run, wait)

    def close(self) -> None:
        """Close the file."""
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


def clock_of(pid: int) -> int:
    """Return the id of another process's CPU clock, as clock_getcpuclockid computes it."""
    return (~pid << 3) | 2


def cpu_time(pid: int) -> int | None:
    """Return the CPU time of all threads of a process, ended ones included; None if it can't be read."""
    if sys.platform != "linux" or pid <= 0:
        return None
    try:
        return time.clock_gettime_ns(clock_of(pid))
    except OSError:
        return None


def has_run_delay() -> bool:
    """Return whether this system reports for how long threads wait for a core."""
    return os.path.exists("/proc/self/schedstat") and cpu_time(os.getpid()) is not None


def _stat(pid: int) -> list[bytes]:
    """Return the fields of a thread's or process's `stat`, from its state on."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rsplit(b")", 1)[1].split()
    except OSError:
        return []


def _reaped(pid: int) -> int:
    """Return the CPU time of a process's ended children that it has waited for."""
    fields = _stat(pid)
    return (int(fields[13]) + int(fields[14])) * TICK if len(fields) > 14 else 0


def _born(tid: int) -> int:
    """Return the latest possible moment of a thread's start; -1 if it can't be read."""
    fields = _stat(tid)
    if len(fields) < 20 or not hasattr(time, "CLOCK_BOOTTIME"):
        return -1
    age = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - int(fields[19]) * TICK
    return now() - age + TICK


def _all_threads(pids: Iterable[int]) -> dict[int, tuple[int, int]]:
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


# -- costs


@kernel
def charged(wall: float, cpu: float, run_delay: float) -> float:
    """Return the time that counts against the budget."""
    return max(cpu, wall - run_delay)


@kernel
def behind_others(waited: float, ran: float, cpu: float) -> float:
    """Return the least time for which a thread waited while no thread of its bot ran.

    The thread itself ran for `ran` and all threads of the bot for `cpu`, so it waited behind its own bot for at most
    their difference.
    """
    return max(0.0, waited - max(0.0, cpu - ran))


class Cost(NamedTuple):
    """The cost of a question in seconds: wall time, CPU time on all cores, and time waiting for other processes or
    for koth.
    """

    wall: float = 0.0
    cpu: float = 0.0
    run_delay: float = 0.0

    @property
    def charged(self) -> float:
        """The time that counts against the budget."""
        return charged(*self)


COST_ROW = np.dtype([("seat", "i8"), ("turn", "i8"), ("wall", "f8"), ("cpu", "f8"), ("run_delay", "f8")])
"""The cost of one question for one bot: seat, turn, and the three numbers of a `Cost`."""


class CostLog:
    """The cost of each question of a match, in order.

    `rows` has the turn and the three numbers of a `Cost` (float64[questions, 4]).
    """

    def __init__(self, rows: Array | None = None) -> None:
        self.rows = np.zeros((0, 4)) if rows is None else rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[int, Cost]]:
        for turn, *cost in self.rows.tolist():
            yield int(turn), Cost(*cost)

    def table(self) -> Array:
        """Return turn, charged, wall and run delay of each question (float64[questions, 4])."""
        turn, wall, cpu, run_delay = self.rows.T
        return np.column_stack([turn, np.maximum(cpu, wall - run_delay), wall, run_delay])


# -- marks


class CpuTime(NamedTuple):
    """The CPU time that a bot's processes have used until a moment; see `cpu_between`."""

    living: Mapping[int, int] = MappingProxyType({})
    """CPU time of each living process."""
    ended: int = 0
    """CPU time of ended children that their parent has waited for; not read where there is a cgroup."""
    cgroup: int = 0
    """CPU time of all processes that were ever in the bot's cgroup; 0 without a cgroup."""


class ThreadTimes(NamedTuple):
    """The times of one thread at a moment."""

    run: int = 0
    wait: int = 0
    life: int = 0
    """The moment at which the thread was first seen; another value means another thread with the same id."""
    born: int = -1
    """The moment at which the thread was started; -1 if unknown."""


class Mark(NamedTuple):
    """The CPU time and waiting time of one bot until the moment `at`."""

    at: int
    cpu: CpuTime = CpuTime()
    threads: Mapping[int, ThreadTimes] = MappingProxyType({})
    """The threads whose waiting is deducted, by id."""
    debt: int = 0
    """CPU time that was used before this mark and is charged from it on."""


def cpu_between(begin: CpuTime, end: CpuTime) -> int:
    """Return the CPU time of all processes of a bot between two readings.

    A cgroup counts all of it, but running threads up to a tick late; the sum over the processes counts if it is more.
    """
    seen = max(0, end.ended - begin.ended)
    for pid, cpu in end.living.items():
        before = begin.living.get(pid, cpu if end.cgroup else 0)
        seen += max(0, cpu - before)
    return max(seen, end.cgroup - begin.cgroup)


def elapsed(begin: Mark, end: Mark, answered: int | None = None) -> Cost:
    """Return the cost of a bot's work between two marks.

    Time from the moment `answered` on was spent waiting for koth, and is deducted.
    """
    wall = end.at - begin.at
    cpu = cpu_between(begin.cpu, end.cpu)
    delay = 0.0
    for tid, thread in end.threads.items():
        if (before := _before(begin, tid, thread)) is not None:
            delay = max(delay, behind_others(thread.wait - before.wait, thread.run - before.run, cpu))
    if answered is not None:
        delay += end.at - max(answered, begin.at)
    return Cost((wall + begin.debt) / NANO, (cpu + begin.debt) / NANO, min(delay, wall) / NANO)


def _before(begin: Mark, tid: int, thread: ThreadTimes) -> ThreadTimes | None:
    """Return a thread's times at an earlier mark: zeros if it was started since, None if they are unknown."""
    before = begin.threads.get(tid)
    if before is not None and before.life == thread.life:
        return before
    return ThreadTimes() if thread.born >= begin.at else None


class _Sighting(NamedTuple):
    """The last reading of a thread's `schedstat`, and the moment since which it has not changed."""

    run: int
    wait: int
    begun: int
    """The moment before the reading."""
    since: int
    life: int
    born: int


def _sight(tid: int, last: _Sighting | None, run: int, wait: int, begun: int, moment: int) -> tuple[_Sighting, int]:
    """Return the new sighting of a thread, and the time that it has waited beyond its `schedstat`.

    A thread that seems to have waited longer than the time between two readings is another one with the same id: its
    earlier times are dropped.
    """
    if last is None:
        return _Sighting(run, wait, begun, moment, moment, _born(tid)), 0
    if wait - last.wait > moment - last.begun:
        return _Sighting(run, wait, begun, moment, moment, -1), 0
    if (run, wait) != (last.run, last.wait):
        return _Sighting(run, wait, begun, moment, last.life, last.born), 0
    stuck = moment - last.since
    if stuck <= STILL * NANO:
        return last._replace(begun=begun), 0
    is_waiting = _stat(tid)[:1] == [b"R"]
    return last._replace(begun=begun, since=last.since if is_waiting else moment), stuck if is_waiting else 0


# -- the clock


class ChargedClock:
    """The clock of one bot: takes marks of the time that its processes have used.

    `main` returns the bot's main process in koth's numbering, 0 while there is none. A bot that may start processes
    has a `family`: a function that returns all of them, and the process that reaps orphans (0: unknown). `cgroup` is
    the folder of the cgroup that holds them from their first instruction on; its `cpu.stat` then counts all their CPU
    time. Without a cgroup, an ended process counts if its parent has waited for it, a living one always.

    Only the thread that did most of the work is watched for waiting, until it ends or stops working; then all threads
    are watched. `birth` is the mark of the bot's start, at the moment `born`.
    """

    def __init__(
        self,
        main: Callable[[], int],
        family: Callable[[], tuple[list[int], int]] | None = None,
        cgroup: str = "",
        born: int = 0,
    ) -> None:
        self._main = main
        self._family = family
        self._cgroup = os.open(f"{cgroup}/cpu.stat", os.O_RDONLY) if cgroup else -1
        self.birth = Mark(born)
        self._used = CpuTime()
        """The last reading of ended processes and of the cgroup; its `living` is not used."""
        self._pids: list[int] = []
        self._reaper = 0
        self._listed = 0
        self._seen: dict[int, _Sighting] = {}
        self._busiest = 0
        self._delay: RunDelay | None = None

    @property
    def has_family(self) -> bool:
        """True if the bot may start processes, which are charged as well."""
        return self._family is not None

    @property
    def watches_one(self) -> bool:
        """True if only one thread is watched; `handles` are its clock and `schedstat`."""
        return self._delay is not None

    def mark(self, *, relist: bool = False) -> Mark:
        """Take a mark; with `relist`, include processes that were started within the last `LISTED` seconds."""
        at = now()
        return Mark(at, self.cpu(relist=relist), self._threads())

    def cpu(self, *, relist: bool = False) -> CpuTime:
        """Return the CPU time of a mark without its threads, which cost more to read."""
        living = {pid: cpu for pid in self.pids(relist=relist) if (cpu := cpu_time(pid)) is not None}
        self._read_ended()
        return CpuTime(living, self._used.ended, self._used.cgroup)

    def pids(self, *, relist: bool = False) -> list[int]:
        """Return the bot's processes; see `mark`."""
        if self._family is None:
            return [pid] if (pid := self._main()) else []
        if relist or not self._pids or now() - self._listed > LISTED * NANO:
            self._pids, self._reaper = self._family()
            self._listed = now()
        return self._pids

    def _read_ended(self) -> None:
        """Read the CPU time of ended processes."""
        if self._cgroup >= 0:
            with contextlib.suppress(OSError):  # removed with its last process: the last reading holds
                self._used = CpuTime(cgroup=1000 * int(os.pread(self._cgroup, 64, 0).split(None, 2)[1]))
        elif self._family is not None:
            self._used = CpuTime(ended=sum(map(_reaped, {*self._pids, self._reaper})))

    # -- marks whose times a kernel reads

    def handles(self) -> tuple[int, int]:
        """Return CPU clock and `schedstat` of the one thread that does all the work, for `mark_of`; -1, -1 if there
        is none.
        """
        if self._delay is None or self._delay.file < 0:
            return -1, -1
        if self._family is not None:
            is_old = now() - self._listed > LISTED * NANO
            if len(self.pids()) > 1:
                return -1, -1
            if is_old or self._cgroup >= 0:
                self._read_ended()
        return clock_of(self._main()), self._delay.file

    def mark_of(self, at: int, cpu: int, run: int, wait: int) -> Mark:
        """Make a mark of the times read from the `handles` at the moment `at`."""
        seen = self._seen.get(self._busiest) or _Sighting(0, 0, at, at, at, -1)
        self._seen = {self._busiest: seen._replace(run=run, wait=wait, begun=at, since=at)}
        threads = {self._busiest: ThreadTimes(run, wait, seen.life, seen.born)}
        return Mark(at, self._used._replace(living={self._main(): cpu}), threads)

    # -- threads

    def follow(self, begin: Mark, end: Mark) -> None:
        """Watch only the thread that did most of the work between these marks, or all threads if no thread did."""
        self._read_ended()
        cpu = cpu_between(begin.cpu, end.cpu)
        if cpu < SLIGHT * NANO and self._busiest:
            return
        before = {tid: _before(begin, tid, thread) for tid, thread in end.threads.items()}
        work = {tid: end.threads[tid].run - was.run for tid, was in before.items() if was is not None}
        busiest = max(work, key=lambda tid: work[tid], default=0)
        if not busiest or work[busiest] < cpu / 2:
            if cpu < SLIGHT * NANO:
                return
            busiest = 0
        if busiest != self._busiest:
            self.watch_all()
            self._busiest = busiest
            self._delay = RunDelay(f"/proc/{busiest}/schedstat") if busiest else None

    def watch_all(self) -> None:
        """Watch all threads from now on."""
        if self._delay is not None:
            self._delay.close()
        self._delay, self._busiest = None, 0

    def close(self) -> None:
        """Close the open files."""
        self.watch_all()
        if self._cgroup >= 0:
            os.close(self._cgroup)
            self._cgroup = -1

    def _threads(self) -> dict[int, ThreadTimes]:
        """Return the times of the watched threads."""
        begun = now()
        times = self._delay.read() if self._delay is not None else None
        if times is None:
            self.watch_all()
        found = _all_threads(self.pids()) if times is None else {self._busiest: times}
        moment = now()
        last, self._seen, threads = self._seen, {}, {}
        for tid, (run, wait) in found.items():
            seen, stuck = _sight(tid, last.get(tid), run, wait, begun, moment)
            self._seen[tid] = seen
            threads[tid] = ThreadTimes(run, wait + stuck, seen.life, seen.born)
        return threads
