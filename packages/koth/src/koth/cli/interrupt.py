"""Ctrl-C and SIGTERM of the program `koth`, as a KeyboardInterrupt raised where Python can propagate it."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

from koth.cli.exit_codes import INTERRUPTED

RETRY = 0.02
"""Seconds until a signal that arrived where Python would lose the exception is raised again."""
HALF_MADE = ("llvmlite.", "weakref")
"""Modules whose objects print a traceback from their destructors if their construction was interrupted."""


def handle_interrupts() -> None:
    """Make SIGINT and SIGTERM raise KeyboardInterrupt in the main thread, and undo what would hide a signal."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored, the exit codes of programs are lost
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, or try again soon: Python only prints exceptions from destructors.

    While Python waits at exit for threads (such as standings for a page), end the process instead.
    """
    while frame is not None:
        if frame.f_code.co_name == "_shutdown" and frame.f_globals.get("__name__") == "threading":
            os._exit(INTERRUPTED)
        if frame.f_code.co_name == "__del__" or frame.f_globals.get("__name__", "").startswith(HALF_MADE):
            retry = threading.Timer(RETRY, _signal_main_thread, [number])
            retry.daemon = True
            retry.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _signal_main_thread(number: int) -> None:
    """Send a signal to the main thread, to interrupt its system call; a signal to this thread would not."""
    main = threading.main_thread().ident
    if main is not None:
        signal.pthread_kill(main, number)
