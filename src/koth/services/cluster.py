"""A machine that joins a cluster. Needs the extra `cluster`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from koth.contest.addresses import listening_host, scheduler_address
from koth.contest.cluster import Tls, security
from koth.contest.cluster_runner import WorkerConnection, join
from koth.contest.workers import all_cores_but_one
from koth.sandbox.levels import choose
from koth.services.observer import Observer
from koth.services.options import BotOptions


@dataclass(frozen=True, kw_only=True)
class WorkerOptions(BotOptions):
    """Options of a machine that plays matches for a cluster's contests."""

    jobs: int | None = None
    """Matches at the same time; None for one on each core but one."""
    listen: str | None = None
    """The address to listen on; None for the one that reaches the scheduler."""
    tls_ca_file: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    allow_subprocesses: bool = False
    """Accept bots that start programs where the CPU time of those can't be measured."""


def join_cluster(address: str, options: WorkerOptions, observer: Observer) -> None:
    """Play matches for the scheduler at this address until Ctrl-C. Raises KothError."""
    scheduler = scheduler_address(address)
    tls = Tls(options.tls_ca_file, options.tls_cert, options.tls_key)
    connection = WorkerConnection(scheduler, security(scheduler, tls), options.listen)
    host = listening_host(scheduler, options.listen)
    isolation = replace(choose(options.isolation), trusts_processes=options.allow_subprocesses)
    jobs = options.jobs or all_cores_but_one()
    many = f"{jobs} match{'es' if jobs > 1 else ''} at a time"
    observer.note(f"{many} for {scheduler}, listening on {host}, isolation {isolation.level}; Ctrl-C ends it")
    if scheduler.protocol == "tcp":
        observer.note("without TLS every user of this machine can run programs as you through this worker")
    join(connection, jobs, isolation, options.grants)
