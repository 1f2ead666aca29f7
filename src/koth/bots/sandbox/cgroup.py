"""A cgroup (version 2) for each program, where koth has a part of that tree to itself."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from dataclasses import dataclass
from pathlib import Path

from koth.bots.sandbox.policy import Policy

NEEDED = ("memory", "pids")

_numbers = itertools.count()


@dataclass(frozen=True)
class Cgroup:
    """One program's cgroup: all its processes, and all the memory they use."""

    folder: Path

    @classmethod
    def make(cls, parent: Path, policy: Policy) -> Cgroup:
        """A new one with these limits. Raises OSError."""
        folder = parent / f"bot-{os.getpid()}-{next(_numbers)}"
        folder.mkdir()
        cgroup = cls(folder)
        try:
            (folder / "memory.max").write_text(str(policy.memory))
            (folder / "pids.max").write_text(str(policy.tasks))
            swap = folder / "memory.swap.max"
            if swap.exists():
                swap.write_text("0")
        except OSError:
            cgroup.remove()
            raise
        return cgroup

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel has killed one of its processes for the memory it used."""
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


def prepare() -> tuple[Path | None, str]:
    """A folder in which programs' cgroups can be made, and, if there is none, why.

    koth moves itself into a cgroup beside it, since a cgroup whose children have limits holds no processes.
    """
    mount = _mount()
    if mount is None:
        return None, "there is no cgroup v2 here"
    try:
        own = next(line for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::"))
        base = mount / own[3:].lstrip("/")
        there = (base / "cgroup.controllers").read_text().split()
        lacking = [name for name in NEEDED if name not in there]
        if lacking:
            return None, f"koth's cgroup has no controllers for {' and '.join(lacking)}"
        if base.name == "koth-host":
            base = base.parent
        elif base != mount:
            host = base / "koth-host"
            host.mkdir(exist_ok=True)
            (host / "cgroup.procs").write_text(str(os.getpid()))
        (base / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in NEEDED))
        return base, ""
    except (OSError, StopIteration) as error:
        return None, f"koth's cgroup is not its own ({error})"


def _mount() -> Path | None:
    """Where version 2 is mounted."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mounts").read_text().splitlines():
            _, place, kind, *_ = line.split()
            if kind == "cgroup2":
                return Path(place)
    return None
