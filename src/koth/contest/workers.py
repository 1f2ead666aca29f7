"""Matches played side by side: processes that take a job each, with a pipe of their own, so that the death of one
concerns its own match only."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from koth.contest.job import Failure, Job, play_job
from koth.match import Result

CONTEXT = multiprocessing.get_context("spawn")
LOOK = 0.5
"""Seconds after which a Ctrl-C that came in a bad moment is looked for."""


class Worker:
    """One process that plays match after match. Its pipe brings turns, and at a match's end what came of it."""

    def __init__(self) -> None:
        self.pipe, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=_work, args=(theirs, os.getpid()), daemon=True)
        self.process.start()
        theirs.close()  # so that its death is the end of the pipe
        self.job: Job | None = None

    def give(self, job: Job) -> None:
        """Let it play this match."""
        self.job = job
        with contextlib.suppress(BrokenPipeError):  # it is dead: its pipe will say so
            self.pipe.send(job)

    def hear(self, tell: Callable[[int, int], None]) -> Result | Failure | None:
        """What has come through its pipe: an end of its match, or None for a turn, which is told."""
        assert self.job is not None
        try:
            if not self.process.is_alive() and not self.pipe.poll():
                raise EOFError  # somebody else may still hold the other end
            told = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            code = self.process.exitcode or 0
            end = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            return Failure(f"the process that played it ended ({end})")
        if isinstance(told, int):
            tell(self.job.match, told)
            return None
        result: Result | Failure = told
        return result

    def end(self, *, now: bool) -> None:
        """Let it go, or, with `now`, kill it in the middle of its match (its guardian ends the bots)."""
        if now:
            self.process.kill()
        self.pipe.close()
        self.process.join()


def _work(pipe: Connection, parent: int) -> None:
    """Play what comes through the pipe. A worker leaves Ctrl-C to its parent, and dies with it."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which bots would inherit
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)  # the parent was gone before we asked
    while True:
        try:
            job: Job = pipe.recv()
        except EOFError:
            return
        pipe.send(play_job(job, pipe.send))


class Workers:
    """So many matches at a time. A context manager: what is left is ended with it."""

    def __init__(self, jobs: int, heed: Callable[[], None], tell: Callable[[int, int], None]) -> None:
        self._jobs = jobs
        self._heed = heed
        self._tell = tell
        self._idle: list[Worker] = []
        self._busy: dict[Any, Worker] = {}

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._busy.values():
            worker.end(now=True)
        for worker in self._idle:
            worker.end(now=False)

    def play(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Result | Failure]]:
        """Play them all, and tell each end as it comes."""
        queue = deque(jobs)
        while queue or self._busy:
            while queue and len(self._busy) < self._jobs:
                worker = self._idle.pop() if self._idle else Worker()
                worker.give(queue.popleft())
                self._busy[worker.pipe] = worker
            ready = wait(list(self._busy), timeout=LOOK)
            self._heed()
            gone = [p for p, w in self._busy.items() if p not in ready and not w.process.is_alive()]
            for pipe in [*ready, *gone]:
                worker = self._busy[pipe]
                end = worker.hear(self._tell)
                if end is None:
                    continue
                del self._busy[pipe]
                job, worker.job = worker.job, None
                assert job is not None
                if worker.process.exitcode is None:
                    self._idle.append(worker)
                yield job, end
