"""The descendants of a process, and signals to them.

Supervisors import this module: it needs nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import os
import signal

TYPE_CHECKING = False  # the module `typing` takes half as long to import as Python takes to start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROUNDS = 10
"""Looks for processes that others have started while a signal was sent to these."""


def descendants(pid: int) -> list[int]:
    """Return all processes that a process has started, and those have, as far as the system tells."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for tid in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{tid}/children", "rb") as children:
                    found += [int(word) for word in children.read().split()]
    return found[1:]


def open_pidfd(pid: int) -> int:
    """Open a process as a file descriptor; return -1 where there is no such process, or no such descriptors."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def signal_all(listed: Callable[[], Iterable[int]], number: int) -> None:
    """Send a signal to every process that `listed` returns, those included that are started meanwhile.

    A process that has ended leaves its number to another one, perhaps a stranger. So each is opened first and listed
    again: a number that still stands in the list then was that process's when it was opened.
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
    """Send a signal to a process by its descriptor, or by its number where it has none; ignore one that has ended."""
    with contextlib.suppress(OSError):
        if pidfd >= 0:
            signal.pidfd_send_signal(pidfd, number)
        else:
            os.kill(pid, number)
