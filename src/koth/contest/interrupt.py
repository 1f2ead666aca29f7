"""Ctrl-C that is not lost, and SIGTERM where it means the same."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Interrupts:
    """While it is entered, Ctrl-C raises KeyboardInterrupt as ever, and `heed` raises it once more.

    So does SIGTERM for a program that has given it Python's handler of Ctrl-C, like the command line.

    Python can't let it out of a destructor, where a signal may well arrive: without `heed` it would be lost.
    """

    def __init__(self) -> None:
        self._came = False
        self._taken: list[int] = []

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is signal.default_int_handler:
                    signal.signal(number, self._interrupt)
                    self._taken.append(number)
        return self

    def __exit__(self, *_: object) -> None:
        for number in self._taken:
            signal.signal(number, signal.default_int_handler)

    def _interrupt(self, _: int, frame: FrameType | None) -> None:
        self._came = True
        while frame is not None:
            if frame.f_code.co_name == "__del__":
                return  # what is raised here Python would only print; `heed` is asked soon
            frame = frame.f_back
        raise KeyboardInterrupt

    def heed(self) -> None:
        """Raise KeyboardInterrupt if there was a Ctrl-C and this is the thread that it is for."""
        if self._came and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
