"""Cgroups (version 2): one for each bot that may start processes, with limits where koth controls memory and pids."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import secrets
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from koth.sandbox.host_process import HOST, move_aside, move_back
from koth.sandbox.policy import SandboxPolicy

CONTROLLERS = ("memory", "pids")


@dataclass(frozen=True)
class Cgroup:
    """The cgroup of one program, which holds all the program's processes from the first instruction on."""

    folder: Path

    @classmethod
    def make(cls, parent: Path, policy: SandboxPolicy | None = None) -> Cgroup:
        """Make a new cgroup, with the limits of a policy. Raises OSError.

        The name is random, so that a program that reads the name learns nothing about koth or other matches.
        """
        folder = parent / f"koth-{secrets.token_hex(8)}"
        folder.mkdir()
        cgroup = cls(folder)
        try:
            for name, limit in cgroup._limits(policy) if policy is not None else ():
                (folder / name).write_text(limit)
        except OSError:
            cgroup.remove()
            raise
        return cgroup

    def _limits(self, policy: SandboxPolicy) -> list[tuple[str, str]]:
        limits = [("memory.max", str(policy.memory)), ("pids.max", str(policy.tasks))]
        if (self.folder / "memory.swap.max").exists():
            limits.append(("memory.swap.max", "0"))
        return limits

    def pids(self) -> list[int]:
        """Return the process numbers, as this process sees them; none once the cgroup has been removed."""
        with contextlib.suppress(OSError):
            return [int(pid) for pid in (self.folder / "cgroup.procs").read_bytes().split()]
        return []

    def ran_out_of_memory(self) -> bool:
        """Return whether the kernel has killed a process for lack of memory."""
        with contextlib.suppress(OSError):
            for line in (self.folder / "memory.events").read_text().splitlines():
                if line.startswith("oom_kill ") and line.split()[1] != "0":
                    return True
        return False

    def kill(self) -> None:
        """Kill every process of the cgroup."""
        with contextlib.suppress(OSError):
            (self.folder / "cgroup.kill").write_text("1")

    def remove(self) -> None:
        """Kill the processes and remove the cgroup."""
        self.kill()
        for _ in range(200):
            try:
                self.folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.005)
            else:
                return


@functools.cache
def cpu_cgroup_parent() -> Path | None:
    """Return the folder in which cgroups that count CPU time can be made, or None. No controllers are needed.

    The first call tests a new cgroup with a program, and its result is cached.
    """
    base = _find_own()
    if base is None:
        return None
    try:
        cgroup = Cgroup.make(base)
    except OSError:
        return None
    try:
        with subprocess.Popen(["/bin/sh", "-c", "read end"], stdin=subprocess.PIPE) as program:
            (cgroup.folder / "cgroup.procs").write_text(str(program.pid))
        counts = (cgroup.folder / "cpu.stat").read_text().startswith("usage_usec ")
    except OSError:
        counts = False
    cgroup.remove()
    return base if counts else None


def _find_own() -> Path | None:
    mount = _find_mount()
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/cgroup").read_bytes().split(b"\n")
        path = os.fsdecode(next(line for line in lines if line.startswith(b"0::")))
        return mount / path[3:].lstrip("/") if mount is not None else None
    return None


def prepare() -> tuple[Path | None, str]:
    """Return a folder in which programs' cgroups can be made with limits, or None with the reason.

    The process moves into a cgroup of its own (`koth.sandbox.host_process`), unless it has one or is in the root
    cgroup.
    """
    base = _find_own()
    if base is None:
        return None, "this machine has no cgroup v2"
    try:
        available = (base / "cgroup.controllers").read_text().split()
        lacking = [name for name in CONTROLLERS if name not in available]
        if lacking:
            return None, f"koth's cgroup has no controllers for {' and '.join(lacking)}"
        if base.name == HOST:
            return base.parent, ""
        if base == _find_mount():  # the root of all may hold processes
            (base / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in CONTROLLERS))
        else:
            move_aside(base, CONTROLLERS)
    except OSError as error:
        return None, f"koth can't change its cgroup ({error})"
    return base, ""


def undo(base: Path) -> None:
    """Undo `prepare`, because the cgroups can't be used."""
    if base != _find_mount():
        move_back(base, CONTROLLERS)


ESCAPE = re.compile(rb"\\([0-7]{3})")
"""An escaped character of a path in the kernel's lists of mounts: white space and backslashes in octal."""


def _find_mount() -> Path | None:
    """Return the mount point of cgroups of version 2, or None.

    A path in the list may contain any characters except line feeds and spaces, so only these two separate.
    """
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mounts").read_bytes().split(b"\n"):
            _, place, kind, *_ = [*line.split(b" "), b"", b"", b""]
            if kind == b"cgroup2":
                return Path(os.fsdecode(ESCAPE.sub(lambda code: bytes([int(code[1], 8)]), place)))
    return None
