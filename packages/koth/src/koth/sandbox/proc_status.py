"""The `status` of processes and threads in /proc.

Supervisors import this module: it needs nothing but the standard library.
"""

from __future__ import annotations


def read_status(task: str) -> dict[bytes, bytes]:
    """Return the fields of a `status` by name, without the thread's own name. Raises OSError.

    `task` is the folder in /proc of a process or thread. A thread chooses its own name, the first line. The
    kernel escapes line feeds in the name, but not carriage returns, so only line feeds end a line.
    """
    with open(f"{task}/status", "rb") as file:
        _, *lines = file.read().split(b"\n")
    return {name: value for name, _, value in (line.partition(b":") for line in lines)}
