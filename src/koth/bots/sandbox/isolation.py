"""The level of isolation of a run, chosen once and passed down to whatever starts a program."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from koth.bots.sandbox import bwrap, enter, seccomp
from koth.bots.sandbox.cgroup import Cgroup
from koth.bots.sandbox.child import Child
from koth.bots.sandbox.places import KOTH, MERGED, PACKAGE, SETTINGS, SYSTEM, Shown, moved, shown
from koth.bots.sandbox.policy import Policy
from koth.errors import KothError

LEVELS = ("none", "limits", "partial", "strong", "strong+cgroup")
"""From the weakest to the strongest."""
FOR_STRANGERS = "strong"
"""The weakest level at which strangers' bots may run."""
OF_THE_PROGRAM = (errno.E2BIG, errno.ENAMETOOLONG)
"""Errors that are not the sandbox's: the program's command is too long."""
SYSTEM_FILES = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm", "/sys/devices/system/cpu")
"""What runtimes look at to learn about the machine, where there is no /proc of the sandbox's own."""


class SandboxError(KothError):
    """A sandbox can't be made: the arena's failure, never a bot's."""


@dataclass(frozen=True)
class Isolation:
    """How programs are kept apart in one run. `missing` says in words what this level does not promise."""

    level: str = "none"
    missing: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    bwrap: str = ""
    cgroups: str = ""
    """The folder in which every program gets a cgroup of its own, at `strong+cgroup`."""

    def is_at_least(self, level: str) -> bool:
        """Whether this level is that one or a stronger one."""
        return LEVELS.index(self.level) >= LEVELS.index(level)

    def start(
        self,
        argv: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        policy: Policy,
        reads: Sequence[Path] = (),
        **streams: Any,
    ) -> Child:
        """Start a program with its folder as working directory.

        Raises SandboxError when its sandbox can't be made, ValueError for a command that no system would take,
        and OSError, at level `none` alone, when the program can't be started.
        """
        if self.level == "none":
            return Child(argv, cwd=folder, env=dict(environment), start_new_session=True, bufsize=0, **streams)
        places = shown(argv, folder, reads)
        try:
            if self.is_at_least("strong"):
                return self._start_strong(argv, folder, environment, policy, places, **streams)
            return self._start_limited(argv, folder, environment, policy, places, **streams)
        except OSError as error:
            if error.errno in OF_THE_PROGRAM:
                raise ValueError(error.strerror) from None
            raise SandboxError(f"no sandbox of level {self.level} could be made: {error}") from None

    def _start_strong(
        self,
        argv: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        policy: Policy,
        places: Sequence[Shown],
        **streams: Any,
    ) -> Child:
        words = [moved(word, [(str(PACKAGE), KOTH)]) for word in argv]
        cgroup = Cgroup.make(Path(self.cgroups), policy) if self.cgroups else None
        try:
            where = str(cgroup.folder) if cgroup else ""
            child = bwrap.start(self.bwrap, words, folder, environment, policy, places, cgroup=where, **streams)
        except BaseException:
            if cgroup is not None:
                cgroup.remove()
            raise
        child.cgroup = cgroup
        return child

    def _start_limited(
        self,
        argv: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        policy: Policy,
        places: Sequence[Shown],
        **streams: Any,
    ) -> Child:
        status, telling = os.pipe()
        with contextlib.ExitStack() as ours:
            ours.callback(os.close, telling)
            orders = {"rlimits": policy.rlimits(), "status": telling}
            if self.level == "partial":
                orders |= _landlock_orders(folder, policy, places)
            shim = [sys.executable, "-I", "-S", os.path.abspath(enter.__file__), json.dumps(orders)]
            try:
                child = Child(
                    [*shim, *argv],
                    cwd=folder,
                    env=dict(environment),
                    pass_fds=[telling],
                    start_new_session=True,
                    bufsize=0,
                    **streams,
                )
            except BaseException:
                os.close(status)
                raise
        os.set_blocking(status, False)
        child.status = status
        return child

    def shows(self, program: str, folder: Path, reads: Sequence[Path] = ()) -> bool:
        """Whether a program can be reached from inside. Raises SandboxError."""
        if not self.is_at_least("partial"):
            return True
        environment = {"PATH": os.defpath}
        test = ["/usr/bin/test", "-x", program]
        child = self._with_places_of(program, test, folder, environment, reads)
        child.wait()
        failed = child.sandbox_failed()
        child.forget()
        if failed:
            raise SandboxError(f"no sandbox of level {self.level} could be made")
        return child.returncode == 0

    def _with_places_of(
        self, program: str, argv: Sequence[str], folder: Path, environment: Mapping[str, str], reads: Sequence[Path]
    ) -> Child:
        places = shown([program], folder, reads)
        begin = self._start_strong if self.is_at_least("strong") else self._start_limited
        nothing = subprocess.DEVNULL
        return begin(argv, folder, environment, Policy(), places, stdin=nothing, stdout=nothing, stderr=nothing)


def _landlock_orders(folder: Path, policy: Policy, places: Sequence[Shown]) -> dict[str, object]:
    roots = [f"/{name}" for name in MERGED if not os.path.islink(f"/{name}")]
    reads = [*SYSTEM, *roots, *SETTINGS, *SYSTEM_FILES, *(place.source for place in places)]
    code = seccomp.program(processes=policy.processes)
    modules = {str(Path(place.source).parent) for place in places if os.path.isfile(place.source)}
    orders: dict[str, object] = {"filter": code.hex(), "lists": sorted(modules)}
    if os.getuid() == 0:
        needed = [sys.executable, str(folder), *(place.source for place in places)]
        reachable = not policy.writable and all(_open_to_all(Path(path)) for path in needed)
        orders["user"] = bwrap.BOT_USER if reachable else 0
    if policy.writable:
        return {**orders, "reads": reads, "writes": [str(folder)]}
    return {**orders, "reads": [*reads, str(folder)], "writes": []}


def _open_to_all(path: Path) -> bool:
    """Whether every user may pass through all the folders above this place."""
    return all(folder.stat().st_mode & 0o001 for folder in path.resolve().parents)


PLAIN = Isolation()
"""No isolation at all: for bots of one's own, in tests and in practice."""
