"""Marks of the time of one bot, and the cost of the work between two marks: arithmetic, without I/O.

If one thread does all the work, a mark is three numbers; otherwise the mark has all processes and threads of the
bot in detail. All moments and times are nanoseconds, except seconds in a `Cost`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from koth.session.cost import Cost
from koth.session.cpu_clocks import NANO

SLIGHT_WORK = 0.001
"""Seconds of work below which koth does not look for the process or thread that did the work."""
SLIGHT_WORK_NS = int(SLIGHT_WORK * NANO)


class CpuTime(NamedTuple):
    """The CPU time that a bot's processes have used until a moment; see `cpu_between`."""

    living: Mapping[int, int] = MappingProxyType({})
    """CPU time of each living process."""
    ended: int = 0
    """CPU time of ended children for which a parent has waited; not read if there is a cgroup."""
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
    """The time since the question in which possibly no thread was runnable."""


class Mark(NamedTuple):
    """The times of one bot until the moment `at`: of its only working thread, or, in `detail`, of all threads."""

    at: int
    cpu: int = 0
    """CPU time of the bot's only process."""
    run: int = 0
    wait: int = 0
    """The times of the watched thread."""
    detail: Detail | None = None


class Waits(NamedTuple):
    """The times of one question in which a bot waited for koth, not koth for the bot."""

    answered: int
    """The moment of the answer, or of koth's last look for the answer: then the bot waited until koth read."""
    excused: int = 0
    """The time in which koth could not read."""
    began: int = 0
    """The moment at which the bot's program began: before, koth made its process."""


def cpu_between(begin: CpuTime, end: CpuTime) -> int:
    """Return the CPU time of all processes of a bot between two readings.

    A cgroup counts all CPU time, but time of running threads up to a tick late. If the sum over the processes is
    larger, the sum is returned.
    """
    seen = max(0, end.ended - begin.ended)
    for pid, cpu in end.living.items():
        before = begin.living.get(pid, cpu if end.cgroup else 0)
        seen += max(0, cpu - before)
    return max(seen, end.cgroup - begin.cgroup)


def cost_between(begin: Mark, end: Mark, waits: Waits, debt: int = 0) -> Cost:
    """Return the cost of a bot's work between two marks, both with details or both without.

    `debt` is CPU time used before the first mark, which is charged, too.
    """
    asked_at = begin.at + waits.excused
    wall = end.at - asked_at
    for_koth = min(wall, max(0, waits.began - begin.at) + end.at - max(waits.answered, asked_at))
    if begin.detail is None or end.detail is None:
        cpu = end.cpu - begin.cpu
        delay = delay_behind_others(end.wait - begin.wait, end.run - begin.run, cpu)
    else:
        cpu = cpu_between(begin.detail.cpu, end.detail.cpu)
        delay = _delay(begin.detail, end.detail, begin.at, cpu, wall - for_koth)
    return Cost((wall + debt) / NANO, (cpu + debt) / NANO, min(delay + for_koth, wall) / NANO)


def _delay(begin: Detail, end: Detail, asked_at: int, cpu: int, wall: int) -> int:
    """Return how long a bot waited behind other processes, by its threads' delays or by koth's observations."""
    found = [(times_before(begin, asked_at, tid, thread), thread) for tid, thread in end.threads.items()]
    grown = [(thread.run - was.run, thread.wait - was.wait) for was, thread in found if was is not None]
    delay = max((delay_behind_others(wait, run, cpu) for run, wait in grown), default=0)
    if cpu - max((run for run, _ in grown), default=0) > SLIGHT_WORK_NS:  # other threads worked, too
        delay = max(delay, wall - end.idle - cpu)
    return delay


def may_have_waited(begin: Mark, end: Mark) -> bool:
    """Return whether threads other than the watched thread worked, and may have waited, between two quick marks."""
    cpu, run = end.cpu - begin.cpu, end.run - begin.run
    return cpu - run > SLIGHT_WORK_NS and end.at - begin.at - (end.wait - begin.wait) - cpu > SLIGHT_WORK_NS


def times_before(begin: Detail, asked_at: int, tid: int, thread: ThreadTimes) -> ThreadTimes | None:
    """Return a thread's times at the question: zeros for a thread started since, None if unknown."""
    return begin.threads.get(tid) or (ThreadTimes() if thread.born >= asked_at else None)


def delay_behind_others(waited: int, ran: int, cpu: int) -> int:
    """Return the least time for which a thread waited while no thread of its bot ran.

    The thread itself ran for `ran` and all threads of the bot for `cpu`, so the thread waited behind its own bot for
    at most the difference.
    """
    if cpu > ran:
        waited -= cpu - ran
    return waited if waited > 0 else 0
