"""The process of a hill's runner that plays visits, which do not wait for matches of the season."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from subprocess import PIPE, Popen
from threading import Event, Thread

from koth.contest.workers import die_with
from koth.discovery.interpreters import Interpreters
from koth.sandbox.isolation import Isolation
from koth_hill.connection import Hill, open_hill

RESTART_SECONDS = 5.0
"""Seconds until a process that has ended is replaced."""


@dataclass
class SideProcess:
    """A process that runs a module; if it ends, it is replaced, until the context ends."""

    hill: Hill
    given: Interpreters
    isolation: Isolation
    module: str
    _over: Event = field(default_factory=Event)
    _running: Popen[bytes] | None = None

    def __enter__(self) -> SideProcess:
        self._thread = Thread(target=self._keep_running, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._running is not None:
            self._running.kill()  # its spawner ends the bots
        self._thread.join()

    def _keep_running(self) -> None:
        while not self._over.is_set():
            with Popen([sys.executable, "-P", "-m", self.module, str(os.getpid())], stdin=PIPE) as process:
                self._running = process
                if self._over.is_set():
                    process.kill()
                with suppress(BrokenPipeError):
                    assert process.stdin is not None
                    for part in (sys.path, (self.hill.folder.absolute(), self.given, self.isolation)):
                        pickle.dump(part, process.stdin)
                    process.stdin.flush()
                process.wait()
            self._over.wait(RESTART_SECONDS)


@contextmanager
def open_side_process(parent: int) -> Iterator[tuple[Hill, Interpreters, Isolation]]:
    """Yield the hill, the interpreters and the isolation sent by the runner `parent`; end with this parent."""
    die_with(parent)
    sys.path[:] = pickle.load(sys.stdin.buffer)
    folder, given, isolation = pickle.load(sys.stdin.buffer)
    with open_hill(folder) as hill:
        yield hill, given, isolation
