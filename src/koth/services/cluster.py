"""A machine that joins a cluster. Needs the extra `cluster`."""

from __future__ import annotations

from koth.contest.addresses import listening_host, scheduler_address
from koth.contest.cluster import make_security
from koth.contest.cluster_runner import WorkerConnection, join
from koth.contest.workers import all_cores_but_one
from koth.sandbox.levels import choose_level
from koth.services.observer import Observer
from koth.services.options import WorkerOptions


def join_cluster(address: str, options: WorkerOptions, observer: Observer) -> None:
    """Play matches for the scheduler at `address` until Ctrl-C. Raises KothError."""
    scheduler = scheduler_address(address)
    connection = WorkerConnection(scheduler, make_security(scheduler), options.listen)
    host = listening_host(scheduler, options.listen)
    isolation = choose_level(options.isolation)
    jobs = options.jobs or all_cores_but_one()
    many = f"{jobs} match{'es' if jobs > 1 else ''} at a time"
    observer.note(f"{many} for {scheduler}, listening on {host}, isolation {isolation.level}; Ctrl-C ends it")
    if scheduler.protocol == "tcp":
        observer.note("without TLS every user of this machine can run programs as you through this worker")
    join(connection, jobs, isolation, options.grants)
