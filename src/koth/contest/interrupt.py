"""Ctrl-C that is not lost."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class Interrupts:
    """While it is entered, Ctrl-C raises KeyboardInterrupt as ever, and `heed` raises it once more.

    Python can't let it out of a destructor, where a signal may well arrive: without `heed` it would be lost.
    """

    def __init__(self) -> None:
        self._came = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, _: int, frame: FrameType | None) -> None:
        self._came = True
        while frame is not None:
            if frame.f_code.co_name == "__del__":
                return  # what is raised here Python would only print; `heed` is asked soon
            frame = frame.f_back
        raise KeyboardInterrupt

    def heed(self) -> None:
        """Raise KeyboardInterrupt if there was a Ctrl-C."""
        if self._came:
            raise KeyboardInterrupt
