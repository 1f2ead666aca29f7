"""The machines that play a contest's matches: this machine, or a cluster."""

from __future__ import annotations

from functools import partial

from koth.contest.run import MakeExecutor
from koth.contest.workers import all_cores_but_one, on_this_machine
from koth.errors import KothError
from koth.extras import install_command, load_entry_point
from koth.services.observer import Observer


def choose_executor(
    jobs: int | None, cluster: str | None, observer: Observer, *, inline: bool = False
) -> MakeExecutor:
    """Return a function that makes the executor of matches.

    With `inline` functions play, which only this process has. Raises KothError for an address to which koth may not
    connect, and if functions would have to play elsewhere.
    """
    if inline and (cluster is not None or (jobs or 1) > 1):
        where = "a cluster" if cluster is not None else f"{jobs} processes"
        raise KothError(f"functions and classes play in this process, not in {where}: jobs=1")
    if cluster is None:
        return partial(on_this_machine, 1 if inline else jobs or all_cores_but_one())
    connect = load_entry_point("koth.executors", "cluster")
    if connect is None:
        raise KothError(f"--cluster takes another package of koth: {install_command('cluster')}")
    make_executor: MakeExecutor = connect(cluster, observer.note)
    return make_executor
