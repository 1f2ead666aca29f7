"""Executors on this machine: this process, or several processes that play a match each.

A process that dies affects only its own match.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from subprocess import PIPE, Popen
from threading import Lock
from typing import Any

from koth.contest.bundle import Bundle
from koth.contest.job import Failure, Job, MissingBots, OnProgress, ProgressEvent, Report, Requirements
from koth.contest.match_runner import MatchRunner, play_job
from koth.errors import KothError
from koth.sandbox import system


@dataclass(frozen=True)
class MatchExecutor:
    """A pool that plays a contest's matches, on this machine or on others."""

    pool: Executor
    play: Callable[..., Report | Failure | MissingBots]
    """The function to submit, with a job, and with the bundles of missing bots."""
    ahead: Callable[[], int]
    """A function that returns the number of jobs to submit before the first result."""
    late: Callable[[], Iterable[Report]] = tuple
    """A function that returns second reports of matches that were submitted again."""


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
    """A pool of `count` processes; a process that dies is replaced."""

    def __init__(self, count: int, runner: MatchRunner, on_progress: OnProgress) -> None:
        super().__init__(count)
        self._made_for = runner, on_progress
        self._lock = Lock()
        self._idle: list[_WorkerProcess] = []
        self._busy: set[_WorkerProcess] = set()

    def play(self, job: Job, bundles: Sequence[Bundle] = ()) -> Report | Failure | MissingBots:
        """Play a job in one of the processes. Raises KothError if the process ends."""
        with self._lock:
            worker = self._idle.pop() if self._idle else _WorkerProcess(self._made_for[0])
            self._busy.add(worker)
        try:
            done = worker.play(job, bundles, self._made_for[1])
        finally:
            with self._lock:
                self._busy.discard(worker)
        with self._lock:
            self._idle.append(worker)
        return done

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, with `cancel_futures` even during matches (spawners then end the bots)."""
        with self._lock:
            for worker in self._busy if cancel_futures else ():
                worker.process.kill()
        super().shutdown(wait, cancel_futures=cancel_futures)
        for worker in self._idle:
            worker.close()
        self._idle.clear()


class _WorkerProcess:
    """One worker process. Jobs go to stdin; progress and results come from stdout, as pickles."""

    def __init__(self, runner: MatchRunner) -> None:
        command = [sys.executable, "-P", "-m", "koth.contest.workers", str(os.getpid())]
        self.process = Popen(command, stdin=PIPE, stdout=PIPE)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._jobs, self._results = self.process.stdin, self.process.stdout
        self._send(sys.path)
        self._send(runner)

    def play(self, job: Job, bundles: Sequence[Bundle], on_progress: OnProgress) -> Report | Failure | MissingBots:
        """Play a job in the process and return the result. Raises KothError when the process ends."""
        self._send((job, bundles))
        while True:
            try:
                received: ProgressEvent | Report | Failure | MissingBots = pickle.load(self._results)
            except (EOFError, pickle.UnpicklingError):
                self.close()
                code = self.process.returncode
                end = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
                raise KothError(f"the process that played it ended ({end})") from None
            if not isinstance(received, ProgressEvent):
                return received
            on_progress(received)

    def close(self) -> None:
        """End an idle process, and wait for the end."""
        with contextlib.suppress(BrokenPipeError):
            self._jobs.close()
        self._results.close()
        self.process.wait()

    def _send(self, content: object) -> None:
        with contextlib.suppress(BrokenPipeError):  # the process is dead, which reading its results will show
            pickle.dump(content, self._jobs)
            self._jobs.flush()


def die_with(parent: int) -> None:
    """Ignore Ctrl-C, which the parent process handles; end when the parent ends."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which bots would inherit
    if sys.platform == "linux":
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # the parent ended before prctl took effect


def serve_jobs(parent: int) -> None:
    """Play jobs from stdin until end of file; write progress and results to stdout."""
    die_with(parent)
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what else this process prints must not get between the results

    def send(content: object) -> None:
        pickle.dump(content, results)
        results.flush()

    sys.path[:] = pickle.load(sys.stdin.buffer)
    runner: MatchRunner = pickle.load(sys.stdin.buffer)
    while True:
        try:
            job, bundles = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        send(play_job(runner, send, job, bundles))


def all_cores_but_one() -> int:
    """Return the default number of matches to play at a time: all cores but one, at least 1."""
    return max(1, len(os.sched_getaffinity(0)) - 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 2) - 1)


@contextmanager
def on_this_machine(
    jobs: int, _: Requirements, runner: MatchRunner, on_progress: OnProgress
) -> Iterator[MatchExecutor]:
    """Yield a pool that plays `jobs` matches at a time: one in this process, several in as many processes."""
    if jobs == 1:
        yield MatchExecutor(InlineExecutor(), partial(play_job, runner, on_progress), lambda: 1)
        return
    workers = Workers(jobs, runner, on_progress)
    try:
        yield MatchExecutor(workers, workers.play, lambda: jobs)
    finally:
        workers.shutdown(cancel_futures=True)


if __name__ == "__main__":
    serve_jobs(int(sys.argv[1]))
