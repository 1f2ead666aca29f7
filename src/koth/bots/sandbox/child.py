"""A started program: its process, and what its sandbox tells of it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from typing import Any

from koth.bots.sandbox.cgroup import Cgroup


class Child(subprocess.Popen[bytes]):
    """A program that was started for koth, in a sandbox or plainly.

    In a sandbox of its own process the sandbox ends when the program does, and ends with its exit status.
    """

    status = -1
    """What bwrap tells of itself: a pipe of JSON objects; -1 where there is no such sandbox."""
    cgroup: Cgroup | None = None
    _told = b""
    _program = 0

    def program_pid(self) -> int:
        """The process of the program itself, as the host numbers it (0: not known any more)."""
        if self.status < 0:
            return self.pid
        if not self._program:
            self._program = int(self._tells().get("child-pid", 0))
        return self._program or self.pid

    def sandbox_failed(self) -> bool:
        """Whether the process has ended because its sandbox could not be made: no word of the bot's has run."""
        return self.status >= 0 and self.poll() not in (None, -signal.SIGKILL) and "exit-code" not in self._tells()

    def exit_status(self) -> int | None:
        """Its exit status, as Popen has it (negative: the signal that ended it); None while it runs."""
        code = self.poll()
        if self.status >= 0 and code is not None and code > 128 and code - 128 in signal.valid_signals():
            return 128 - code
        return code

    def _tells(self) -> dict[str, Any]:
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self.status, 4096):
                self._told += data
        told: dict[str, Any] = {}
        for line in self._told.split(b"\n"):
            with contextlib.suppress(ValueError):
                told.update(json.loads(line))
        return told

    def strike(self) -> None:
        """Kill it, whatever it is doing, and do not wait for its end."""
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill it, whatever it is doing, and wait for its end."""
        self.strike()
        self.wait()

    def forget(self) -> None:
        """Give back what koth holds of it beside its pipes, once it has ended."""
        if self.status >= 0:
            os.close(self.status)
            self.status = -1
        if self.cgroup is not None:
            self.cgroup.remove()
            self.cgroup = None
