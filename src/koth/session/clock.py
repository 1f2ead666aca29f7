"""The clock of one bot: the time charged for a question, read from outside the bot.

    charged = max(CPU time of all processes of the bot, wall time - run-queue delay behind other processes)

This module alone reads CPU clocks, the times in `/proc` and `cpu.stat` of cgroups. A `ChargedClock` takes marks of
one bot; the difference of two marks is arithmetic (`cost_between`). Where one thread does all the work, a mark is
three numbers; elsewhere it has all processes and threads of the bot in detail. The delay of one thread is read
exactly. Where several threads share the work, or threads have ended, no sum of their delays says for how long all of
them waited; then the time counts as waiting in which some thread was runnable whenever koth looked, less the CPU
time. Waiting behind threads or processes of the bot's own is never deducted. Where the system reports none of this,
the wall time is charged. All moments and times are nanoseconds, except those of a `Cost`, which are seconds.
docs/clocks.md explains the rules.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from koth.session.cost import Cost

NANO = 1_000_000_000
STILL_AFTER = 0.02
"""Seconds after which a runnable thread that has not run counts as waiting, even if `schedstat` shows no delay."""
SLIGHT_WORK = 0.001
"""Seconds of work below which koth does not look for the process or thread that did it."""
IDLE_READINGS = 3
"""Readings of all threads in which none is runnable until a bot counts as idle: work may pass from thread to thread
while they are read one after the other.
"""
SLIGHT_WORK_NS = int(SLIGHT_WORK * NANO)
LIST_FOR = 0.05
"""Seconds for which a list of a bot's processes is reused: making a new one opens files."""
TICK = NANO // os.sysconf("SC_CLK_TCK")

# -- reading clocks and files of times


now = time.monotonic_ns
"""Return the current moment in nanoseconds."""


class RunDelay:
    """The open `schedstat` of a thread, read repeatedly: how long the thread ran, and waited for a core.

    The open file belongs to this thread, whichever thread gets its number later.
    """

    def __init__(self, path: str) -> None:
        try:
            self.file = os.open(path, os.O_RDONLY)
            """The file descriptor; -1 once nothing can be read from it."""
        except OSError:
            self.file = -1

    def read(self) -> tuple[int, int] | None:
        """Return the nanoseconds on a core and those waiting for one; None if they can't be read any more."""
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


def _read_stat(pid: int) -> list[bytes]:
    """Return the fields of a thread's or process's `stat`, from its state on."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rsplit(b")", 1)[1].split()
    except OSError:
        return []


def _reaped_time(pid: int) -> int:
    """Return the CPU time of a process's ended children that it has waited for."""
    fields = _read_stat(pid)
    return (int(fields[13]) + int(fields[14])) * TICK if len(fields) > 14 else 0


def _is_runnable(tid: int) -> bool:
    """Return whether a thread is on a core or waits for one."""
    return _read_stat(tid)[:1] == [b"R"]


def _read_birth(tid: int) -> int:
    """Return the latest possible moment of a thread's start; -1 if it can't be read."""
    fields = _read_stat(tid)
    if len(fields) < 20 or not hasattr(time, "CLOCK_BOOTTIME"):
        return -1
    age = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - int(fields[19]) * TICK
    return now() - age + TICK


def _read_all_threads(pids: Iterable[int]) -> dict[int, tuple[int, int]]:
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


def delay_behind_others(waited: int, ran: int, cpu: int) -> int:
    """Return the least time for which a thread waited while no thread of its bot ran.

    The thread itself ran for `ran` and all threads of the bot for `cpu`, so it waited behind its own bot for at most
    their difference.
    """
    if cpu > ran:
        waited -= cpu - ran
    return waited if waited > 0 else 0


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


class Detail(NamedTuple):
    """The times of all processes and threads of a bot at a moment."""

    cpu: CpuTime = CpuTime()
    threads: Mapping[int, ThreadTimes] = MappingProxyType({})
    """The threads whose waiting is deducted, by id."""
    idle: int = 0
    """The time since the question in which perhaps no thread was runnable."""


class Mark(NamedTuple):
    """The time of one bot until the moment `at`: of the one thread that works, or in `detail`."""

    at: int
    cpu: int = 0
    """CPU time of the bot's only process."""
    run: int = 0
    wait: int = 0
    """The times of the watched thread."""
    detail: Detail | None = None


def cpu_between(begin: CpuTime, end: CpuTime) -> int:
    """Return the CPU time of all processes of a bot between two readings.

    A cgroup counts all of it, but running threads up to a tick late; the sum over the processes counts if it is more.
    """
    seen = max(0, end.ended - begin.ended)
    for pid, cpu in end.living.items():
        before = begin.living.get(pid, cpu if end.cgroup else 0)
        seen += max(0, cpu - before)
    return max(seen, end.cgroup - begin.cgroup)


def cost_between(begin: Mark, end: Mark, answered: int, debt: int = 0) -> Cost:
    """Return the cost of a bot's work between two marks, both with details or both without.

    Time from the moment `answered` on was spent waiting for koth, and is deducted. `debt` is CPU time that was used
    before, and is charged as well.
    """
    wall, unheard = end.at - begin.at, end.at - max(answered, begin.at)
    if begin.detail is None or end.detail is None:
        cpu = end.cpu - begin.cpu
        delay = delay_behind_others(end.wait - begin.wait, end.run - begin.run, cpu)
    else:
        cpu = cpu_between(begin.detail.cpu, end.detail.cpu)
        delay = _delay(begin.detail, end.detail, begin.at, cpu, wall - unheard)
    return Cost((wall + debt) / NANO, (cpu + debt) / NANO, min(delay + unheard, wall) / NANO)


def _delay(begin: Detail, end: Detail, asked_at: int, cpu: int, wall: int) -> int:
    """Return how long a bot waited behind others, by the delays of its threads, or as koth saw its threads."""
    found = [(_times_before(begin, asked_at, tid, thread), thread) for tid, thread in end.threads.items()]
    grown = [(thread.run - was.run, thread.wait - was.wait) for was, thread in found if was is not None]
    delay = max((delay_behind_others(wait, run, cpu) for run, wait in grown), default=0)
    if cpu - max((run for run, _ in grown), default=0) > SLIGHT_WORK_NS:  # other threads worked, too
        delay = max(delay, wall - end.idle - cpu)
    return delay


def _may_have_waited(begin: Mark, end: Mark) -> bool:
    """Return whether threads other than the watched one worked, and may have waited, between two quick marks."""
    cpu, run = end.cpu - begin.cpu, end.run - begin.run
    return cpu - run > SLIGHT_WORK_NS and end.at - begin.at - (end.wait - begin.wait) - cpu > SLIGHT_WORK_NS


def _times_before(begin: Detail, asked_at: int, tid: int, thread: ThreadTimes) -> ThreadTimes | None:
    """Return a thread's times at the question: zeros if it was started since, None if they are unknown."""
    return begin.threads.get(tid) or (ThreadTimes() if thread.born >= asked_at else None)


class _Sighting(NamedTuple):
    """The last reading of a thread's `schedstat`."""

    run: int
    wait: int
    waited: int
    """The waiting time of all readings."""
    begun: int
    """The moment before the reading."""
    still: int
    """The moment of the last reading that found new numbers, or found it asleep."""
    earliest: int
    """The earliest moment since which it may be waiting now."""
    born: int


def _sight(tid: int, last: _Sighting | None, run: int, wait: int, begun: int, moment: int) -> tuple[_Sighting, int]:
    """Return the new sighting of a thread, and the time that it has waited beyond its `schedstat`.

    The system adds the whole delay at the moment when the thread gets its core. So a delay is limited to the time
    since the thread can have begun to wait: any more belongs to another thread that has taken over the id of this one
    by executing a program.
    """
    if last is None or run < last.run or wait < last.wait:
        born = _read_birth(tid)
        return _Sighting(run, wait, wait, begun, moment, born - TICK if born >= 0 else begun, born), 0
    if (run, wait) != (last.run, last.wait):
        waited = last.waited + min(wait - last.wait, moment - last.earliest)
        return _Sighting(run, wait, waited, begun, moment, last.begun, last.born), 0
    if moment - last.still <= STILL_AFTER * NANO:
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
    are watched. `born` is the moment of the bot's start, which is its first question.
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
        self._begin = Mark(born, detail=Detail())
        """The mark of the open question."""
        self._debt = 0
        """CPU time that was used before the question, and is charged to it."""
        self._used = CpuTime()
        """The last reading of ended processes and of the cgroup; its `living` is not used."""
        self._pids: list[int] = []
        self._reaper = 0
        self._listed = 0
        self._seen: dict[int, _Sighting] = {}
        self._busiest = 0
        self._delay: RunDelay | None = None
        self._clock: int | None = None
        """The CPU clock of a bot whose one thread does all the work; None if that is not known."""
        self._looks = (_Look(born), _Look(born))
        """The last two looks at the bot; the question counts as one."""

    # -- questions

    def begin(self, debt: float = 0.0) -> None:
        """Begin a question, which makes the bot runnable; CPU seconds used before it (`debt`) are charged to it."""
        self._begin = begin = self._quick_mark() or self._full_mark(now(), is_silent=False)
        if begin.detail is not None:
            self._look_first(begin)
        self._debt = int(debt * NANO) if debt else 0

    def excuse(self, nanoseconds: int) -> None:
        """Do not charge this much wall time of the open question: koth could not read meanwhile."""
        self._begin = self._begin._replace(at=self._begin.at + nanoseconds)

    def mark(self, answered: int | None = None) -> Mark:
        """Take a mark in the open question.

        A bot that has not `answered` yet, as far as is known, is looked at: see `Detail.idle`. A look after its
        answer, or so close before that the answer may have come already, does not count.
        """
        begin = self._begin
        if begin.detail is None:
            mark = None if answered is None else self._quick_mark()
            if mark is not None and not _may_have_waited(begin, mark):
                return mark
            self._begin = self._add_detail(begin)
        return self._full_mark(answered, is_silent=answered is None)

    def cost(self, end: Mark, answered: int) -> Cost:
        """Return the cost of the open question until a mark that was taken after the moment `answered`."""
        return cost_between(self._begin, end, answered, self._debt)

    def settle(self, end: Mark) -> None:
        """End the open question, and choose the threads that are watched in the next one."""
        if end.detail is not None:
            self.follow(self._begin, end)

    def _quick_mark(self) -> Mark | None:
        """Take a mark of the one thread that does all the work; None if there is none."""
        if self._clock is None or self._delay is None:
            return None
        at = now()
        times = self._delay.read()
        try:
            if times is not None:
                return Mark(at, time.clock_gettime_ns(self._clock), *times)
        except OSError:
            pass  # its process has ended
        self.watch_all()
        return None

    def _look_first(self, begin: Mark) -> None:
        """Count the beginning of a question as the last two looks at the bot."""
        look = _Look(begin.at)
        self._looks = look, look

    def _add_detail(self, begin: Mark) -> Mark:
        """Return the quick mark of a question with the details that it stands for."""
        at, run, wait = begin.at, begin.run, begin.wait
        self._look_first(begin)
        self._seen = {self._busiest: _Sighting(run, wait, wait, at, at, at, -1)}
        cpu = self._used._replace(living={self._main(): begin.cpu})
        return begin._replace(detail=Detail(cpu, {self._busiest: ThreadTimes(run, wait)}))

    def _full_mark(self, answered: int | None, *, is_silent: bool) -> Mark:
        """Take a mark of all processes and threads, and look at a silent bot."""
        at = now()
        cpu = self.cpu(relist=self._family is not None and at - self._begin.at > SLIGHT_WORK_NS)
        threads, is_active = self._threads(is_silent=is_silent)
        until = now() if answered is None else answered
        before = self._looks[is_silent or self._looks[1].at + SLIGHT_WORK_NS < until]
        idle = before.idle + (0 if before.is_active and is_active else max(0, until - before.at))
        if is_silent:
            self._looks = (before, _Look(until, is_active, idle))
        return Mark(at, detail=Detail(cpu, threads, idle))

    def cpu(self, *, relist: bool = False) -> CpuTime:
        """Return the CPU time of a mark without its threads, which cost more to read."""
        living = {pid: cpu for pid in self.pids(relist=relist) if (cpu := cpu_time(pid)) is not None}
        self._read_ended()
        return CpuTime(living, self._used.ended, self._used.cgroup)

    def single_cpu(self) -> int:
        """Return the CPU time of its only process so far; -1 if it may have others, or if it can't be read."""
        cpu = cpu_time(self._main()) if self._family is None else None
        return -1 if cpu is None else cpu

    def pids(self, *, relist: bool = False) -> list[int]:
        """Return the bot's processes; see `mark`."""
        if self._family is None:
            return [pid] if (pid := self._main()) else []
        if relist or not self._pids or now() - self._listed > LIST_FOR * NANO:
            self._pids, self._reaper = self._family()
            self._listed = now()
        return self._pids

    def _read_ended(self) -> None:
        """Read the CPU time of ended processes."""
        if self._cgroup >= 0:
            with contextlib.suppress(OSError):  # removed with its last process: the last reading holds
                self._used = CpuTime(cgroup=1000 * int(os.pread(self._cgroup, 64, 0).split(None, 2)[1]))
        elif self._family is not None:
            self._used = CpuTime(ended=sum(map(_reaped_time, {*self._pids, self._reaper})))

    # -- threads

    def follow(self, begin: Mark, end: Mark) -> None:
        """Watch only the thread that did most of the work between these marks, or all threads if no thread did."""
        assert begin.detail is not None
        assert end.detail is not None
        self._read_ended()
        cpu = cpu_between(begin.detail.cpu, end.detail.cpu)
        if cpu < SLIGHT_WORK * NANO and self._busiest:
            return
        threads = end.detail.threads
        before = {tid: _times_before(begin.detail, begin.at, tid, thread) for tid, thread in threads.items()}
        work = {tid: threads[tid].run - was.run for tid, was in before.items() if was is not None}
        busiest = max(work, key=lambda tid: work[tid], default=0)
        if not busiest or work[busiest] < cpu / 2:
            if cpu < SLIGHT_WORK * NANO:
                return
            busiest = 0
        if busiest != self._busiest:
            self.watch_all()
            self._busiest = busiest
            self._delay = RunDelay(f"/proc/{busiest}/schedstat") if busiest else None
            if self._delay is not None and self._family is None:
                self._clock = clock_of(self._main())

    def watch_all(self) -> None:
        """Watch all threads from now on."""
        if self._delay is not None:
            self._delay.close()
        self._delay, self._clock, self._busiest = None, None, 0

    def close(self) -> None:
        """Close the open files."""
        self.watch_all()
        if self._cgroup >= 0:
            os.close(self._cgroup)
            self._cgroup = -1

    def _threads(self, *, is_silent: bool) -> tuple[dict[int, ThreadTimes], bool]:
        """Return the times of the watched threads, and whether some thread of a silent bot is runnable."""
        begun = now()
        found, is_active = self._read_threads(is_silent=is_silent)
        moment = now()
        last, self._seen, threads = self._seen, {}, {}
        for tid, (run, wait) in found.items():
            seen, stuck = _sight(tid, last.get(tid), run, wait, begun, moment)
            self._seen[tid] = seen
            threads[tid] = ThreadTimes(run, seen.waited + stuck, seen.born)
        return threads, is_active

    def _read_threads(self, *, is_silent: bool) -> tuple[dict[int, tuple[int, int]], bool]:
        """Read run time and waiting time of the watched threads: of all, if the only one is asleep."""
        times = self._delay.read() if self._delay is not None else None
        if times is None:
            self.watch_all()
        elif not is_silent or _is_runnable(self._busiest):
            return {self._busiest: times}, True
        for glimpse in range(IDLE_READINGS):
            found = _read_all_threads(self.pids(relist=glimpse > 0))
            if not is_silent or any(map(_is_runnable, found)):
                return found, True
        return found, False
