"""Executors on this machine: this process, and several that take a match each, so that the death of one concerns its
own match only."""

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
    """Pool that plays a contest's matches, on this machine or on others."""

    pool: Executor
    play: Callable[..., Report | Failure | MissingBots]
    """What is submitted, with a job, and with bundles where they were lacking."""
    ahead: Callable[[], int]
    """How many jobs are worth being submitted before the first is done."""
    late: Callable[[], Iterable[Report]] = tuple
    """Reports of matches that were asked for again meanwhile, and reported."""


class InlineExecutor(Executor):
    """Pool that runs each job at once, in this process."""

    def submit(self, call: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(call(*args, **more))
        except Exception as error:
            future.set_exception(error)
        return future


class Workers(ThreadPoolExecutor):
    """Pool of `count` processes, each with a thread that feeds it and replaces it when it dies."""

    def __init__(self, count: int, runner: MatchRunner, on_progress: OnProgress) -> None:
        super().__init__(count)
        self._made_for = runner, on_progress
        self._lock = Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    def submit(self, call: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        """Call it in one of the processes. Its future has a KothError if that process ends."""
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
        """End the processes; with `cancel_futures` in the midst of their matches (their spawners end the bots)."""
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
        theirs.close()  # so that its death is the end of the pipe

    def do(self, what: Any, on_progress: OnProgress) -> Any:
        """Have it called there. Raises KothError when the process ends."""
        with contextlib.suppress(BrokenPipeError):  # it is dead: its pipe will say so
            self.pipe.send(what)
        while True:
            try:
                if self.pipe not in wait([self.pipe, self.process.sentinel]):
                    raise EOFError  # somebody else may still hold the other end
                told = self.pipe.recv()
            except (EOFError, ConnectionResetError):
                self.process.join()
                code = self.process.exitcode or 0
                end = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
                raise KothError(f"the process that played it ended ({end})") from None
            if not isinstance(told, ProgressEvent):
                return told
            on_progress(told)


_runner: list[tuple[MatchRunner, OnProgress]] = []
"""In a worker: where it plays, and how it tells of it."""


def play_there(job: Job, bundles: Sequence[Bundle] = ()) -> Report | Failure | MissingBots:
    """Play a job in a worker."""
    return play_job(*_runner[0], job, bundles)


def belong_to(parent: int) -> None:
    """Leave Ctrl-C to the process that has started this one, and die with it."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which bots would inherit
    if sys.platform == "linux":
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # the parent was gone before we asked


def _work(pipe: Connection, parent: int, runner: MatchRunner) -> None:
    """Do what comes through the pipe."""
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
    """Give a pool that plays so many matches at a time, in this process or in as many others."""
    if jobs == 1:
        yield MatchExecutor(InlineExecutor(), partial(play_job, runner, on_progress), lambda: 1)
        return
    workers = Workers(jobs, runner, on_progress)
    try:
        yield MatchExecutor(workers, play_there, lambda: jobs)
    finally:
        workers.shutdown(cancel_futures=True)
