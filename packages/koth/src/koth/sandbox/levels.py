"""The levels of isolation that this machine supports, tried by probes that run at each level."""

from __future__ import annotations

import functools
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from koth.errors import KothError, choices
from koth.sandbox import bwrap, cgroup, child_setup, probe, seccomp
from koth.sandbox.environment import PYTHON
from koth.sandbox.host_process import prepare_process
from koth.sandbox.isolation import FOR_STRANGERS, LEVELS, PLAIN, Isolation, SandboxError
from koth.sandbox.policy import SandboxPolicy

PROBES_TIMEOUT = 300.0
"""Seconds that the probes of a level may take on a busy machine; they use 0.2 s of CPU time or so."""
PROMISES = {
    "files": "files of the host and of other bots can't be read",
    "environment": "the environment of the host can't be read",
    "writing": "nothing can be written but a small temporary folder, gone after the match",
    "network": "no network, this machine's own included",
    "sockets": "no sockets at all",
    "processes": "other processes can't be seen",
    "signals": "other processes can't be signalled",
    "tracing": "other processes can't be traced",
    "children": "no processes can be started",
    "namespaces": "no new namespaces can be made",
    "death": "nothing outlives koth",
    "scheduling": "cores and priorities can't be changed",
    "memory": "a process's memory is bounded",
    "hidden memory": "memory can't be hidden from koth's count",
    "open files": "open files are bounded",
    "threads": "threads are bounded",
    "children's time": "the CPU time of all that a bot starts is charged, however early or short-lived",
    "total memory": "the sum of all memory is bounded by the kernel",
}
"""The protections of isolation, as text. The last two have no probe: cgroups provide both."""

REQUIRED = {
    "limits": ("memory", "open files"),
    "partial": (
        *("files", "environment", "writing", "network", "sockets", "signals", "tracing", "children"),
        *("namespaces", "death", "scheduling", "memory", "hidden memory", "open files"),
    ),
}
REQUIRED["strong"] = (*REQUIRED["partial"], "processes", "threads")
REQUIRED["strong+cgroup"] = REQUIRED["strong"]


@dataclass(frozen=True)
class LevelTrial:
    """The result of trying one level: the protections found, or why the level is not available, and the remedy."""

    level: str
    held: Mapping[str, bool] = field(default_factory=dict)
    why: str = ""
    cure: str = ""
    isolation: Isolation = PLAIN

    @property
    def works(self) -> bool:
        """True if this level is available."""
        return not self.why


class _Unavailable(SandboxError):
    """Raised when this machine lacks a level; holds the reason and the remedy."""

    def __init__(self, why: str, cure: str = "") -> None:
        super().__init__(why)
        self.cure = cure or next((cure for words, cure in CURES if any(word in why for word in words)), "")


def choose_level(wanted: str | None = None) -> Isolation:
    """Return the strongest level that works, or the level `wanted`. Raises SandboxError if `wanted` does not work.

    Raises KothError if this process was started in a state in which bots would suffer.
    """
    if problem := prepare_process():
        raise KothError(problem)
    if wanted is not None and wanted not in LEVELS:
        raise KothError(f"there is no level of isolation {wanted!r}{choices(wanted, LEVELS)}")
    for level in reversed(LEVELS):
        if wanted in (None, level):
            trial = try_level(level)
            if trial.works:
                return trial.isolation
            if wanted is not None:
                raise SandboxError(f"isolation {level} is not available here: {trial.why}" + hint(trial))
    return PLAIN


def hint(trial: LevelTrial) -> str:
    """Return the remedy for an unavailable level, on a line of its own; empty if there is none."""
    return f"\n{trial.cure}" if trial.cure else ""


def check_for_strangers(isolation: Isolation) -> None:
    """Raise SandboxError for a level that is too weak for untrusted bots."""
    if not isolation.is_at_least(FOR_STRANGERS):
        trial = try_level(FOR_STRANGERS)
        reason = f"{FOR_STRANGERS} is not available here: {trial.why}" if trial.why else f"{FOR_STRANGERS} works here"
        raise SandboxError(
            f"untrusted bots run at isolation {FOR_STRANGERS} or above, not at {isolation.level}; {reason}"
            + hint(trial)
        )


@functools.cache
def try_level(level: str) -> LevelTrial:
    """Try a level and return the result, which is cached for the life of this process."""
    isolation, held = PLAIN, dict[str, bool]()
    if level != "none":
        try:
            isolation = _prepare(level)
            held = _try_probes(isolation)
        except _Unavailable as error:
            return LevelTrial(level, why=str(error), cure=error.cure)
        held["children's time"] = level == "partial" or isolation.charges_children()
        held["total memory"] = level == "strong+cgroup"
    missing = tuple(text for name, text in PROMISES.items() if not held.get(name, False))
    return LevelTrial(level, held, isolation=replace(isolation, missing=missing, versions=_read_versions()))


def _prepare(level: str) -> Isolation:
    """Return the isolation of a level. Raises _Unavailable if this machine lacks the level."""
    isolation = Isolation(level)
    if level == "limits":
        return isolation
    if sys.platform != "linux" or not seccomp.is_supported():
        raise _Unavailable(f"koth has no system call filter for {platform.system()} on {platform.machine()}")
    if level == "partial":
        version, needed = child_setup.landlock_version(), child_setup.OLDEST_LANDLOCK
        if version < needed:
            cure = "Use Linux 6.12 or newer, with `lsm=...,landlock` on the kernel's command line."
            raise _Unavailable(f"the kernel has version {version} of Landlock; koth needs {needed}", cure)
        return isolation
    program = shutil.which("bwrap")
    if program is None:
        raise _Unavailable("bubblewrap is not installed", "Install it: apt install bubblewrap")
    isolation = replace(isolation, bwrap=os.path.realpath(program))
    if level == "strong":
        return isolation
    folder, why = cgroup.prepare()
    if folder is None:
        cure = "Start koth in a cgroup of its own: systemd-run --user --scope -p Delegate=yes koth ..."
        raise _Unavailable(why, cure)
    return replace(isolation, cgroups=str(folder))


CURES = (
    (
        ("setting up uid map", "RTM_NEWADDR"),
        "Ubuntu's AppArmor stops bwrap: apt install apparmor-profiles, then "
        "ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ "
        "and apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict",
    ),
    (
        ("No permissions to create", "Operation not permitted", "mount proc", "pivot_root"),
        "In Docker, run the container with: --security-opt seccomp=unconfined --security-opt systempaths=unconfined "
        "(or without Docker).",
    ),
    (("ENOSPC", "_namespaces"), "Allow more namespaces: sysctl user.max_user_namespaces=65536"),
    (("Unknown option",), "Install bwrap 0.6 or newer: this bwrap is too old."),
)
"""Remedies, by texts in the error message."""


def _try_probes(isolation: Isolation) -> dict[str, bool]:
    """Return the protections that the probes find. Raises _Unavailable if the level lacks a required protection."""
    try:
        held = _run_probes(isolation)
        if failed := [PROMISES[name] for name in REQUIRED[isolation.level] if not held.get(name, False)]:
            raise SandboxError(f"the probes failed ({'; '.join(f'not so: {text}' for text in failed)})")
    except SandboxError as error:
        if isolation.cgroups:
            cgroup.undo(Path(isolation.cgroups))
        raise _Unavailable(str(error)) from None
    return held


def _run_probes(isolation: Isolation) -> dict[str, bool]:
    """Return the results of the probes. Raises SandboxError if the probes could not run.

    The probes need no files of their own, so that no file is left however the probes end.
    """
    file = os.path.abspath(probe.__file__)
    temporary = tempfile.gettempdir()
    folder = Path(file).parent if isolation.is_at_least("partial") else Path(temporary)
    policy, pipe = SandboxPolicy(), subprocess.PIPE
    files = ["/tmp"] if isolation.is_at_least("strong") else []  # where a program may write
    with socket.create_server(("127.0.0.1", 0)) as server:
        arguments = {
            "secret": "/etc/passwd",
            "port": server.getsockname()[1],
            "host": os.getpid(),
            "outside": [place for place in (temporary, "/tmp") if place not in files],
            "temporary": policy.temporary + 1,
            "memory": policy.memory * 2,
            "tasks": policy.tasks + 1,
        }
        argv = [PYTHON, "-I", "-S", file, json.dumps(arguments)]
        child = isolation.start(argv, folder, {"PATH": os.defpath}, policy, [Path(file)], stdout=pipe, stderr=pipe)
        try:
            output, errors = child.communicate(timeout=PROBES_TIMEOUT)
        except subprocess.TimeoutExpired:
            child.kill()
            raise SandboxError(f"the probes did not end within {PROBES_TIMEOUT:g} s") from None
        finally:
            child.close()
    try:
        held: dict[str, bool] = json.loads(output)
    except ValueError:
        words = errors.decode(errors="replace").strip().splitlines()
        raise SandboxError(words[-1] if words else f"the probes ended with status {child.returncode}") from None
    return held


def _read_versions() -> dict[str, str]:
    program = shutil.which("bwrap")
    return {
        "kernel": platform.release(),
        "bwrap": bwrap.read_version(program) if program else "none",
        "landlock": str(child_setup.landlock_version()),
    }
