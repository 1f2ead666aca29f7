"""The clock of one bot: the time charged for a question, read from outside the bot.

    charged = max(CPU time of all processes of the bot, wall time - run-queue delay behind other processes)

A `ChargedClock` takes marks of one bot; `marks.py` computes the cost between two marks. The delay of one thread is
read exactly. If several threads share the work, or threads have ended, the sum of the threads' delays does not show
how long all threads waited at once. Then waiting is the time in which some thread was runnable whenever koth looked,
minus the CPU time. Waiting behind threads or processes of the bot's own is never deducted. If the system reports no
such times, the wall time is charged. All moments and times are nanoseconds, except seconds in a `Cost`.
docs/clocks.md explains the rules.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable
from typing import NamedTuple

from koth.sandbox.supervised_process import SupervisedProcess
from koth.session.cost import Cost
from koth.session.cpu_clocks import (
    NANO,
    TICK,
    RunDelay,
    clock_of,
    cpu_time,
    is_runnable,
    now,
    read_all_threads,
    read_birth,
    reaped_time,
)
from koth.session.marks import (
    SLIGHT_WORK,
    SLIGHT_WORK_NS,
    CpuTime,
    Detail,
    Mark,
    ThreadTimes,
    Waits,
    cost_between,
    cpu_between,
    may_have_waited,
    times_before,
)

STILL_AFTER = 0.02
"""Seconds after which a runnable thread that has not run counts as waiting, even if `schedstat` shows no delay."""
IDLE_READINGS = 3
"""The number of readings without a runnable thread after which a bot counts as idle: work may pass from thread to
thread while threads are read one after the other."""
LIST_FOR = 0.05
"""Seconds for which a list of a bot's processes is reused: making a new list opens files."""

OWN_RANDOM = random.Random()
"""The source of random times, separate from the caller's `random`."""


def draw_time(most: float) -> float:
    """Return a random time, so that no program can be awake only when koth measures it."""
    return OWN_RANDOM.uniform(most / 2, most)


class _Sighting(NamedTuple):
    """The last reading of a thread's `schedstat`."""

    run: int
    wait: int
    waited: int
    """The waiting time in all readings together."""
    begun: int
    """The time just before the reading."""
    still: int
    """The time of the last reading that found new numbers, or found the thread asleep."""
    earliest: int
    """The earliest time since which the thread may be waiting now."""
    born: int


def _sight(tid: int, last: _Sighting | None, run: int, wait: int, begun: int, moment: int) -> tuple[_Sighting, int]:
    """Return a thread's new reading, and the time that the thread has waited beyond its `schedstat`.

    The system adds the whole delay at the moment when the thread gets a core. So a delay is limited to the time
    since the thread can have begun to wait: a longer delay belongs to another thread, which took over this thread's
    id by executing a program.
    """
    if last is None or run < last.run or wait < last.wait:
        born = read_birth(tid)
        return _Sighting(run, wait, wait, begun, moment, born - TICK if born >= 0 else begun, born), 0
    if (run, wait) != (last.run, last.wait):
        waited = last.waited + min(wait - last.wait, moment - last.earliest)
        return _Sighting(run, wait, waited, begun, moment, last.begun, last.born), 0
    if moment - last.still <= STILL_AFTER * NANO:
        return last._replace(begun=begun), 0
    if is_runnable(tid):
        return last._replace(begun=begun), moment - last.still
    return last._replace(begun=begun, still=moment, earliest=begun), 0


class _Look(NamedTuple):
    """An observation whether some thread of a bot was runnable, and the idle time until then, as in `Detail.idle`."""

    at: int
    is_active: bool = True
    idle: int = 0


class Start(NamedTuple):
    """The start of a bot, whose first question it is: koth makes the process, then the program begins.

    A bot without a handshake may be asked before its program begins.
    """

    at: int = 0
    """The moment at which koth began to make the process."""
    began_at: Callable[[], int] = lambda: 0
    """A function that returns the moment at which the program had begun; 0 until koth knows."""


class ChargedClock:
    """The clock of one bot: takes marks of the time that the bot's processes have used.

    `main` returns the number of the bot's main process, as koth sees it; 0 while there is none. For a bot that may
    start processes, `family` returns all the bot's processes, and the process that reaps orphans (0: unknown).
    `cgroup` is the folder of the cgroup that holds all processes from their first instruction on; its `cpu.stat` then
    counts all CPU time. Without a cgroup, a living process always counts, an ended process only if its parent has
    waited for it.

    Only the thread that did most of the work is watched for waiting, until it ends or stops working; then all threads
    are watched.
    """

    def __init__(
        self,
        main: Callable[[], int],
        family: Callable[[], tuple[list[int], int]] | None = None,
        cgroup: str = "",
        start: Start | None = None,
    ) -> None:
        self._main = main
        self._family = family
        self._cgroup = os.open(f"{cgroup}/cpu.stat", os.O_RDONLY) if cgroup else -1
        self._start = start
        """The bot's start; None if the program had begun before the open question."""
        self._begin = Mark(start.at if start is not None else 0, detail=Detail())
        """The mark of the open question."""
        self._excused = 0
        """The time of the open question in which koth could not read."""
        self._debt = 0
        """CPU time that was used before the question, and is charged to the question."""
        self._used = CpuTime()
        """The last reading of ended processes and of the cgroup; the field `living` is not used."""
        self._pids: list[int] = []
        self._reaper = 0
        self._listed = 0
        self._seen: dict[int, _Sighting] = {}
        self._busiest = 0
        self._delay: RunDelay | None = None
        self._clock: int | None = None
        """The CPU clock of a bot without a family whose busiest thread is watched; None otherwise."""
        self._looks = (_Look(self._begin.at),) * 2
        """The last two observations of the bot; the question's beginning counts as an observation."""

    @classmethod
    def of_child(cls, child: SupervisedProcess, at: int = 0, *, has_family: bool = True) -> ChargedClock:
        """Make the clock of a started program; koth began to start it `at`. Raises OSError for an unreadable cgroup.

        With `has_family` all processes that the program starts are counted, too.
        """
        start = Start(at, child.began_at)
        if not has_family:
            return cls(child.program_pid, start=start)
        cgroup = str(child.cgroup.folder) if child.cgroup is not None else ""
        return cls(child.program_pid, lambda: (child.pids(), child.supervisor_pid()), cgroup, start)

    # -- questions

    def begin(self, debt: float = 0.0) -> None:
        """Begin a question, which makes the bot runnable; CPU seconds used before (`debt`) are charged, too."""
        if self._start is not None and self._start.began_at():
            self._start = None
        self._excused = 0
        self._begin = begin = self._quick_mark() or self._full_mark(now(), is_silent=False)
        if begin.detail is not None:
            self._looks = (_Look(begin.at),) * 2
        self._debt = int(debt * NANO) if debt else 0

    def excuse(self, nanoseconds: int) -> None:
        """Deduct wall time from the open question, because koth could not read during the latest `nanoseconds`.

        Time before the bot's program began is not deducted twice.
        """
        at = now()
        nanoseconds = min(nanoseconds, at - self._began_at(at))
        self._excused += nanoseconds
        older, newer = self._looks
        self._looks = (older._replace(at=older.at + nanoseconds), newer._replace(at=newer.at + nanoseconds))

    def mark(self, answered: int | None = None) -> Mark:
        """Take a mark in the open question.

        If koth knows of no answer (`answered` is None), check whether the bot's threads run: see `Detail.idle`. A
        check after the answer, or shortly before, when the answer may have come already, does not count.
        """
        begin = self._begin
        if begin.detail is None:
            mark = None if answered is None else self._quick_mark()
            if mark is not None and not may_have_waited(begin, mark):
                return mark
            self._begin = self._add_detail(begin)
        return self._full_mark(answered, is_silent=answered is None)

    def cost(self, end: Mark, answered: int) -> Cost:
        """Return the cost of the open question until a mark that was taken after the moment `answered`."""
        waits = Waits(answered, self._excused, self._began_at(end.at))
        return cost_between(self._begin, end, waits, self._debt)

    def _began_at(self, at: int) -> int:
        """Return when the bot's program began, or `at` if it has not; 0 if it had begun before the question."""
        return 0 if self._start is None else self._start.began_at() or at

    def settle(self, end: Mark) -> None:
        """End the open question, and choose the threads that are watched during the next question."""
        if end.detail is not None:
            self.follow(self._begin, end)

    def _quick_mark(self) -> Mark | None:
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

    def _add_detail(self, begin: Mark) -> Mark:
        """Return the quick mark of a question, completed by its details."""
        at, run, wait = begin.at, begin.run, begin.wait
        self._looks = (_Look(at + self._excused),) * 2
        self._seen = {self._busiest: _Sighting(run, wait, wait, at, at, at, -1)}
        cpu = self._used._replace(living={self._main(): begin.cpu})
        return begin._replace(detail=Detail(cpu, {self._busiest: ThreadTimes(run, wait)}))

    def _full_mark(self, answered: int | None, *, is_silent: bool) -> Mark:
        """Take a mark of all processes and threads, and check whether a silent bot is runnable."""
        at = now()
        cpu = self.cpu(relist=self._family is not None and at - self._begin.at > SLIGHT_WORK_NS)
        threads, is_active = self._threads(is_silent=is_silent)
        until = now() if answered is None else answered
        older, newer = self._looks
        began = self._began_at(until)
        is_active |= began >= until
        before = newer if is_silent or newer.at + SLIGHT_WORK_NS < until else older
        idle = before.idle + (0 if before.is_active and is_active else max(0, until - max(before.at, began)))
        if is_silent:
            self._looks = (before, _Look(until, is_active, idle))
        return Mark(at, detail=Detail(cpu, threads, idle))

    def cpu(self, *, relist: bool = False) -> CpuTime:
        """Return the CPU times for a mark, without the threads' times, which take longer to read."""
        living = {pid: cpu for pid in self.pids(relist=relist) if (cpu := cpu_time(pid)) is not None}
        self._read_ended()
        return CpuTime(living, self._used.ended, self._used.cgroup)

    def single_cpu(self) -> int:
        """Return the CPU time of the bot's only process; -1 if the bot may start processes or reading fails."""
        cpu = cpu_time(self._main()) if self._family is None else None
        return -1 if cpu is None else cpu

    def pids(self, *, relist: bool = False) -> list[int]:
        """Return the numbers of the bot's processes; the list may be `LIST_FOR` seconds old unless `relist`."""
        if self._family is None:
            return [pid] if (pid := self._main()) else []
        if relist or not self._pids or now() - self._listed > LIST_FOR * NANO:
            self._pids, self._reaper = self._family()
            self._listed = now()
        return self._pids

    def _read_ended(self) -> None:
        if self._cgroup >= 0:
            with contextlib.suppress(OSError):  # removed with its last process: the last reading holds
                self._used = CpuTime(cgroup=1000 * int(os.pread(self._cgroup, 64, 0).split(None, 2)[1]))
        elif self._family is not None:
            self._used = CpuTime(ended=sum(map(reaped_time, {*self._pids, self._reaper})))

    # -- threads

    def follow(self, begin: Mark, end: Mark) -> None:
        """Watch only the thread that did most of the work between these marks, or all if no thread did."""
        assert begin.detail is not None
        assert end.detail is not None
        self._read_ended()
        cpu = cpu_between(begin.detail.cpu, end.detail.cpu)
        if cpu < SLIGHT_WORK * NANO and self._busiest:
            return
        threads = end.detail.threads
        before = {tid: times_before(begin.detail, begin.at, tid, thread) for tid, thread in threads.items()}
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
        """Read run time and waiting time of the watched threads; of all threads, if the watched thread is asleep."""
        times = self._delay.read() if self._delay is not None else None
        if times is None:
            self.watch_all()
        elif not is_silent or is_runnable(self._busiest):
            return {self._busiest: times}, True
        for glimpse in range(IDLE_READINGS):
            found = read_all_threads(self.pids(relist=glimpse > 0))
            if not is_silent or any(map(is_runnable, found)):
                return found, True
        return found, False
