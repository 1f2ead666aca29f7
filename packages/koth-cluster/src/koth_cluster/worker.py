"""A machine that has joined a cluster: Dask worker processes that play matches for any contest.

Each process receives a bot's files once and builds the bot in a sandbox of this machine.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing.connection
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import dask
from distributed import Worker, get_worker
from distributed.security import Security

from koth.contest.addresses import format_host
from koth.contest.bundle import Bundle
from koth.contest.job import BotRef, Failure, Job, MissingBots, ProgressEvent, Report, Requirements
from koth.contest.match_runner import play_job, refusal
from koth.contest.preflight import build
from koth.contest.workers import die_with
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.files.folders import remove
from koth.game import Game
from koth.match import Entrant
from koth.replay.names import replay_name
from koth.sandbox import levels
from koth.sandbox.isolation import Isolation
from koth.session.bot import Bot
from koth_cluster.addresses import SchedulerAddress, listening_host

DASK_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.worker.http.routes": [],
}
"""Dask's settings for a worker: no profiler (with a hundred interrupts a second), no pages over HTTP."""
HTTP_ADDRESS = "127.0.0.1:0"
"""The address of the HTTP server that Dask starts in each worker: loopback and a free port."""
RESTART_PAUSE = 1.0
"""Seconds after which an ended process is restarted."""


@dataclass
class ClusterRunner:
    """A match runner in a worker; unpacks and builds bots, and caches them until the process ends."""

    isolation: Isolation
    interpreters: Interpreters
    folder: Path
    bots: dict[tuple[str, str, str], Bot] = field(default_factory=dict)
    """Built bots by game, name and digest."""

    @property
    def replays(self) -> Path:
        return self.folder / "replays"

    def replay(self, job: Job) -> Path:
        return self.replays / replay_name(job.match)

    def entrants(self, game: Game, seats: Sequence[BotRef], bundles: Sequence[Bundle]) -> list[Entrant] | MissingBots:
        """Return the bots of a match, built and sealed. Raises KothError."""
        for bundle in bundles:
            bundle.write(self.folder / "files")
        missing = [(bot_ref.content, bot_ref.file) for bot_ref in seats if not self._path(bot_ref).exists()]
        if missing:
            return MissingBots(tuple(dict.fromkeys(missing)))
        return [self._bot(game, bot_ref) for bot_ref in seats]

    def _path(self, bot_ref: BotRef) -> Path:
        if not bot_ref.content:
            raise KothError(f"{bot_ref.name} is a function: it can't play in a cluster")
        return self.folder / "files" / bot_ref.content / bot_ref.file

    def _bot(self, game: Game, bot_ref: BotRef) -> Bot:
        key = (game.name, bot_ref.name, bot_ref.digest)
        if key not in self.bots:
            path = self._path(bot_ref)
            where = path.with_name(f"{path.name}#{bot_ref.entry}") if bot_ref.entry else path
            bot = load_bot(game, where, self.interpreters, bot_ref.name, self.isolation)
            if bot.digest != bot_ref.digest:
                raise KothError(f"{bot_ref.name}: its files make another bot on this machine ({bot.digest})")
            built, problem = build(bot, self.folder / "bots", self.isolation)
            if problem:
                raise KothError(f"{bot_ref.name}: {problem}")
            self.bots[key] = built
        return self.bots[key]


_runner: list[ClusterRunner] = []
"""The runner of this process, if the process is a worker; otherwise empty."""


class Unwanted(Exception):
    """Raised when the contest no longer waits for a match."""


def worker_refusal(requirements: Requirements) -> str:
    """Return why this worker does not meet a contest's requirements, or "". Contests call this function."""
    if not _runner:
        raise KothError("it was not started by koth")
    return refusal(_runner[0].isolation, requirements)


def play_in_cluster(topic: str, job: Job, bundles: Sequence[Bundle] = ()) -> Report | Failure | MissingBots:
    """Play a job in a worker; publish progress to the Dask topic."""
    worker = get_worker()
    key = worker.get_current_task()

    def on_progress(event: ProgressEvent) -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            raise Unwanted("the contest no longer waits for this match")
        worker.log_event(topic, {"news": asdict(event)})

    replay = _runner[0].replays
    try:
        return play_job(_runner[0], on_progress, job, bundles)
    finally:
        for file in replay.iterdir():
            file.unlink(missing_ok=True)


def quieten() -> None:
    """Silence Dask's logs: koth reports the relevant events itself.

    Leaving a cluster cancels running matches; Dask does not catch these errors, so Tornado would log them.
    """
    for name in ["distributed", *logging.root.manager.loggerDict]:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("tornado.application").addFilter(_is_no_cancelled_future)


def _is_no_cancelled_future(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, CancelledError)


@dataclass(frozen=True)
class WorkerConnection:
    """A worker's scheduler and security settings."""

    scheduler: SchedulerAddress
    security: Security


def join(connection: WorkerConnection, jobs: int, isolation: Isolation, interpreters: Interpreters) -> None:
    """Play matches of a scheduler on this machine, `jobs` at a time, until Ctrl-C.

    A process that ends or loses the scheduler is restarted and waits for the scheduler.
    """
    folder = tempfile.mkdtemp(prefix="koth-worker-")
    begin = partial(_start_process, (connection, isolation, interpreters, folder))
    workers = [begin() for _ in range(jobs)]
    try:
        while True:
            multiprocessing.connection.wait([worker.sentinel for worker in workers])
            time.sleep(RESTART_PAUSE)
            workers = [worker if worker.is_alive() else begin() for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.join()
        remove(Path(folder))


def _start_process(how: tuple[Any, ...]) -> Any:
    process = multiprocessing.get_context("spawn").Process(target=_run_process, args=(os.getpid(), *how), daemon=True)
    process.start()
    return process


def _run_process(
    parent: int, connection: WorkerConnection, isolation: Isolation, interpreters: Interpreters, folder: str
) -> None:
    """Run a Dask worker until the scheduler is gone."""
    die_with(parent)
    dask.config.set(DASK_SETTINGS)
    own = tempfile.mkdtemp(dir=folder)
    _prepare_process(ClusterRunner(isolation, interpreters, Path(own)))
    asyncio.run(_serve(connection, own))
    remove(Path(own))
    os._exit(0)  # a match may still be played, whose bots end with this process


def _prepare_process(runner: ClusterRunner) -> None:
    quieten()
    sys.setswitchinterval(0.0005)  # Dask's thread must not delay a match's thread
    runner.replays.mkdir()
    _runner.append(runner)


def dask_setup(worker: Worker) -> None:
    """Prepare a worker that `dask worker --preload koth_cluster.worker` starts.

    Ends the process if other machines may connect to the process without TLS. Raises KothError if the worker has
    several threads: Dask logs the error, and contests refuse the worker.
    """
    if exposed := _find_exposed_address(worker):
        text = f"{exposed}: any machine may connect to this worker and run programs; use TLS, or --host 127.0.0.1"
        raise SystemExit(f"koth: {text}")
    if worker.state.nthreads != 1:
        raise KothError(f"a worker plays one match at a time: --nthreads 1, not {worker.state.nthreads}")
    folder = Path(worker.local_directory) / "koth"
    folder.mkdir()
    _prepare_process(ClusterRunner(levels.choose_level(None), Interpreters(), folder))


def _find_exposed_address(worker: Worker) -> str:
    """Return an address where the worker or its nanny accepts other machines without TLS, or ""."""
    addresses = [listener.listen_address for listener in worker.listeners]
    addresses += [worker.nanny] if worker.nanny else []
    return next((address for address in addresses if not SchedulerAddress.parse(address).is_guarded), "")


async def _serve(connection: WorkerConnection, folder: str) -> None:
    scheduler = connection.scheduler
    where = {
        "host": format_host(await _host(scheduler)),
        "protocol": scheduler.protocol,
        "dashboard_address": HTTP_ADDRESS,
    }
    more: dict[str, Any] = {"nthreads": 1, "memory_limit": 0, "dashboard": False, "local_directory": folder}
    async with Worker(str(scheduler), security=connection.security, **where, **more) as worker:
        await worker.finished()


async def _host(scheduler: SchedulerAddress) -> str:
    """Return the address to listen on; wait while this machine lacks that address (its network may be down)."""
    while True:
        try:
            return listening_host(scheduler)
        except KothError:
            await asyncio.sleep(RESTART_PAUSE)
