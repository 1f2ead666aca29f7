"""The level of isolation of a run, chosen once and passed to all code that starts programs."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from koth.adapter.bot_adapter import PRELOAD, is_preload
from koth.errors import KothError
from koth.sandbox import bwrap, seccomp
from koth.sandbox.cgroup import Cgroup, cpu_cgroup_parent
from koth.sandbox.environment import IMPORTS, LIBRARIES, OPTIONS, PYTHON, environment_of
from koth.sandbox.mounts import ADAPTER, BOT, COPY, MERGED, SETTINGS, SYSTEM, Mount, find_mounts, map_path, path_map
from koth.sandbox.policy import SandboxPolicy
from koth.sandbox.start_request import CallFilter, ShownPaths, StartRequest
from koth.sandbox.supervised_process import SupervisedProcess
from koth.sandbox.users import NOBODY, own_user

LEVELS = ("none", "limits", "partial", "strong", "strong+cgroup")
"""The levels, from the weakest to the strongest."""
FOR_STRANGERS = "strong"
"""The weakest level at which untrusted bots may run."""
START_TIMEOUT = 60.0
"""Seconds that bwrap may take to make a sandbox, on the busiest machine."""
FORKED_COMMAND = (PYTHON, *OPTIONS, str(ADAPTER))
"""The first words of a bot's command if it runs in koth's own Python."""
SYSTEM_FILES = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm", "/sys/devices/system/cpu")
"""Files with which runtimes examine the machine, for levels at which the sandbox has no /proc of its own."""


class SandboxError(KothError):
    """Raised when a sandbox can't be made: the arena's failure, never a bot's."""


@dataclass(frozen=True)
class Isolation:
    """The isolation of one run's programs. `missing` lists, as text, the protections that this level lacks."""

    level: str = "none"
    missing: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    bwrap: str = ""
    cgroups: str = ""
    """The folder in which every program gets a cgroup of its own, at `strong+cgroup`."""
    trusts_processes: bool = False
    """True if the host lets bots start programs even if the CPU time of the programs can't be charged."""
    forks_python: bool = True
    """True if bots in koth's own Python are forked from its spawner, which starts them sooner."""

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
        """Start a program in `folder`; if given, `program` decides what the sandbox shows, not the started program.

        With `charged`, a cgroup counts the CPU time of all the program's processes, if the program may start any and
        koth can make a cgroup: the program enters the cgroup before its first instruction.

        Raises SandboxError when the sandbox can't be made, ValueError for a null byte in the command, and
        OSError, at level `none` only, when the program can't be started.
        """
        words, variables = list(argv), dict(environment)
        if any("\0" in word for word in (*words, *variables, *variables.values())):
            raise ValueError("embedded null byte")
        cgroup = None
        try:
            request, arguments = self._request(words, variables, folder, policy, reads, program)
            cgroup = self._cgroup(policy, charged=charged)
            child = SupervisedProcess(request._replace(cgroup=cgroup is not None), arguments, cgroup, **streams)
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
        """Return whether this machine can count the CPU time of all a program's processes, including orphans."""
        return bool(self.cgroups) or cpu_cgroup_parent() is not None

    def _cgroup(self, policy: SandboxPolicy, *, charged: bool) -> Cgroup | None:
        """Make the cgroup that limits or measures a program's processes, if one is needed. Raises OSError."""
        if self.cgroups:
            return Cgroup.make(Path(self.cgroups), policy)
        parent = cpu_cgroup_parent() if charged and self.lets_fork(policy) else None
        return None if parent is None else Cgroup.make(parent)

    def _request(
        self,
        words: list[str],
        variables: dict[str, str],
        folder: Path,
        policy: SandboxPolicy,
        reads: Sequence[Path],
        program: str,
    ) -> tuple[StartRequest, list[str]]:
        """Return the request to a program's supervisor, and the arguments of bwrap, if any. Raises OSError."""
        forked = _spawner_libraries(words, variables) if self.forks_python and ADAPTER in reads else None
        rlimits = policy.rlimits() if self.level != "none" else {}
        request = StartRequest(self.level, words, variables, str(folder), rlimits, forked)
        mounts = find_mounts([program] if program else words, folder, reads, building=policy.writable)
        if self.is_at_least("strong"):
            return self._confine_by_namespaces(request, folder, policy, mounts)
        if self.level == "partial":
            return _confine_by_landlock(request, folder, policy, mounts), []
        return request, []

    def _confine_by_namespaces(
        self, request: StartRequest, folder: Path, policy: SandboxPolicy, mounts: Sequence[Mount]
    ) -> tuple[StartRequest, list[str]]:
        inside = path_map(folder)
        program = [map_path(word, inside) for word in request.argv[:1]]  # nothing is executed from a writable folder
        if policy.own_copy:
            inside = [(place, COPY if shown == BOT else shown) for place, shown in inside]
        plan, arguments = bwrap.plan_namespaces(self.bwrap, folder, policy, mounts, START_TIMEOUT)
        limits = policy.rlimits() | {"RLIMIT_NPROC": policy.tasks}
        limits["RLIMIT_FSIZE"] = max(policy.file_size, 2 * policy.temporary)  # so the full folder refuses, no signal
        confined = request._replace(
            argv=program + [map_path(word, inside) for word in request.argv[1:]],
            environment={name: map_path(value, inside) for name, value in request.environment.items()},
            folder=BOT,
            copy=COPY if policy.own_copy else "",
            rlimits=limits,
            filter=_call_filter(policy.processes, policy.writable, files=policy.temporary > 0),
            namespaces=plan,
            user=NOBODY if os.getuid() == 0 else None,
            subreaper=policy.processes,
        )
        return confined, arguments

    def can_execute(self, program: str, folder: Path, reads: Sequence[Path] = ()) -> bool:
        """Return whether a program can be executed inside the sandbox. Raises SandboxError."""
        if not self.is_at_least("partial"):
            return True
        test = ["/usr/bin/test", "-x", program]
        child = self.start(test, folder, {"PATH": os.defpath}, SandboxPolicy(), reads, program)
        child.wait()
        failed = child.sandbox_failed()
        child.release()
        if failed:
            raise SandboxError(f"no sandbox of level {self.level} could be made")
        return child.returncode == 0


def _spawner_libraries(argv: Sequence[str], environment: Mapping[str, str]) -> list[str] | None:
    """Return the libraries of the spawner from which a program can be forked; None if it must be executed.

    A program is forked if it is koth's adapter in the Python of the spawner. Environment variables other than koth's
    may change how a Python starts, so a bot with such variables is executed.
    """
    common = {name: value for name, value in environment.items() if name not in ("KOTH_SEED", IMPORTS)}
    if tuple(argv[: len(FORKED_COMMAND)]) != FORKED_COMMAND or common != environment_of(PYTHON):
        return None
    libraries = [word.removeprefix(PRELOAD) for word in takewhile(is_preload, argv[len(FORKED_COMMAND) :])]
    return libraries if set(libraries) <= {*LIBRARIES} else None


@functools.cache
def _call_filter(processes: bool, writable: bool, *, files: bool = False) -> CallFilter:
    program = seccomp.build_filter(processes=processes, files=files, writable=writable)
    return CallFilter(program.hex(), seccomp.exec_calls(), seccomp.notified_calls(), seccomp.SENDER)


def _confine_by_landlock(
    request: StartRequest, folder: Path, policy: SandboxPolicy, mounts: Sequence[Mount]
) -> StartRequest:
    roots = [f"/{name}" for name in MERGED if not os.path.islink(f"/{name}")]
    reads = [*SYSTEM, *roots, *SETTINGS, *SYSTEM_FILES, *(mount.source for mount in mounts)]
    modules = {str(Path(mount.source).parent) for mount in mounts if os.path.isfile(mount.source)}
    if policy.writable:
        paths, user, reads_all = ShownPaths(reads, sorted(modules), [str(folder)]), 0, False
    else:
        paths, user = ShownPaths([*reads, str(folder)], sorted(modules), []), own_user()
        shown = (folder, *(Path(mount.source) for mount in mounts))
        above = {parent for path in shown for parent in path.resolve().parents}
        reads_all = not all(parent.stat().st_mode & 0o001 for parent in above)  # the others' right to traverse
    is_root = os.getuid() == 0
    return request._replace(
        filter=_call_filter(policy.processes, policy.writable),
        paths=paths,
        user=user if is_root else None,
        tasks=policy.tasks,
        reads_all=is_root and reads_all,
        subreaper=policy.processes,
    )


PLAIN = Isolation()
"""No isolation: for one's own bots, in tests and in preflight."""
