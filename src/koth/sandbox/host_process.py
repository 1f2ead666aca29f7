"""Changes that koth makes to its own process, which may be another program that imports koth.

The first start of a program raises the limit of open files; the first match of a contest excludes loaded objects from
garbage collection; a run at `strong+cgroup` moves the process into a cgroup beside the bots' cgroups. Importing koth
changes nothing.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import resource
from collections.abc import Sequence
from pathlib import Path

HOST = "koth-host"
"""The name of the cgroup into which the process moves, below the cgroup in which it was started."""


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
