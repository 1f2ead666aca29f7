"""The command `koth worker`, found by koth as an entry point; `joining.py` carries it out."""

from __future__ import annotations

import click

from koth.cli.commands.group import runs
from koth.cli.commands.options import takes
from koth_cluster.options import WorkerOptions


@click.command("worker", short_help="Play for a cluster.")
@click.argument("address")
@takes(WorkerOptions)
@runs("koth_cluster.joining.join_cluster")
def worker() -> None:
    """Join the Dask scheduler at ADDRESS and play matches for the contests there, until Ctrl-C.

    Use tls://HOST:PORT. tcp://127.0.0.1:PORT lets every user of the machine run programs as you: use it only where
    you are the only user. This machine builds and isolates the bots. It plays no contest of another version of koth,
    or with stronger isolation than it has.
    """
