"""The processes that play drafts, started beside a hill's runner and replaced when they end."""

from __future__ import annotations

import os
import pickle
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from subprocess import PIPE, Popen
from threading import Event, Thread

from koth.contest.workers import belong_to
from koth.discovery.interpreters import Interpreters
from koth.games import load
from koth.hill.connection import Hill, opened
from koth.sandbox.isolation import Isolation
from koth.warmup import compile_once

PROCESSES = 2
"""Drafts that are played at the same time; of one author one is."""
LOOK = 0.3
"""Seconds after which a process that has nothing to play looks again."""
AGAIN = 5.0
"""Seconds after which a process that has ended is replaced."""


@dataclass
class DraftProcesses:
    """The processes of a runner: each is replaced when it ends, until the context does."""

    hill: Hill
    given: Interpreters
    isolation: Isolation
    _over: Event = field(default_factory=Event)
    _running: dict[int, Popen[bytes]] = field(default_factory=dict)

    def __enter__(self) -> DraftProcesses:
        self._threads = [Thread(target=self._keep, args=[number], daemon=True) for number in range(PROCESSES)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for process in list(self._running.values()):
            process.kill()  # its spawner ends the bots
        for thread in self._threads:
            thread.join()

    def _keep(self, number: int) -> None:
        """Start a process again and again."""
        while not self._over.is_set():
            command = [sys.executable, "-P", "-m", "koth.hill.draft_processes", str(os.getpid())]
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
            self._over.wait(AGAIN)


def serve(parent: int) -> None:
    """Play drafts until the parent process ends; the hill and the isolation come from stdin."""
    belong_to(parent)
    sys.path[:] = pickle.load(sys.stdin.buffer)
    folder, number, given, isolation = pickle.load(sys.stdin.buffer)
    with opened(folder) as hill:
        from koth.hill.draft_runner import DraftRunner  # the models need the hill
        from koth.hill.drafts import claim, end_left

        game = load(hill.game)
        compile_once(game)
        player = f"{socket.gethostname()} {number}"
        end_left(player)
        runner = DraftRunner.of(hill, game, given, isolation, number)
        while True:
            draft = claim(player)
            if draft is None:
                time.sleep(LOOK)
            else:
                runner.play(draft)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
