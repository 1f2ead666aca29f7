"""What a program uses in all, looked up from outside: memory, shared memory included, and tasks."""

from __future__ import annotations

import contextlib
import os

from koth.bots.sandbox.child import Child
from koth.bots.sandbox.policy import MEGABYTE, Policy

EVERY = 0.05
"""Seconds between two looks."""
SPARE = 64 * MEGABYTE
"""So much more than its limit may be seen: a limit inside stops most programs first, and more cleanly."""

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

TOLD = os.path.isdir("/proc/self")

WANTED = {b"RssAnon:": 0, b"RssShmem:": 0, b"VmSwap:": 0, b"VmPTE:": 0, b"HugetlbPages:": 0, b"Threads:": 1}
PER_TABLE = 512
"""What a page of a table tells of so many others: so much less than what is mapped do tables take, at most."""


def excess(child: Child, policy: Policy) -> str:
    """What of its limits a program is over, in words; empty if nothing, or where it can't be seen."""
    if not TOLD:
        return ""
    pid = child.program_pid()
    if not pid:
        return ""
    if not policy.processes and _is_modest(pid, policy):
        return ""
    memory = tasks = 0
    for one in _same_namespace(pid, child.room_pid()) if policy.processes else [pid]:
        used = _of(one)
        memory += used[0]
        tasks += used[1]
    if memory > policy.memory + SPARE:
        return f"it used {memory // MEGABYTE} MB of memory; {policy.memory // MEGABYTE} are allowed"
    if tasks > policy.tasks:
        return f"it had {tasks} threads; {policy.tasks} are allowed"
    return ""


def _is_modest(pid: int, policy: Policy) -> bool:
    """Whether the short account of one process already shows that it is within its limits.

    It is a third of the work of the full one; files that it has mapped count as memory here, and tables as if they
    were full.
    """
    try:
        threads = os.stat(f"/proc/{pid}/task").st_nlink - 2  # a folder for each, and the usual two links
        statm = os.open(f"/proc/{pid}/statm", os.O_RDONLY)
        try:
            mapped, pages = map(int, os.read(statm, 100).split()[:2])
        finally:
            os.close(statm)
    except (OSError, IndexError):
        return False
    return threads <= policy.tasks and (pages + mapped // PER_TABLE) * PAGE <= policy.memory


def _of(pid: int) -> tuple[int, int]:
    """Bytes and threads of one process; of one that is gone, none."""
    found = [0, 0]
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", "rb") as status:
        for line in status:
            at = WANTED.get(line.split(None, 1)[0])
            if at is not None:
                found[at] += int(line.split()[1])
    return found[0] * 1024, found[1]


def _same_namespace(pid: int, room: int) -> list[int]:
    """The processes of a sandbox: those that share its process's name space, without who holds it; or its session."""
    try:
        namespace = os.readlink(f"/proc/{pid}/ns/pid")
        own = os.readlink("/proc/self/ns/pid")
    except OSError:
        return []
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != room:
            with contextlib.suppress(OSError):
                if namespace == own:
                    if os.getsid(int(name)) == pid:
                        found.append(int(name))
                elif os.readlink(f"/proc/{name}/ns/pid") == namespace:
                    found.append(int(name))
    return found
