"""Contests on many machines: `koth run --cluster`, and `koth worker`, which joins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from koth.cli.said import HostOptions, TlsOptions, interpreters
from koth.cli.screen import errors, marked
from koth.contest.addresses import listening_host, scheduler_address
from koth.contest.cluster import Tls, in_cluster, security
from koth.contest.cluster_runner import Connection, join
from koth.contest.run import MakeExecutor
from koth.contest.speed import Speed
from koth.sandbox.levels import choose as isolation_level


class WorkerOptions(HostOptions, TlsOptions):
    """Options of `koth worker`."""

    jobs: int
    listen: str | None
    isolation: str | None
    allow_subprocesses: bool


def _tls(options: TlsOptions) -> Tls:
    return Tls(options["tls_ca_file"] or "", options["tls_cert"] or "", options["tls_key"] or "")


def executor_of(address: str, options: TlsOptions) -> Callable[[Speed], MakeExecutor]:
    """Return what makes a cluster's executor, for machines whose speed fits.

    Raises KothError for an address that koth may not connect to.
    """
    scheduler = scheduler_address(address)
    trusted = security(scheduler, _tls(options))
    return lambda speed: partial(in_cluster, scheduler, trusted, say, speed)


def say(text: str) -> None:
    """Show the host which workers join, are refused and are lost, above a spinner if there is one."""
    errors.print(marked(f"koth: {text}"))


def work(address: str, options: WorkerOptions) -> None:
    """Join a cluster until Ctrl-C."""
    given = interpreters(options)
    scheduler = scheduler_address(address)
    connection = Connection(scheduler, security(scheduler, _tls(options)), options["listen"])
    host = listening_host(scheduler, options["listen"])
    isolation = replace(isolation_level(options["isolation"]), trusts_processes=options["allow_subprocesses"])
    jobs = options["jobs"]
    many = f"{jobs} match{'es' if jobs > 1 else ''} at a time"
    say(f"{many} for {scheduler}, listening on {host}, isolation {isolation.level}; Ctrl-C ends it")
    if scheduler.protocol == "tcp":
        say("without TLS every user of this machine can run programs as you through this worker")
    join(connection, jobs, isolation, given)
