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
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from koth.game import Array
from koth.kernel import kernel

STILL = 0.02
"""A thread that could run and has not for so long is waiting for its turn, though the system has not said so."""
SLIGHT = 0.001
"""Seconds of work below which it does not matter much which thread did it."""
FAMILY = 0.05
"""Seconds for which a list of the processes that a bot has started is good: making one opens many files."""
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


class Times:
    """What each question of a match has cost, with the turn in which it was asked: many thousands, in order."""

    def __init__(self) -> None:
        self._numbers = array("d")

    def append(self, turn: int, spent: Sequence[float]) -> None:
        """One more question is over; `spent` has the three numbers of a `Spent`."""
        self._numbers.extend((turn, *spent))

    def __len__(self) -> int:
        return len(self._numbers) // 4

    def __iter__(self) -> Iterator[tuple[int, Spent]]:
        for i in range(0, len(self._numbers), 4):
            turn, *spent = self._numbers[i : i + 4]
            yield int(turn), Spent(*spent)

    def table(self) -> Array:
        """Turn, charged, wall and queue of each question (float64[questions, 4]); see `Spent`."""
        turn, wall, cpu, queue = np.array(self._numbers).reshape(-1, 4).T
        return np.column_stack([turn, np.maximum(cpu, wall - queue), wall, queue])

    def last(self) -> Spent:
        """What the last one cost (there must have been one)."""
        return Spent(*self._numbers[-3:])

    def pop(self) -> Spent:
        """Take the last one away."""
        spent = self.last()
        del self._numbers[-4:]
        return spent


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
    since: float


Look = dict[int, _Thread]
"""Threads by number."""


class Queue:
    """How long this thread has waited for a core: read again and again, so its file stays open."""

    def __init__(self, path: str) -> None:
        try:
            self.file = os.open(path, os.O_RDONLY)
            """The number of that file; -1 if it can't be told (any more)."""
        except OSError:
            self.file = -1

    def read(self) -> tuple[int, int] | None:
        """Nanoseconds on a core, and waiting for one; None if it can't be told (any more)."""
        if self.file < 0:
            return None
        try:
            run, wait, _ = os.pread(self.file, 100, 0).split()
        except (OSError, ValueError):
            self.close()
            return None
        return int(run), int(wait)

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


class Clock:
    """The clock of one bot. `program` gives its process as the host numbers it, 0 if there is none.

    With `family`, processes that it has started count as well. To be cheap, it looks only at the thread that
    did most of the work before; for as long as there is none, at all of them.
    """

    def __init__(self, program: Callable[[], int], *, family: bool) -> None:
        self._program = program
        self._family = family
        self._begun = 0.0
        self._cpu: dict[int, float] = {}
        self._reaped = 0.0
        self._ended = 0.0
        self._relatives: list[int] = []
        self._listed = -FAMILY
        self._base: Look = {}
        self._seen: Look = {}
        self._busiest = 0
        self._queue: Queue | None = None
        self._own_clock: int | None = None

    def start(self) -> None:
        """A question is put to it now."""
        pids = self._prepare()
        self._cpu = {pid: cpu_time(pid) or 0.0 for pid in pids}
        self._base = self._seen = self._look(pids, {})
        self._begun = time.perf_counter()

    def _prepare(self) -> list[int]:
        self._ended = 0.0
        if self._family and self._is_old():
            self._reaped = sum(map(_reaped, self.pids()))
        return self.pids()

    def handles(self) -> tuple[int, int] | None:
        """The number of its CPU clock and of the file of its one thread's times, for `start_at`.

        None when there is more to look at than that.
        """
        if self._queue is None or self._queue.file < 0:
            return None
        if self._family or self._own_clock is None:
            pids = self._prepare()
            self._own_clock = clock_of(pids[0]) if len(pids) == 1 else None
        return None if self._own_clock is None else (self._own_clock, self._queue.file)

    def start_at(self, begun: float, cpu: float, run: int, wait: int) -> None:
        """As `start`, by somebody else who has read what the `handles` tell: seconds, and a thread's nanoseconds."""
        self._cpu = dict.fromkeys(self.pids(), cpu)
        self._base = self._seen = {self._busiest: _Thread(run, wait, begun)}
        self._begun = begun

    def start_new(self) -> None:
        """Its process is started now: all that is ever seen of it counts."""
        self._cpu, self._base, self._seen, self._reaped = {}, {}, {}, 0.0
        self._listed, self._ended = -FAMILY, 0.0
        self._begun = time.perf_counter()

    @property
    def wall(self) -> float:
        """Seconds since the question."""
        return time.perf_counter() - self._begun

    def read(self, unheard: float = 0.0) -> Spent:
        """What the question has cost so far; of it nobody listened to the bot for `unheard` seconds."""
        wall = self.wall
        cpu = self._total()
        self._seen = self._look(self.pids(), self._seen)
        return Spent(wall, cpu, min(self._waited(cpu) + unheard, wall))

    def see_at(self, wall: float, run: int, wait: int) -> None:
        """So many seconds after the question its thread told this to who has called `start_at`."""
        self._seen = {self._busiest: _Thread(run, wait, self._begun + wall)}

    def settle(self, spent: Spent) -> None:
        """The question is over: see which thread does the work."""
        if spent.cpu < SLIGHT and self._busiest:
            return
        work = {tid: thread.run - self._of_base(tid).run for tid, thread in self._seen.items()}
        busiest = max(work, key=lambda tid: work[tid], default=0)
        if not busiest or work[busiest] / 1e9 < spent.cpu / 2:
            if spent.cpu < SLIGHT:
                return
            busiest = 0  # it was another one, or many
        if busiest != self._busiest:
            self.close()
            self._busiest = busiest
            self._queue = Queue(f"/proc/{busiest}/schedstat") if busiest else None

    def close(self) -> None:
        """Give back the file it keeps open."""
        if self._queue is not None:
            self._queue.close()
        self._queue, self._busiest = None, 0

    def pids(self) -> list[int]:
        """Its processes; who started within the last `FAMILY` seconds may be missing."""
        program = self._program()
        if not program:
            return []
        if not self._family:
            return [program]
        if self._is_old():
            self._relatives, self._listed = descendants(program), time.perf_counter()
        return self._relatives

    def _is_old(self) -> bool:
        return time.perf_counter() - self._listed > FAMILY

    def _of_base(self, tid: int) -> _Thread:
        return self._base.get(tid) or _Thread(0, 0, 0.0)

    def _look(self, pids: Iterable[int], before: Look) -> Look:
        """The threads to watch, as they are now; `since` is kept of those that have not moved since `before`."""
        if self._queue is None:
            return _threads(pids, before)
        told = self._queue.read()
        if told is None:
            self.close()
            return {}
        return {self._busiest: _thread(before.get(self._busiest), *told)}

    def _waited(self, cpu: float) -> float:
        """How long, at least, one of its threads waited while no thread of its own ran.

        A thread waited behind its own kind for no longer than they held a core; what is more, others held.
        """
        most = 0.0
        now = time.perf_counter()
        for tid, (run, wait, since) in self._seen.items():
            ran, waited_before, _ = self._of_base(tid)
            waited = (wait - waited_before) / 1e9
            if now - since > STILL and _stat(tid)[:1] == [b"R"]:
                waited += now - since
            most = max(most, behind_others(waited, (run - ran) / 1e9, cpu))
        return most

    def _total(self) -> float:
        """Seconds of all cores since the question."""
        look_again = self._family and self._is_old()
        pids = self.pids()
        if look_again:
            self._ended = max(0.0, sum(map(_reaped, pids)) - self._reaped)
        total = self._ended
        for pid in pids:
            total += max(0.0, (cpu_time(pid) or 0.0) - self._cpu.get(pid, 0.0))
        return total


@kernel
def behind_others(waited: float, ran: float, cpu: float) -> float:
    """How long one thread, which ran itself, waited at least while none of its kind ran, who ran for `cpu` in all."""
    return waited - max(0.0, cpu - ran)


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
    """All threads of these processes."""
    found: Look = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for tid in map(int, os.listdir(f"/proc/{pid}/task")):
                with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{tid}/schedstat", "rb") as file:
                    run, wait, _ = map(int, file.read().split())
                    found[tid] = _thread(before.get(tid), run, wait)
    return found


def _thread(before: _Thread | None, run: int, wait: int) -> _Thread:
    still = before is not None and (before.run, before.wait) == (run, wait)
    return _Thread(run, wait, before.since if still and before else time.perf_counter())


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
