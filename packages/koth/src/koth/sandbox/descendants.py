"""The descendants of a process, and signals to them.

Supervisors import this module: it needs nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterable

ROUNDS = 10
"""The largest number of listings; a listing may find processes started since the one before."""


def descendants(pid: int) -> list[int]:
    """Return the numbers of all processes below a process, as far as the system lists them."""
    found = [pid]
    for one in found:
        for tid in _threads(one):
            with contextlib.suppress(OSError), open(f"/proc/{one}/task/{tid}/children", "rb") as children:
                found += [int(word) for word in children.read().split()]
    return found[1:]


def _threads(pid: int) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")
    return []


def open_pidfd(pid: int) -> int:
    """Open a process as a file descriptor; return -1 if it does not exist, or the system has no pidfds."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def signal_all(listed: Callable[[], Iterable[int]], number: int) -> None:
    """Send a signal to every process that `listed` returns, including processes started meanwhile.

    The number of an ended process may be reused for an unrelated one. So each process is opened first and listed
    again: a number that is still listed belonged to the same process when it was opened.
    """
    opened: dict[int, int] = {}
    sent: set[int] = set()
    try:
        for _ in range(ROUNDS):
            found = set(listed())
            for pid in (found & opened.keys()) - sent:
                send(opened[pid], pid, number)
                sent.add(pid)
            new = found - opened.keys()
            if not new:
                return
            opened |= {pid: open_pidfd(pid) for pid in new}
    finally:
        for pidfd in opened.values():
            if pidfd >= 0:
                os.close(pidfd)


def send(pidfd: int, pid: int, number: int) -> None:
    """Send a signal to a process by its descriptor, or by its number if `pidfd` is -1; ignore ended processes."""
    with contextlib.suppress(OSError):
        if pidfd >= 0:
            signal.pidfd_send_signal(pidfd, number)
        else:
            os.kill(pid, number)
