"""A limit on the CPU time of a call, so that an endless loop in a game's own Python is an error, not a hang."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PERIOD = 0.5
"""Seconds between two checks of running calls."""


class OverLimit(Exception):
    """The error that a call has used more CPU time than it may."""


_deadlines: dict[int, float] = {}
"""By thread: its deadline, on its CPU clock."""
_lock = threading.Lock()
_watchers: list[threading.Thread] = []


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise OverLimit in this thread when the body takes more CPU time; it must be Python and not catch it.

    Limits do not nest. On systems without CPU clocks of threads, wall time counts.
    """
    thread = threading.get_ident()
    with _lock:
        _deadlines[thread] = _clock(thread) + seconds
        if not any(watcher.is_alive() for watcher in _watchers):  # the first call, or the process was forked
            _watchers[:] = [threading.Thread(target=_watch, name="cpu limit", daemon=True)]
            _watchers[0].start()
    try:
        yield
    finally:
        with _lock:
            _deadlines.pop(thread, None)


def _clock(thread: int) -> float:
    if hasattr(time, "pthread_getcpuclockid"):
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    return time.monotonic()


def _watch() -> None:
    """Raise OverLimit in threads that are over their limit, forever."""
    while True:
        time.sleep(PERIOD)
        with _lock:  # under the lock, a listed thread can't leave its body
            late = [thread for thread, deadline in _deadlines.items() if _clock(thread) > deadline]
            for thread in late:
                del _deadlines[thread]
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OverLimit))
