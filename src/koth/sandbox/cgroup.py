"""Cgroups (version 2): one for each bot that may start processes, with limits where koth has controllers."""

from __future__ import annotations

import contextlib
import functools
import secrets
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from koth.sandbox.host_process import HOST, move_aside, move_back
from koth.sandbox.policy import Policy

NEEDED = ("memory", "pids")


@dataclass(frozen=True)
class Cgroup:
    """The cgroup of one program: all its processes from its first instruction on, whatever they become."""

    folder: Path

    @classmethod
    def make(cls, parent: Path, policy: Policy | None = None) -> Cgroup:
        """Make a new one, with the limits of a policy. Raises OSError.

        Its name is random: a program that reads it learns nothing of koth or of other matches.
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

    def _limits(self, policy: Policy) -> list[tuple[str, str]]:
        limits = [("memory.max", str(policy.memory)), ("pids.max", str(policy.tasks))]
        if (self.folder / "memory.swap.max").exists():
            limits.append(("memory.swap.max", "0"))
        return limits

    def pids(self) -> list[int]:
        """List its processes in the numbering of this process; none once it has been removed."""
        with contextlib.suppress(OSError):
            return [int(pid) for pid in (self.folder / "cgroup.procs").read_bytes().split()]
        return []

    def freeze(self, *, frozen: bool) -> None:
        """Freeze all its processes, or let them run again; no signal but SIGKILL reaches a frozen process."""
        with contextlib.suppress(OSError):  # it has ended, and was removed
            (self.folder / "cgroup.freeze").write_text(str(int(frozen)))

    def ran_out_of_memory(self) -> bool:
        """Return whether the kernel has killed one of its processes for the memory it used."""
        with contextlib.suppress(OSError):
            for line in (self.folder / "memory.events").read_text().splitlines():
                if line.startswith("oom_kill ") and line.split()[1] != "0":
                    return True
        return False

    def kill(self) -> None:
        """Kill every process in it."""
        with contextlib.suppress(OSError):
            (self.folder / "cgroup.kill").write_text("1")

    def remove(self) -> None:
        """Remove it; its processes are gone or going."""
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
    """Return the folder in which cgroups can be made that count CPU time, or None. This needs no controllers.

    Tried once in the life of this process, by a program that is moved into one.
    """
    base = _own()
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


def _own() -> Path | None:
    """Return the cgroup of this process; None where there is no version 2."""
    mount = _mount()
    with contextlib.suppress(OSError, StopIteration):
        own = next(line for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::"))
        return mount / own[3:].lstrip("/") if mount is not None else None
    return None


def prepare() -> tuple[Path | None, str]:
    """Return a folder in which programs' cgroups can be made with limits, and, if there is none, why.

    This moves the process into a cgroup beside those (`koth.sandbox.host_process`), unless it is in one already.
    """
    base = _own()
    if base is None:
        return None, "there is no cgroup v2 here"
    try:
        available = (base / "cgroup.controllers").read_text().split()
        lacking = [name for name in NEEDED if name not in available]
        if lacking:
            return None, f"koth's cgroup has no controllers for {' and '.join(lacking)}"
        if base.name == HOST:
            return base.parent, ""
        if base == _mount():  # the root of all may hold processes
            (base / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in NEEDED))
        else:
            move_aside(base, NEEDED)
    except OSError as error:
        return None, f"koth's cgroup is not its own ({error})"
    return base, ""


def undo(base: Path) -> None:
    """Undo `prepare`, where its cgroups turned out to be of no use."""
    if base != _mount():
        move_back(base, NEEDED)


def _mount() -> Path | None:
    """Return where version 2 is mounted."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mounts").read_text().splitlines():
            _, place, kind, *_ = line.split()
            if kind == "cgroup2":
                return Path(place)
    return None
