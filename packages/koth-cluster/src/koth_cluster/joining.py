"""`koth worker`: a machine that joins a cluster."""

from __future__ import annotations

from koth.cli.terminal import Terminal
from koth.contest.workers import all_cores_but_one
from koth.sandbox.levels import choose_level
from koth_cluster.addresses import listening_host, scheduler_address
from koth_cluster.executor import make_security
from koth_cluster.options import WorkerOptions
from koth_cluster.worker import WorkerConnection, join


def join_cluster(address: str, options: WorkerOptions) -> None:
    """Play matches for the scheduler at `address` until Ctrl-C. Raises KothError."""
    observer = Terminal()
    scheduler = scheduler_address(address)
    connection = WorkerConnection(scheduler, make_security(scheduler))
    host = listening_host(scheduler)
    isolation = choose_level(options.isolation)
    jobs = options.jobs or all_cores_but_one()
    many = f"{jobs} match{'es' if jobs > 1 else ''} at a time"
    observer.note(f"{many} for {scheduler}, listening on {host}, isolation {isolation.level}; Ctrl-C ends it")
    if scheduler.protocol == "tcp":
        observer.note("without TLS every user of this machine can run programs as you through this worker")
    join(connection, jobs, isolation, options.grants)
