"""Changes that koth makes to its own process, which may be another program that imports koth.

The choice of a level of isolation sets the umask and raises limits below those that bots are promised; the first
start of a program raises the limit of open files to its maximum; the first match of a contest excludes loaded objects
from garbage collection; a run at `strong+cgroup` moves the process into a cgroup beside the bots' cgroups. Importing
koth changes nothing.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import resource
from collections.abc import Sequence
from math import inf
from pathlib import Path

from koth.sandbox.child_setup import STACK_SIZE
from koth.sandbox.policy import FOR_BOTS, FOR_BUILDING
from koth.sandbox.seccomp import SENDER

HOST = "koth-host"
"""The name of the cgroup into which the process moves, below the cgroup in which it was started."""

NEEDED = FOR_BUILDING.rlimits() | {
    "RLIMIT_AS": inf,  # address space is no memory: some runtimes reserve far more than they use
    "RLIMIT_CORE": 0,
    "RLIMIT_CPU": FOR_BOTS.seconds,
    "RLIMIT_NOFILE": SENDER + 1,
    "RLIMIT_NPROC": FOR_BUILDING.tasks,
    "RLIMIT_STACK": STACK_SIZE,
}
"""The least limits, by name, with which koth can give every program what is promised to programs."""


def prepare_process() -> str:
    """Set right what this process has inherited and bots would suffer from; return what can't be set right, or "".

    The umask then leaves the owner all rights, and gives others no right to write.
    """
    os.umask(os.umask(0o077) & 0o077 | 0o002)
    try:
        os.getcwd()
    except OSError:
        return "the working directory has been removed: change to another"
    for name, needed in NEEDED.items():
        if (kind := getattr(resource, name, None)) is None:
            continue  # this system has no such limit
        limits = resource.getrlimit(kind)
        soft, hard = (inf if limit == resource.RLIM_INFINITY else limit for limit in limits)
        if hard < needed:
            least = "no limit" if needed == inf else f"{needed} or more"
            return f"the hard limit {name} is {hard} here (ulimit -Ha); bots need {least}"
        if soft < needed and name != "RLIMIT_DATA":  # see `bound_memory`
            resource.setrlimit(kind, (limits[1] if needed == inf else int(needed), limits[1]))
    return ""


def allow_open_files() -> None:
    """Raise the limit of open files to its maximum: a bot takes up to a dozen, and many systems start with 1,024."""
    with contextlib.suppress(ValueError, OSError):  # a system with a bound of its own
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@functools.cache
def freeze_loaded() -> None:
    """Exclude the loaded modules from garbage collection, which would scan the modules repeatedly during matches."""
    gc.collect()
    gc.freeze()


def move_aside(base: Path, controllers: Sequence[str]) -> None:
    """Move this process from `base` to a cgroup below it, and enable controllers for the children of `base`.

    A cgroup whose children have limits may hold no processes itself. Raises OSError, for example if `base` holds
    other processes; then nothing has changed.
    """
    try:
        (base / HOST).mkdir(exist_ok=True)
        (base / HOST / "cgroup.procs").write_text(str(os.getpid()))
        (base / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in controllers))
    except OSError:
        move_back(base, controllers)
        raise


def move_back(base: Path, controllers: Sequence[str]) -> None:
    """Undo `move_aside`, as far as the system allows."""
    with contextlib.suppress(OSError):
        (base / "cgroup.subtree_control").write_text(" ".join(f"-{name}" for name in controllers))
    with contextlib.suppress(OSError):
        (base / "cgroup.procs").write_text(str(os.getpid()))
        (base / HOST).rmdir()
