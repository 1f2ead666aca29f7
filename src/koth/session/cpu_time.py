"""CPU time of a bot's processes, and the time charged for a question, both read from outside the bot.

    charged = max(CPU time of all processes of the bot, wall time - run-queue delay behind other processes)

This module alone reads CPU clocks, the times in `/proc` and `cpu.stat` of cgroups. A `ChargedClock` takes a `Mark` of
one bot; the difference of two marks is arithmetic (`elapsed`, `cpu_between`). Waiting behind threads or processes of
the bot's own is never deducted. The delay of one thread is exact. But where several threads share the work, or
threads have ended, their delays do not say for how long all of them waited. Then the time counts as waiting in which
some thread was runnable whenever koth looked, less the CPU time. Where the system reports none of this, the wall time
is charged. All moments and times are nanoseconds, except those of a `Cost`, which are seconds. docs/clocks.md
explains the rules.
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
GLIMPSES = 3
"""Readings of all threads in which none is runnable until a bot counts as idle: work may pass from thread to thread
while they are read one after the other.
"""
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


def _is_runnable(tid: int) -> bool:
    """Return whether a thread is on a core or waits for one."""
    return _stat(tid)[:1] == [b"R"]


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
    born: int = -1
    """The latest possible moment of the thread's start; -1 if unknown."""


class Mark(NamedTuple):
    """The CPU time and waiting time of one bot until the moment `at`."""

    at: int
    cpu: CpuTime = CpuTime()
    threads: Mapping[int, ThreadTimes] = MappingProxyType({})
    """The threads whose waiting is deducted, by id."""
    idle: int = 0
    """The time since the question in which perhaps no thread was runnable."""
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
    before = {tid: was for tid, thread in end.threads.items() if (was := _before(begin, tid, thread)) is not None}
    grown = [(end.threads[tid].run - was.run, end.threads[tid].wait - was.wait) for tid, was in before.items()]
    delay = max((behind_others(wait, run, cpu) for run, wait in grown), default=0.0)
    unheard = 0 if answered is None else end.at - max(answered, begin.at)
    if cpu - max((run for run, _ in grown), default=0) > SLIGHT * NANO:  # other threads worked, too
        delay = max(delay, wall - unheard - end.idle - cpu)
    return Cost((wall + begin.debt) / NANO, (cpu + begin.debt) / NANO, min(delay + unheard, wall) / NANO)


def _before(begin: Mark, tid: int, thread: ThreadTimes) -> ThreadTimes | None:
    """Return a thread's times at an earlier mark: zeros if it was started since, None if they are unknown."""
    return begin.threads.get(tid) or (ThreadTimes() if thread.born >= begin.at else None)


class _Sighting(NamedTuple):
    """The last reading of a thread's `schedstat`."""

    run: int
    wait: int
    waited: int
    """The waiting time of all readings."""
    begun: int
    """The moment before the reading."""
    still: int
    """The moment since which its numbers have not changed, and it was not asleep whenever koth looked."""
    earliest: int
    """The earliest moment since which it may be waiting now."""
    born: int


def _sight(tid: int, last: _Sighting | None, run: int, wait: int, begun: int, moment: int) -> tuple[_Sighting, int]:
    """Return the new sighting of a thread, and the time that it has waited beyond its `schedstat`.

    The system adds a delay when the thread gets its core, however long ago the delay began. More than that is the
    delay of another thread, which has taken over the id of this one by executing a program.
    """
    if last is None or run < last.run or wait < last.wait:
        born = _born(tid)
        return _Sighting(run, wait, wait, begun, moment, born - TICK if born >= 0 else begun, born), 0
    if (run, wait) != (last.run, last.wait):
        waited = last.waited + min(wait - last.wait, moment - last.earliest)
        return _Sighting(run, wait, waited, begun, moment, last.begun, last.born), 0
    if moment - last.still <= STILL * NANO:
        return last._replace(begun=begun), 0
    if _is_runnable(tid):
        return last._replace(begun=begun), moment - last.still
    return last._replace(begun=begun, still=moment, earliest=begun), 0


class _Look(NamedTuple):
    """Whether some thread of a bot was runnable at a moment, and the `idle` of a mark then."""

    at: int
    is_active: bool = True
    idle: int = 0


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
        self._looks = (_Look(born), _Look(born))
        """The last two looks at the bot; the question counts as one."""

    @property
    def has_family(self) -> bool:
        """True if the bot may start processes, which are charged as well."""
        return self._family is not None

    @property
    def watches_one(self) -> bool:
        """True if only one thread is watched; `handles` are its clock and `schedstat`."""
        return self._delay is not None

    def ask(self) -> Mark:
        """Take the mark of a question, which makes the bot runnable."""
        at = now()
        self._looks = (_Look(at), _Look(at))
        return Mark(at, self.cpu(), self._threads(silent=False)[0])

    def mark(self, *, relist: bool = False, answered: int | None = None) -> Mark:
        """Take a mark; with `relist`, include processes that were started within the last `LISTED` seconds.

        A bot that has not `answered` yet is looked at: see `Mark.idle`. A look after its answer, or so close before
        that the answer may have come already, does not count.
        """
        at = now()
        cpu = self.cpu(relist=relist)
        threads, is_active = self._threads(silent=answered is None)
        until = now() if answered is None else answered
        before = self._looks[answered is None or self._looks[1].at + SLIGHT * NANO < answered]
        idle = before.idle + (0 if before.is_active and is_active else max(0, until - before.at))
        if answered is None:
            self._looks = (before, _Look(until, is_active, idle))
        return Mark(at, cpu, threads, idle)

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
        """Make the mark of a question of the times read from the `handles` at the moment `at`."""
        self._looks = (_Look(at), _Look(at))
        self._seen = {self._busiest: _Sighting(run, wait, wait, at, at, at, -1)}
        return Mark(at, self._used._replace(living={self._main(): cpu}), {self._busiest: ThreadTimes(run, wait)})

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

    def _threads(self, *, silent: bool) -> tuple[dict[int, ThreadTimes], bool]:
        """Return the times of the watched threads, and whether some thread of a silent bot is runnable."""
        begun = now()
        found, is_active = self._read_threads(silent=silent)
        moment = now()
        last, self._seen, threads = self._seen, {}, {}
        for tid, (run, wait) in found.items():
            seen, stuck = _sight(tid, last.get(tid), run, wait, begun, moment)
            self._seen[tid] = seen
            threads[tid] = ThreadTimes(run, seen.waited + stuck, seen.born)
        return threads, is_active

    def _read_threads(self, *, silent: bool) -> tuple[dict[int, tuple[int, int]], bool]:
        """Read run time and waiting time of the watched threads: of all, if the only one is asleep."""
        times = self._delay.read() if self._delay is not None else None
        if times is None:
            self.watch_all()
        elif not silent or _is_runnable(self._busiest):
            return {self._busiest: times}, True
        for glimpse in range(GLIMPSES):
            found = _all_threads(self.pids(relist=glimpse > 0))
            if not silent or any(map(_is_runnable, found)):
                return found, True
        return found, False
