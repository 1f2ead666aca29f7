"""A cluster that plays a contest's matches: Dask's scheduler and workers, used through Dask's own executor.

Each worker gets its own matches, two at a time, so koth knows which matches a lost worker had. These are submitted
again; the first report of a match counts.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from distributed import Client
from distributed.security import Security

from koth.contest.job import ClusterLost, OnProgress, ProgressEvent, Report, Requirements
from koth.contest.match_runner import MatchRunner
from koth.contest.run import MakeExecutor
from koth.contest.workers import MatchExecutor
from koth.errors import KothError, visible
from koth_cluster.addresses import SchedulerAddress, scheduler_address
from koth_cluster.worker import play_in_cluster, quieten, worker_refusal

JOBS_AHEAD = 2
"""The number of jobs submitted to one worker: the job being played, and the next."""
WORKERS_INTERVAL = 0.5
"""Seconds between two checks of the list of workers."""
SILENCE_LIMIT = 60.0
"""Seconds without a heartbeat after which other workers get a worker's matches."""
SCHEDULER_PATIENCE = 60.0
"""Seconds to wait for a scheduler that does not answer."""
MOST_LOSSES = 4
"""The number of workers lost during a match after which the match fails."""


def connect(address: str, note: Callable[[str], None]) -> MakeExecutor:
    """Return a function that makes the executor of matches, for `--cluster`: the entry point of `koth.executors`.

    Raises KothError for an address to which koth may not connect.
    """
    scheduler = scheduler_address(address)
    return partial(in_cluster, scheduler, make_security(scheduler), note)


def make_security(address: SchedulerAddress) -> Security:
    """Return Dask's security settings for this scheduler, from Dask's configuration. Raises KothError."""
    if address.protocol == "tcp":
        return Security(require_encryption=False)
    try:
        made = Security(require_encryption=True)
        made.get_connection_args("client")["ssl_context"].get_ca_certs()
    except (OSError, AttributeError, ValueError) as error:
        text = "Dask's configuration of its TLS has to name the certificates (koth docs clusters)"
        raise KothError(f"{address}: {error}: {text}") from None
    return made


@dataclass(eq=False)
class _Task:
    """A call to run in a worker, and the future of the call's result."""

    call: Callable[..., Any]
    args: tuple[Any, ...]
    future: Future[Any] = field(default_factory=Future)
    losses: int = 0


@dataclass(eq=False)
class _ClusterWorker:
    """A worker; `welcome` is True if the worker's koth and games were checked and fit the contest."""

    address: str
    executor: Executor
    tasks: list[_Task] = field(default_factory=list)
    """The tasks of the worker in the order of submission."""
    welcome: bool = False
    last_seen: float = 0.0
    since: float = 0.0
    """The time of the worker's last heartbeat, by this process's clock."""


class ClusterPool(Executor):
    """The workers of one scheduler, served by one thread."""

    def __init__(
        self,
        address: SchedulerAddress,
        security: Security,
        say: Callable[[str], None],
        requirements: Requirements,
        on_progress: OnProgress,
    ) -> None:
        """Connect to the scheduler; `say` is called with each worker that joins, is refused or is lost.

        Raises ClusterLost if the scheduler does not answer.
        """
        quieten()
        self.topic = f"koth-{uuid.uuid4().hex}"
        self.late: SimpleQueue[Report] = SimpleQueue()
        self._address, self._security, self._requirements = address, security, requirements
        self._on_progress, self._say = on_progress, say
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._queue: deque[_Task] = deque()
        self._workers: dict[str, _ClusterWorker] = {}
        self._looked = 0.0
        self._gone = ""
        self._open = True
        self._client = self._connect()
        self._thread = Thread(target=self._attend, daemon=True)
        self._thread.start()

    def ahead(self) -> int:
        """Return the number of jobs to submit before the first result."""
        return JOBS_AHEAD * max(1, sum(worker.welcome for worker in list(self._workers.values())))

    def submit(self, call: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        """Run a call in a worker. The future raises ClusterLost if the scheduler is lost for good."""
        task = _Task(partial(call, **more) if more else call, args)
        self._events.put(lambda: self._queue.append(task))
        return task.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; abandon the matches being played there."""
        self._open = False
        self._thread.join()
        with contextlib.suppress(Exception):
            self._client.close(timeout=5)

    # --- the thread

    def _attend(self) -> None:
        while self._open:
            with contextlib.suppress(Empty):
                self._events.get(timeout=WORKERS_INTERVAL)()
                while True:
                    self._events.get_nowait()()
            if self._gone:
                self._fail_tasks()
                continue
            try:
                if time.monotonic() - self._looked > WORKERS_INTERVAL:
                    self._update_workers()
                self._hand_out()
            except Exception as error:  # Dask raises many types when its scheduler is gone
                self._reconnect(error)

    def _hand_out(self) -> None:
        free = [worker for worker in self._workers.values() if worker.welcome and not self._is_silent(worker)]
        for full in range(JOBS_AHEAD):
            for worker in free:
                while self._queue and len(worker.tasks) <= full:
                    task = self._queue.popleft()
                    if not task.future.done():
                        self._submit_task(worker, task)

    def _submit_task(self, worker: _ClusterWorker, task: _Task) -> None:
        worker.tasks.append(task)
        self._call(worker, task.call, task.args, partial(self._finish_task, worker, task))

    def _call(
        self, worker: _ClusterWorker, call: Any, args: tuple[Any, ...], then: Callable[[Future[Any]], None]
    ) -> None:
        future = worker.executor.submit(call, *args)
        future.add_done_callback(lambda done: self._events.put(lambda: then(done)))

    def _finish_task(self, worker: _ClusterWorker, task: _Task, done: Future[Any]) -> None:
        """Handle the end of a task: a result, an error, or the loss of the worker or scheduler."""
        if task in worker.tasks:
            worker.tasks.remove(task)
        if done.cancelled():
            if not task.future.done() and task not in self._queue:
                self._queue.appendleft(task)
        elif task.future.done():
            if done.exception() is None and isinstance(done.result(), Report):
                self.late.put(done.result())
        elif (error := done.exception()) is not None:
            task.future.set_exception(error)
        else:
            task.future.set_result(done.result())

    # --- the workers

    def _update_workers(self) -> None:
        self._looked = now = time.monotonic()
        if self._client.status != "running":
            raise OSError("the connection is lost")
        there: dict[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        for address in list(self._workers.keys() - there.keys()):
            self._lose(self._workers.pop(address), "is gone")
        for address, info in there.items():
            worker = self._workers.get(address)
            if worker is None:
                worker = _ClusterWorker(address, self._client.get_executor(workers=[address], pure=False, retries=0))
                self._workers[address] = worker
                self._call(worker, worker_refusal, (self._requirements,), partial(self._admit_worker, worker))
            if info["last_seen"] != worker.last_seen:
                worker.last_seen, worker.since = info["last_seen"], now
            elif self._is_silent(worker) and worker.tasks:
                self._lose(worker, f"has been silent for {SILENCE_LIMIT:g} s")

    def _is_silent(self, worker: _ClusterWorker) -> bool:
        return time.monotonic() - worker.since > SILENCE_LIMIT

    def _lose(self, worker: _ClusterWorker, how: str) -> None:
        """Queue a lost worker's tasks again; a late report of the lost worker is still compared."""
        if worker.welcome:
            self._say(f"the worker {worker.address} {how}; its matches are submitted again")
        for place, task in enumerate(reversed(worker.tasks)):
            task.losses += place == len(worker.tasks) - 1
            if task.future.done():
                continue
            if task.losses >= MOST_LOSSES:
                task.future.set_exception(KothError(f"{task.losses} workers were lost with it"))
            else:
                self._queue.appendleft(task)
        worker.tasks.clear()

    def _admit_worker(self, worker: _ClusterWorker, done: Future[Any]) -> None:
        if done.cancelled():
            return
        problem = f"it is not a `koth worker` ({done.exception()})" if done.exception() else done.result()
        if problem:
            self._say(f"the worker {worker.address} is refused: {visible(problem)}")
            return
        worker.welcome = True
        self._say(f"the worker {worker.address} joins")

    # --- the scheduler

    def _connect(self) -> Client:
        """Connect to the scheduler. Raises ClusterLost if the scheduler does not answer in time or is refused."""
        end = time.monotonic() + SCHEDULER_PATIENCE
        while self._open:
            try:
                client = Client(str(self._address), security=self._security, timeout=5, set_as_default=False)
                self._check_scheduler(client)
                client.subscribe_topic(self.topic, self._on_event)
                return client
            except (OSError, ValueError) as error:
                if time.monotonic() > end:
                    raise ClusterLost(
                        f"no scheduler answers at {self._address}: {str(error).splitlines()[0]}"
                    ) from None
                time.sleep(WORKERS_INTERVAL)
        raise ClusterLost("the contest is over")

    def _check_scheduler(self, client: Client) -> None:
        """Raise ClusterLost if other machines may connect to the scheduler without TLS."""
        own = SchedulerAddress.parse(client.scheduler_info()["address"])
        if not own.is_guarded:
            client.close()
            text = f"the scheduler also listens on {own}, where any machine may connect and run programs"
            raise ClusterLost(f"{self._address}: {text}; start it with --host {self._address.host}, or use TLS")

    def _on_event(self, event: tuple[float, Any]) -> None:
        self._on_progress(ProgressEvent(**event[1]["news"]))

    def _reconnect(self, error: Exception) -> None:
        """Wait for a lost scheduler, and submit all tasks again."""
        self._say(
            f"the scheduler at {self._address} is lost ({visible(str(error) or type(error).__name__)}); waiting"
        )
        for worker in self._workers.values():
            for task in reversed(worker.tasks):
                if not task.future.done():
                    self._queue.appendleft(task)
        self._workers.clear()
        with contextlib.suppress(Exception):
            self._client.close(timeout=1)
        try:
            self._client = self._connect()
        except ClusterLost as stranded:
            self._gone = str(stranded)

    def _fail_tasks(self) -> None:
        while self._queue:
            task = self._queue.popleft()
            if not task.future.done():
                task.future.set_exception(ClusterLost(self._gone))


@contextlib.contextmanager
def in_cluster(
    address: SchedulerAddress,
    security: Security,
    say: Callable[[str], None],
    requirements: Requirements,
    _: MatchRunner,
    on_progress: OnProgress,
) -> Iterator[MatchExecutor]:
    """Yield an executor on all workers of the scheduler at this address. Raises ClusterLost."""
    cluster = ClusterPool(address, security, say, requirements, on_progress)

    def late() -> Iterator[Report]:
        with contextlib.suppress(Empty):
            while True:
                yield cluster.late.get_nowait()

    try:
        yield MatchExecutor(cluster, partial(play_in_cluster, cluster.topic), cluster.ahead, late)
    finally:
        cluster.shutdown()
