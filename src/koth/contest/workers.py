"""Executors on this machine: in this process, or in several that play a match each, so that the death of one affects
only its own match.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from threading import Lock
from typing import Any

from koth.contest.bundle import Bundle
from koth.contest.job import Failure, Job, MissingBots, OnProgress, ProgressEvent, Report, Requirements
from koth.contest.match_runner import MatchRunner, play_job
from koth.errors import KothError
from koth.sandbox import system

CONTEXT = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class MatchExecutor:
    """A pool that plays a contest's matches, on this machine or on others."""

    pool: Executor
    play: Callable[..., Report | Failure | MissingBots]
    """The function to submit, with a job, and with bundles if they were missing."""
    ahead: Callable[[], int]
    """Returns the number of jobs worth submitting before the first is done."""
    late: Callable[[], Iterable[Report]] = tuple
    """Returns second reports of matches that were submitted again."""


class InlineExecutor(Executor):
    """A pool that runs each job at once, in this process."""

    def submit(self, call: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(call(*args, **more))
        except Exception as error:
            future.set_exception(error)
        return future


class Workers(ThreadPoolExecutor):
    """A pool of `count` processes, each with a thread that feeds it and replaces it when it dies."""

    def __init__(self, count: int, runner: MatchRunner, on_progress: OnProgress) -> None:
        super().__init__(count)
        self._made_for = runner, on_progress
        self._lock = Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    def submit(self, call: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        """Make this call in one of the processes. The future raises KothError if that process ends."""
        return super().submit(self._elsewhere, call, args, more)

    def _elsewhere(self, *what: Any) -> Any:
        with self._lock:
            worker = self._idle.pop() if self._idle else _Worker(self._made_for[0])
            self._busy.add(worker)
        try:
            done = worker.do(what, self._made_for[1])
        finally:
            with self._lock:
                self._busy.discard(worker)
        with self._lock:
            self._idle.append(worker)
        return done

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes; with `cancel_futures` during their matches (their spawners end the bots)."""
        with self._lock:
            for worker in self._busy if cancel_futures else ():
                worker.process.kill()
        super().shutdown(wait, cancel_futures=cancel_futures)
        for worker in self._idle:
            worker.pipe.close()
            worker.process.join()
        self._idle.clear()


class _Worker:
    """One worker process. Its pipe carries progress, and then the result of a call."""

    def __init__(self, runner: MatchRunner) -> None:
        self.pipe, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=_work, args=(theirs, os.getpid(), runner), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe ends with the process

    def do(self, what: Any, on_progress: OnProgress) -> Any:
        """Make a call in the process and return its result. Raises KothError when the process ends."""
        with contextlib.suppress(BrokenPipeError):  # the process is dead, which recv will notice
            self.pipe.send(what)
        while True:
            try:
                if self.pipe not in wait([self.pipe, self.process.sentinel]):
                    raise EOFError  # another process may still hold the other end
                received = self.pipe.recv()
            except (EOFError, ConnectionResetError):
                self.process.join()
                code = self.process.exitcode or 0
                end = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
                raise KothError(f"the process that played it ended ({end})") from None
            if not isinstance(received, ProgressEvent):
                return received
            on_progress(received)


_runner: list[tuple[MatchRunner, OnProgress]] = []
"""The runner of a worker process, and its callback for progress."""


def play_there(job: Job, bundles: Sequence[Bundle] = ()) -> Report | Failure | MissingBots:
    """Play a job in a worker."""
    return play_job(*_runner[0], job, bundles)


def belong_to(parent: int) -> None:
    """Ignore Ctrl-C, which the parent process handles, and die with the parent."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which bots would inherit
    if sys.platform == "linux":
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # the parent ended before prctl took effect


def _work(pipe: Connection, parent: int, runner: MatchRunner) -> None:
    """Make the calls that come through the pipe."""
    belong_to(parent)
    _runner.append((runner, pipe.send))
    while True:
        try:
            call, args, more = pipe.recv()
        except EOFError:
            return
        pipe.send(call(*args, **more))


@contextmanager
def on_this_machine(
    jobs: int, _: Requirements, runner: MatchRunner, on_progress: OnProgress
) -> Iterator[MatchExecutor]:
    """Yield a pool that plays `jobs` matches at a time, in this process or in as many others."""
    if jobs == 1:
        yield MatchExecutor(InlineExecutor(), partial(play_job, runner, on_progress), lambda: 1)
        return
    workers = Workers(jobs, runner, on_progress)
    try:
        yield MatchExecutor(workers, play_there, lambda: jobs)
    finally:
        workers.shutdown(cancel_futures=True)
