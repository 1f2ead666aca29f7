"""A limit on the CPU time of a call, so that an endless loop in a game's own Python is an error, not a hang."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from contextlib import suppress

PERIOD = 0.5
"""Seconds between two checks of running calls; the time of a call counts from its first check."""


class OverLimit(Exception):
    """Raised when a call has used more CPU time than its limit."""


class CpuLimit:
    """A context that raises OverLimit in its thread when its body takes more CPU time than `seconds`.

    The body must be Python that does not catch OverLimit. Entering costs less than a microsecond: only the watching
    thread reads clocks. On systems without CPU clocks of threads, wall time counts.
    """

    __slots__ = ("clock", "deadline", "is_over", "seconds", "thread")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.deadline: float | None = None
        """On the thread's CPU clock; None until the watching thread has seen the call."""
        self.is_over = False
        """True once OverLimit was sent to the thread."""

    def __enter__(self) -> None:
        self.thread = threading.get_ident()
        self.clock = time.pthread_getcpuclockid(self.thread) if HAS_CLOCKS else time.CLOCK_MONOTONIC
        _running[self] = None
        if not _watchers:
            _start()

    def __exit__(self, *_: object) -> None:
        # `pop` is atomic: either the call ends before the watching thread has taken it out, or OverLimit comes.
        if _running.pop(self, self) is self:
            while not self.is_over:
                time.sleep(0)  # OverLimit arrives in this loop at the latest
            time.sleep(0)

    def is_exceeded(self) -> bool:
        """Return whether the call has used up its time, which begins with the first call of this method."""
        now = time.clock_gettime(self.clock)
        if self.deadline is None:
            self.deadline = now + self.seconds
        return now > self.deadline


HAS_CLOCKS = hasattr(time, "pthread_getcpuclockid")
_running: dict[CpuLimit, None] = {}
_watchers: list[threading.Thread] = []


def _start() -> None:
    """Start the watching thread; a second thread does no harm."""
    _watchers.append(threading.Thread(target=_watch, name="cpu limit", daemon=True))
    _watchers[-1].start()


os.register_at_fork(after_in_child=_watchers.clear)  # a child has its parent's memory, but not its threads


def _watch() -> None:
    while True:
        time.sleep(PERIOD)
        for call in list(_running):
            with suppress(OSError):  # the clock of a thread that has ended meanwhile
                if call.is_exceeded() and _running.pop(call, call) is None:
                    error = ctypes.py_object(OverLimit)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(call.thread), error)
                    call.is_over = True
