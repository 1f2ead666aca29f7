"""Processes of a hill's runner for work that does not wait for matches of the season."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from subprocess import PIPE, Popen
from threading import Event, Thread

from koth.contest.workers import die_with
from koth.discovery.interpreters import Interpreters
from koth.hill.connection import Hill, open_hill
from koth.sandbox.isolation import Isolation

RESTART_SECONDS = 5.0
"""Seconds until a side process that has ended is replaced."""


@dataclass
class SideProcesses:
    """Processes that run the given modules; a process that ends is replaced, until the context ends."""

    hill: Hill
    given: Interpreters
    isolation: Isolation
    modules: Sequence[str]
    _over: Event = field(default_factory=Event)
    _running: dict[int, Popen[bytes]] = field(default_factory=dict)

    def __enter__(self) -> SideProcesses:
        self._threads = [
            Thread(target=self._keep_running, args=[number], daemon=True) for number in range(len(self.modules))
        ]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for process in list(self._running.values()):
            process.kill()  # its spawner ends the bots
        for thread in self._threads:
            thread.join()

    def _keep_running(self, number: int) -> None:
        while not self._over.is_set():
            command = [sys.executable, "-P", "-m", self.modules[number], str(os.getpid())]
            with Popen(command, stdin=PIPE) as process:
                self._running[number] = process
                if self._over.is_set():
                    process.kill()
                with suppress(BrokenPipeError):
                    assert process.stdin is not None
                    for part in (sys.path, (self.hill.folder.absolute(), number, self.given, self.isolation)):
                        pickle.dump(part, process.stdin)
                    process.stdin.flush()
                process.wait()
            self._over.wait(RESTART_SECONDS)


@contextmanager
def open_side_process(parent: int) -> Iterator[tuple[Hill, int, Interpreters, Isolation]]:
    """Yield the hill, this process's number, the interpreters and the isolation sent by the runner `parent`.

    End this process with its parent.
    """
    die_with(parent)
    sys.path[:] = pickle.load(sys.stdin.buffer)
    folder, number, given, isolation = pickle.load(sys.stdin.buffer)
    with open_hill(folder) as hill:
        yield hill, number, given, isolation
