"""Answers to the kernel about system calls that the filter passes to the supervisor (seccomp user notification).

Supervisors import this module: it imports only the standard library and the modules of supervisors.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import struct

from koth.sandbox.proc_status import read_status
from koth.sandbox.start_request import CallFilter

RECEIVE, SEND = 0xC0502100, 0xC0182101
CONTINUE = 1
NOTICE = struct.Struct("=QIIiIQ6Q")
"""Number of the question, thread, flags; number of the call, architecture, instruction pointer, and six arguments."""
REPLY = struct.Struct("=QqiI")
"""Number of the question, result, error, flags."""


class Listener:
    """The listener of one program's filter, by which the kernel asks about calls of the program and its children."""

    def __init__(self, file: int, call_filter: CallFilter) -> None:
        self.file = file
        self._filter = call_filter

    def answer(self) -> str:
        """Answer the next question; return the call's name if the program must be ended for it, else ""."""
        notice = bytearray(NOTICE.size)
        try:
            fcntl.ioctl(self.file, RECEIVE, notice)
        except OSError:  # the calling thread has been killed meanwhile
            return ""
        question, thread, _, number, *_ = NOTICE.unpack(notice)
        if number in self._filter.starts:
            if _is_alone(thread):
                self._reply(question, 0, CONTINUE)
            else:
                self._reply(question, -errno.EPERM, 0)
            return ""
        return self._filter.names.get(str(number), f"number {number}")

    def _reply(self, question: int, error: int, flags: int) -> None:
        with contextlib.suppress(OSError):  # the calling thread may have ended
            fcntl.ioctl(self.file, SEND, bytearray(REPLY.pack(question, 0, error, flags)))


def _is_alone(thread: int) -> bool:
    """Return whether a thread is the only thread of its process.

    With other threads, exec would change the thread to which the kernel ties the signal at the parent's death.
    """
    with contextlib.suppress(OSError, KeyError):
        return int(read_status(f"/proc/{thread}")[b"Threads"]) == 1
    return False
