"""The level of isolation of a run, chosen once and passed to all code that starts programs."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from koth.adapter.bot_adapter import PRELOAD, is_preload
from koth.errors import KothError
from koth.sandbox import bwrap, seccomp
from koth.sandbox.cgroup import Cgroup, cpu_cgroup_parent
from koth.sandbox.environment import IMPORTS, LIBRARIES, OPTIONS, environment_of
from koth.sandbox.mounts import ADAPTER, BOT, MERGED, SETTINGS, SYSTEM, Mount, find_mounts, map_path, path_map
from koth.sandbox.policy import SandboxPolicy
from koth.sandbox.supervised_process import SupervisedProcess
from koth.sandbox.users import NOBODY

LEVELS = ("none", "limits", "partial", "strong", "strong+cgroup")
"""The levels, from the weakest to the strongest."""
FOR_STRANGERS = "strong"
"""The weakest level at which untrusted bots may run."""
START_TIMEOUT = 60.0
"""Seconds that bwrap may take to make a sandbox, on the busiest machine."""
FORKED_COMMAND = (sys.executable, *OPTIONS, str(ADAPTER))
"""The first words of the command of a bot in the Python that runs koth."""
SYSTEM_FILES = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm", "/sys/devices/system/cpu")
"""Files in which runtimes look up the machine, for levels at which the sandbox has no /proc of its own."""


class SandboxError(KothError):
    """A sandbox can't be made: the arena's failure, never a bot's."""


@dataclass(frozen=True)
class Isolation:
    """The isolation of one run's programs. `missing` lists, as text, the promises that this level does not keep."""

    level: str = "none"
    missing: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    bwrap: str = ""
    cgroups: str = ""
    """The folder in which every program gets a cgroup of its own, at `strong+cgroup`."""
    trusts_processes: bool = False
    """True if the host allows bots to start programs even where the CPU time of those can't be charged."""
    forks_python: bool = True
    """True if bots in the Python that runs koth are forked from its spawner, which starts them sooner."""

    def is_at_least(self, level: str) -> bool:
        """Return whether this level is `level` or a stronger one."""
        return LEVELS.index(self.level) >= LEVELS.index(level)

    def start(
        self,
        argv: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        policy: SandboxPolicy,
        reads: Sequence[Path] = (),
        program: str = "",
        *,
        charged: bool = False,
        **streams: Any,
    ) -> SupervisedProcess:
        """Start a program with its folder as working directory; `program` is another program that it may start.

        With `charged`, a cgroup counts the CPU time of all its processes, if it may start any and koth can make one:
        the program is in there before its first instruction.

        Raises SandboxError when its sandbox can't be made, ValueError for a command that no system would take, and
        OSError, at level `none` only, when the program can't be started.
        """
        words, variables = list(argv), dict(environment)
        if any("\0" in word for word in (*words, *variables, *variables.values())):
            raise ValueError("embedded null byte")
        cgroup = None
        try:
            orders = self._orders(words, variables, folder, policy, reads, program)
            arguments = orders["namespaces"].pop("words") if "namespaces" in orders else ()
            cgroup = self._cgroup(policy, charged=charged)
            orders["cgroup"] = cgroup is not None
            child = SupervisedProcess(orders, arguments, cgroup, **streams)
        except OSError as error:
            if cgroup is not None:
                cgroup.remove()
            raise SandboxError(f"no sandbox of level {self.level} could be made: {error}") from None
        if self.level == "none" and (problem := child.wait_for_start()) is not None:
            child.close()
            raise problem
        return child

    def lets_fork(self, policy: SandboxPolicy) -> bool:
        """Return whether a program with this policy can start processes; below `partial` every program can."""
        return policy.processes or not self.is_at_least("partial")

    def charges_children(self) -> bool:
        """Return whether all CPU time of a program's processes can be counted here, including orphaned ones."""
        return bool(self.cgroups) or cpu_cgroup_parent() is not None

    def _cgroup(self, policy: SandboxPolicy, *, charged: bool) -> Cgroup | None:
        """Make the cgroup that limits or measures a program's processes, if it needs one. Raises OSError."""
        if self.cgroups:
            return Cgroup.make(Path(self.cgroups), policy)
        parent = cpu_cgroup_parent() if charged and self.lets_fork(policy) else None
        return None if parent is None else Cgroup.make(parent)

    def _orders(
        self,
        words: Sequence[str],
        variables: Mapping[str, str],
        folder: Path,
        policy: SandboxPolicy,
        reads: Sequence[Path],
        program: str,
    ) -> dict[str, Any]:
        """Return the orders for the supervisor of a program. Raises OSError."""
        orders: dict[str, Any] = {"level": self.level, "argv": words, "environment": variables}
        orders |= {"start_timeout": START_TIMEOUT, "forked": None}
        if self.forks_python and ADAPTER in reads:
            orders["forked"] = _spawner_libraries(words, variables)
        orders |= {"folder": str(folder), "rlimits": policy.rlimits() if self.level != "none" else {}}
        mounts = find_mounts([program] if program else words, folder, reads, building=policy.writable)
        if self.is_at_least("strong"):
            return orders | self._strong_orders(words, variables, folder, policy, mounts)
        if self.level == "partial":
            return orders | _landlock_orders(folder, policy, mounts)
        return orders

    def _strong_orders(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        policy: SandboxPolicy,
        mounts: Sequence[Mount],
    ) -> dict[str, object]:
        inside = path_map(folder)
        orders: dict[str, object] = {
            "argv": [map_path(word, inside) for word in argv],
            "environment": {name: map_path(value, inside) for name, value in environment.items()},
            "folder": BOT,
            **_filter_orders(policy.processes, policy.writable, files=policy.temporary > 0),
        }
        if os.getuid() == 0:
            orders["user"] = NOBODY
        limits = policy.rlimits() | {"RLIMIT_NPROC": policy.tasks}
        limits["RLIMIT_FSIZE"] = max(policy.file_size, 2 * policy.temporary)  # so the full folder refuses, no signal
        return {**orders, "rlimits": limits, "namespaces": bwrap.namespaces(self.bwrap, folder, policy, mounts)}

    def can_execute(self, program: str, folder: Path, reads: Sequence[Path] = ()) -> bool:
        """Return whether a program can be executed inside the sandbox. Raises SandboxError."""
        if not self.is_at_least("partial"):
            return True
        nothing = subprocess.DEVNULL
        test = ["/usr/bin/test", "-x", program]
        child = self.start(
            test,
            folder,
            {"PATH": os.defpath},
            SandboxPolicy(),
            [*reads],
            program,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
        )
        child.wait()
        failed = child.sandbox_failed()
        child.release()
        if failed:
            raise SandboxError(f"no sandbox of level {self.level} could be made")
        return child.returncode == 0


def _spawner_libraries(argv: Sequence[str], environment: Mapping[str, str]) -> list[str] | None:
    """Return the libraries of the spawner from which a program can be forked: None if it has to be executed.

    It is forked if it is koth's adapter in the Python of the spawner. Other variables than those of koth may change
    how a Python starts, so a bot that has some is executed.
    """
    common = {name: value for name, value in environment.items() if name not in ("KOTH_SEED", IMPORTS)}
    if tuple(argv[: len(FORKED_COMMAND)]) != FORKED_COMMAND or common != environment_of(sys.executable):
        return None
    libraries = [word.removeprefix(PRELOAD) for word in takewhile(is_preload, argv[len(FORKED_COMMAND) :])]
    return libraries if set(libraries) <= {*LIBRARIES} else None


@functools.cache
def _filter_orders(processes: bool, writable: bool, *, files: bool = False) -> Mapping[str, object]:
    return {
        "filter": seccomp.build_filter(processes=processes, files=files, writable=writable).hex(),
        "starts": seccomp.exec_calls(),
        "calls": seccomp.notified_calls(),
        "sender": seccomp.SENDER,
        "subreaper": processes,
    }


def _landlock_orders(folder: Path, policy: SandboxPolicy, mounts: Sequence[Mount]) -> dict[str, object]:
    roots = [f"/{name}" for name in MERGED if not os.path.islink(f"/{name}")]
    reads = [*SYSTEM, *roots, *SETTINGS, *SYSTEM_FILES, *(mount.source for mount in mounts)]
    modules = {str(Path(mount.source).parent) for mount in mounts if os.path.isfile(mount.source)}
    orders: dict[str, object] = {"lists": sorted(modules), **_filter_orders(policy.processes, policy.writable)}
    if os.getuid() == 0:
        needed = [str(folder), *(mount.source for mount in mounts)]
        orders["user"] = 0 if policy.writable else "own"
        orders["tasks"] = policy.tasks
        orders["reads_all"] = not policy.writable and not all(_is_open_to_all(Path(path)) for path in needed)
    if policy.writable:
        return {**orders, "reads": reads, "writes": [str(folder)]}
    return {**orders, "reads": [*reads, str(folder)], "writes": []}


def _is_open_to_all(path: Path) -> bool:
    """Return whether every user may traverse all folders above this mount."""
    return all(folder.stat().st_mode & 0o001 for folder in path.resolve().parents)


PLAIN = Isolation()
"""No isolation: for one's own bots, in tests and in preflight."""
