"""What a question costs a bot: its time without the time in which others held its core.

    charged = max(CPU time of the whole bot, wall time - time it was runnable while other processes ran)

Waiting behind threads or processes of its own is never taken off. Where the system does not tell these
things (no `/proc`, no process clocks), the wall time is charged. docs/clocks.md has it in words.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from koth.game import Array
from koth.kernel import INT, LONG, foreign, kernel

NANO = 1_000_000_000
SPACE, ZERO = ord(" "), ord("0")
STILL = 0.02
"""A thread that could run and has not for so long is waiting for its turn, though the system has not said so."""
SLIGHT = 0.001
"""Seconds of work below which it does not matter much which thread did it."""
FAMILY = 0.05
"""Seconds for which a list of the processes that a bot has started is good: making one opens many files."""
TICK = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01

MONOTONIC, THREAD = getattr(time, "CLOCK_MONOTONIC", 0), getattr(time, "CLOCK_THREAD_CPUTIME_ID", 0)
"""The clock on the wall, and that of the processor for this thread."""

_pread = foreign("pread", LONG, INT, LONG, LONG, LONG)
_clock_gettime = foreign("clock_gettime", INT, INT, LONG)


def now() -> int:
    """The moment it is, in nanoseconds."""
    return time.clock_gettime_ns(MONOTONIC)


def tells_queues() -> bool:
    """Whether this system says how long threads wait for a core."""
    return os.path.exists("/proc/self/schedstat") and cpu_time(os.getpid()) is not None


@kernel
def clock_time(clock: int, scratch: Array) -> int:
    """Nanoseconds of a clock; -1 if there is none any more."""
    if _clock_gettime(clock, scratch.ctypes.data) != 0:
        return -1
    return int(scratch[0]) * NANO + int(scratch[1])


@kernel
def queue_time(queue: int, scratch: Array) -> tuple[int, int]:
    """A thread's `schedstat`: nanoseconds on a core, and waiting for one; -1 if it can't be told any more."""
    size = _pread(queue, scratch.ctypes.data, 8 * scratch.size, 0)
    run = 0
    wait = 0
    words = 0
    for i in range(size):
        char = int(scratch[i >> 3]) >> 8 * (i & 7) & 0xFF  # (the lowest byte first: a view takes long to compile)
        if char == SPACE:
            words += 1
        elif words == 0:
            run = run * 10 + char - ZERO
        elif words == 1:
            wait = wait * 10 + char - ZERO
        else:
            return run, wait
    return -1, -1


@kernel
def charged(wall: float, cpu: float, queue: float) -> float:
    """What counts against the budget."""
    return max(cpu, wall - queue)


@kernel
def behind_others(waited: float, ran: float, cpu: float) -> float:
    """How long one thread, which ran itself, waited at least while none of its kind ran, who ran for `cpu` in all."""
    return max(0.0, waited - max(0.0, cpu - ran))


class Spent(NamedTuple):
    """Seconds of a question: by the wall clock, of all cores, and waiting for a core others held, or for koth."""

    wall: float = 0.0
    cpu: float = 0.0
    queue: float = 0.0

    @property
    def charged(self) -> float:
        """What counts against the budget."""
        return charged(*self)


class Times:
    """What each question of a match has cost, with the turn in which it was asked, in order.

    `rows` has the turn and the three numbers of a `Spent` (float64[questions, 4]).
    """

    def __init__(self, rows: Array | None = None) -> None:
        self.rows = np.zeros((0, 4)) if rows is None else rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[int, Spent]]:
        for turn, *spent in self.rows.tolist():
            yield int(turn), Spent(*spent)

    def table(self) -> Array:
        """Turn, charged, wall and queue of each question (float64[questions, 4]); see `Spent`."""
        turn, wall, cpu, queue = self.rows.T
        return np.column_stack([turn, np.maximum(cpu, wall - queue), wall, queue])


def clock_of(pid: int) -> int:
    """The number of another process's CPU clock, as clock_getcpuclockid makes it."""
    return (~pid << 3) | 2


def cpu_time(pid: int) -> float | None:
    """Seconds that all threads of a process, ended ones too, have held a core; None if it can't be told."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime(clock_of(pid))
    except OSError:
        return None


class _Thread(NamedTuple):
    """One thread as the scheduler sees it (nanoseconds), and since when it has been seen like this."""

    run: int
    wait: int
    since: int


_UNSEEN = _Thread(0, 0, 0)
Threads = dict[int, _Thread]
"""Threads by number."""


class Queue:
    """How long a thread has waited for a core: read again and again, so its file stays open."""

    def __init__(self, path: str) -> None:
        try:
            self.file = os.open(path, os.O_RDONLY)
            """The number of that file; -1 if it can't be told (any more)."""
        except OSError:
            self.file = -1
        self._scratch = np.zeros(16, np.int64)

    def read(self) -> tuple[int, int] | None:
        """Nanoseconds on a core, and waiting for one; None if it can't be told (any more)."""
        run, wait = queue_time(self.file, self._scratch)
        if run < 0:
            self.close()
        return None if run < 0 else (run, wait)

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


class Clock:
    """The clock of one bot. `program` gives its process as the host numbers it, 0 if there is none.

    Where `family` gives all of its processes, and who reaps those of them that nobody waits for (0: not known), they
    count as well; `account` may name a file in which the system keeps what they have used (`cpu.stat` of a cgroup).
    To be cheap, it looks only at the thread that did most of the work before; for as long as there is none, at all of
    them. Moments are those of `now`.
    """

    def __init__(
        self,
        program: Callable[[], int],
        *,
        family: Callable[[], tuple[list[int], int]] | None = None,
        account: Callable[[], str] = str,
    ) -> None:
        self._program = program
        self.family = family
        self._account = account
        self._begun = 0
        self._cpu: dict[int, float] = {}
        self._used = 0.0
        self._reaped = 0.0
        self._ended = 0.0
        self._relatives: list[int] = []
        self._reaper = 0
        self._listed = 0
        self._base: Threads = {}
        self._seen: Threads = {}
        self._kept = 0.0
        self._looked = 0
        self._busiest = 0
        self._queue: Queue | None = None

    def start(self) -> None:
        """A question is put to it now, or its process is started: then all that is ever seen of it counts."""
        self.begin_at(now())
        pids = self.pids()
        self._cpu = {pid: cpu_time(pid) or 0.0 for pid in pids}
        if self.family is not None:
            self._used = _usage(self._account())
            self._reaped = self._all_reaped()
        self._base, self._seen = {}, {}
        self._seen = self._look(pids)
        self._base = dict(self._seen)

    def begin_at(self, begun: int) -> None:
        """The question was put to it at that moment, just now."""
        self._begun = self._looked = begun
        self._kept = self._ended = 0.0

    def start_at(self, begun: int, cpu: int, run: int, wait: int) -> None:
        """As `start`, by somebody else who has read what the `handles` tell, in nanoseconds."""
        self.begin_at(begun)
        self._cpu = {self._program(): cpu / NANO}  # who is there beside it has been started since
        self._seen = {self._busiest: _Thread(run, wait, begun)}
        self._base = dict(self._seen)

    def handles(self) -> tuple[int, int]:
        """The number of its CPU clock and of the file of its one thread's times, for `start_at`.

        -1 when there is more to look at than that.
        """
        if self._queue is None or self._queue.file < 0:
            return -1, -1
        if self.family is not None:
            if self._is_old():
                self._list()
                self._reaped = self._all_reaped()
            if self._account() or len(self.pids()) > 1:
                return -1, -1
        return clock_of(self._program()), self._queue.file

    def skip(self, since: int) -> None:
        """From that moment until now the bot had to wait for koth."""
        self._begun += now() - since

    def read(self, heard: int | None = None) -> Spent:
        """What the question has cost so far, or until its answer was `heard`: what koth does since is free."""
        if self.family is not None and now() - self._begun > SLIGHT * NANO:
            self._list()
            self._ended = max(0.0, self._all_reaped() - self._reaped)
        moment = now()
        wall = (moment - self._begun) / NANO
        unheard = 0.0 if heard is None else (moment - max(heard, self._begun)) / NANO
        cpu = self._total()
        self._seen = self._look(self.pids())
        # No more than the time that has passed: a thread that has become another one brings its waiting along.
        self._kept = min(self._waited(cpu), self._kept + (moment - self._looked) / NANO)
        self._looked = moment
        return Spent(wall, cpu, min(self._kept + unheard, wall))

    def settle(self, spent: Spent) -> None:
        """The question is over: see which thread does the work."""
        if self.family is not None:
            self._reaped = self._all_reaped()
        if spent.cpu < SLIGHT and self._busiest:
            return
        work = {tid: thread.run - (self._base.get(tid) or _UNSEEN).run for tid, thread in self._seen.items()}
        busiest = max(work, key=lambda tid: work[tid], default=0)
        if not busiest or work[busiest] / NANO < spent.cpu / 2:
            if spent.cpu < SLIGHT:
                return
            busiest = 0  # it was another one, or many
        if busiest != self._busiest:
            self.close()
            self._busiest = busiest
            self._queue = Queue(f"/proc/{busiest}/schedstat") if busiest else None

    def close(self) -> None:
        """Give back the file it keeps open; look at all threads from now on."""
        if self._queue is not None:
            self._queue.close()
        self._queue, self._busiest = None, 0

    def pids(self, *, anew: bool = False) -> list[int]:
        """Its processes; those that were started within the last `FAMILY` seconds may be missing, unless `anew`."""
        if self.family is None:
            program = self._program()
            return [program] if program else []
        if anew or self._is_old():
            self._list()
        return self._relatives

    def _list(self) -> None:
        """See which processes it has now."""
        assert self.family is not None
        self._relatives, self._reaper = self.family()
        self._listed = now()

    def _all_reaped(self) -> float:
        """Seconds that those held a core which have ended."""
        return sum(map(_reaped, [*self._relatives, self._reaper]))

    def _is_old(self) -> bool:
        return not self._relatives or now() - self._listed > FAMILY * NANO

    def _look(self, pids: Iterable[int]) -> Threads:
        """The threads to watch, as they are now; who is seen for the first time counts from here on.

        A thread that was born since the question counts from its birth.
        """
        told = self._queue.read() if self._queue is not None else None
        if told is None:
            self.close()
        found = _threads(pids) if told is None else {self._busiest: told}
        moment = now()
        looks: Threads = {}
        for tid, (run, wait) in found.items():
            before = self._seen.get(tid)
            still = before is not None and (before.run, before.wait) == (run, wait)
            looks[tid] = _Thread(run, wait, before.since if still and before else moment)
            if self._base and tid not in self._base:
                self._base[tid] = _Thread(0, 0, moment) if _born(tid) >= self._begun else looks[tid]
        return looks

    def _waited(self, cpu: float) -> float:
        """How long, at least, one of its threads waited while no thread of its own ran.

        A thread waited behind its own kind for no longer than they held a core; what is more, others held.
        """
        most = 0.0
        moment = now()
        for tid, (run, wait, since) in self._seen.items():
            ran, waited_before, _ = self._base.get(tid) or _UNSEEN
            waited = (wait - waited_before) / NANO
            if moment - since > STILL * NANO and _stat(tid)[:1] == [b"R"]:
                waited += (moment - since) / NANO
            most = max(most, behind_others(waited, (run - ran) / NANO, cpu))
        return most

    def _total(self) -> float:
        """Seconds of all cores since the question."""
        total = self._ended
        for pid in self.pids():
            total += max(0.0, (cpu_time(pid) or 0.0) - self._cpu.get(pid, 0.0))
        return total if self.family is None else max(total, _usage(self._account()) - self._used)


def _threads(pids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """All threads of these processes: nanoseconds on a core, and waiting for one."""
    found: dict[int, tuple[int, int]] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for tid in map(int, os.listdir(f"/proc/{pid}/task")):
                queue = Queue(f"/proc/{pid}/task/{tid}/schedstat")
                if (told := queue.read()) is not None:
                    found[tid] = told
                queue.close()
    return found


def _born(tid: int) -> int:
    """The moment of a thread's start, at the latest; a very early one if it can't be told."""
    fields = _stat(tid)
    if len(fields) < 20 or not hasattr(time, "CLOCK_BOOTTIME"):
        return -1
    ago = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) * TICK
    return now() - int((ago - TICK) * NANO)


def _reaped(pid: int) -> float:
    """Seconds that children of a process held a core which have ended since."""
    fields = _stat(pid)
    return (int(fields[13]) + int(fields[14])) * TICK if len(fields) > 14 else 0.0


def _usage(account: str) -> float:
    """Seconds of all cores that a `cpu.stat` tells; 0 if there is none."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(account).read_bytes().split(None, 2)[1]) / 1e6 if account else 0.0
    return 0.0


def _stat(pid: int) -> list[bytes]:
    """The fields of a thread's or process's `stat` from its state on."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rsplit(b")", 1)[1].split()
    except OSError:
        return []
