"""The sandbox of an author's program: its own folder, the system and the network, and nothing else of the host.

An author is an agent or a script that the host has chosen, so there is no filter of system calls and no limit of
memory. Mounts and namespaces, made by bubblewrap as for bots, keep the program from the files and processes of other
authors and of the host.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from koth.compile.code_cache import code_folder
from koth.errors import KothError
from koth.files.folders import remove
from koth.sandbox import bwrap
from koth.sandbox.cgroup import Cgroup, cpu_cgroup_parent
from koth.sandbox.copies import change_owner
from koth.sandbox.environment import PYTHON
from koth.sandbox.isolation import START_TIMEOUT, SandboxError
from koth.sandbox.levels import hint, try_level
from koth.sandbox.mounts import (
    MERGED,
    OWN_FOLDERS,
    PACKAGE,
    SETTINGS,
    SYSTEM,
    Mount,
    find_installation,
    find_mounts,
    is_inside,
    is_system,
)
from koth.sandbox.policy import NO_CORE, TEMPORARY
from koth.sandbox.start_request import NamespacePlan, StartRequest
from koth.sandbox.supervised_process import SupervisedProcess
from koth.sandbox.users import NOBODY, ONE

HOME = "/author"
"""The path of an author's folder in the sandbox."""
NETWORK_SETTINGS = (
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf"),
    *("/etc/services", "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/mime.types", "/etc/pki"),
    *("/etc/ssl/certs", "/etc/ca-certificates"),
)
"""Files that programs with a network need in addition to the `SETTINGS`: names of hosts and users, certificates."""
SHOWN_ANYWAY = (*SYSTEM, *OWN_FOLDERS, *(f"/{name}" for name in MERGED))
"""Folders that every sandbox shows, so that they need no mount of their own."""
TASKS = 4096
"""The largest number of processes and threads of an author's program."""
ASSIGNMENT, PLAIN_WORD = re.compile(r"[A-Za-z_]\w*="), re.compile(r"[\w/][\w@%+:./-]*")
MISSING = 3
"""The exit status of `PROBE` without the author's program."""
PROBE = (
    '[ ! -e "$0" ] && [ ! -e "$1" ] && : > probe && : > /tmp/probe && rm probe || exit 1; command -v "$2" || exit 3'
)
"""A program that succeeds if it sees neither of two folders, can write to its own folder and to /tmp, and finds a
program (if not, it exits with 3).
"""


@dataclass(frozen=True)
class Workspace:
    """The sandbox of one author's programs: mounts except the author's folder, and whether there is a network."""

    bwrap: str
    mounts: tuple[Mount, ...]
    network: bool

    def start(
        self, argv: Sequence[str], folder: Path, environment: Mapping[str, str], largest: int
    ) -> SupervisedProcess:
        """Start a program in `folder`, which the program sees as `HOME`; `largest` limits the bytes of a file.

        Output and errors share one pipe. The program sees `TEMPORARY` in the folder as /tmp, with compiled rules. A
        cgroup counts the program's CPU time, if koth can make one. If koth runs as root, the folder's owner changes.
        Raises OSError, and SandboxError if no sandbox can be made.
        """
        remove(folder / TEMPORARY)
        kernels = code_folder()
        with suppress(shutil.Error):  # of files that another koth is writing: the author's koth compiles these itself
            shutil.copytree(kernels, folder / TEMPORARY / ".cache" / "koth" / kernels.name)
        is_root = os.getuid() == 0
        if is_root:
            change_owner(folder, ONE)
        plan = NamespacePlan(
            bwrap=self.bwrap,
            maps_users=is_root,
            user=ONE,
            hidden_sources=[],
            temporary="",
            network=self.network,
            aside=bwrap.ASIDE,
            timeout=START_TIMEOUT,
        )
        rlimits = {"RLIMIT_CORE": NO_CORE, "RLIMIT_NPROC": TASKS, "RLIMIT_FSIZE": largest}
        request = StartRequest(
            "strong", list(argv), dict(environment), HOME, rlimits, namespaces=plan, subreaper=True
        )
        pipe, same, parent, cgroup = subprocess.PIPE, subprocess.STDOUT, cpu_cgroup_parent(), None
        try:
            cgroup = None if parent is None else Cgroup.make(parent)
            request = request._replace(user=NOBODY if is_root else None, cgroup=cgroup is not None)
            return SupervisedProcess(request, self._bwrap_arguments(folder), cgroup, stdout=pipe, stderr=same)
        except OSError as error:
            if cgroup is not None:
                cgroup.remove()
            raise SandboxError(f"no sandbox of an author could be made: {error}") from None

    def path(self, words: str) -> str:
        """Return the folders of a PATH that are visible in the workspace, the folder of koth's Python first."""
        folders = dict.fromkeys([os.path.dirname(PYTHON), *words.split(os.pathsep)])
        return os.pathsep.join(folder for folder in folders if os.path.isabs(folder) and self._shows(folder))

    def _shows(self, path: str) -> bool:
        inside = [mount.inside for mount in self.mounts]
        return is_system(path) or any(is_inside(path, one) or os.path.dirname(one) == path for one in inside)

    def _bwrap_arguments(self, folder: Path) -> list[str]:
        words = bwrap.base_words("author")
        if self.network:
            words.append("--share-net")
        words += bwrap.device_words((*bwrap.DEVICES, "/dev/zero", "/dev/full"))
        words += ["--perms", "1777", "--tmpfs", "/dev/shm", "--bind", str(folder / TEMPORARY), "/tmp"]
        words += bwrap.system_words()
        words += bwrap.mount_words(self.mounts, set())
        words += ["--dir", bwrap.ASIDE, "--bind", str(folder), HOME, "--chdir", HOME]
        return [*words, "--remount-ro", "/"]


def make_workspace(command: str, reads: Sequence[Path], hidden: Path, *, network: bool) -> Workspace:
    """Return the sandbox for a shell command.

    The sandbox shows koth, the programs that the command names, with their installations, the files that the command
    names by absolute paths, and `reads`. `hidden` is a folder in which an author may see only its own folder. Raises
    KothError for a path that does not exist or would show `hidden`, and SandboxError if this machine can't make such
    a sandbox.
    """
    trial = try_level("strong")
    if not trial.works:
        raise SandboxError(
            f"authors can't be isolated here: {trial.why}; without isolation they have your rights{hint(trial)}"
        )
    settings = [path for path in (*SETTINGS, *NETWORK_SETTINGS) if os.path.exists(path)]
    shown = [*settings, *_koth_paths(hidden), *_named_paths(command)]
    for path in reads:
        if not path.exists():
            raise KothError(f"{path}: no such file or folder for an author to read")
        shown.append(str(path.absolute()))
    mounts = [place for place in dict.fromkeys(shown) if not any(is_inside(place, other) for other in SHOWN_ANYWAY)]
    _check_hidden(mounts, hidden)
    outer = [place for place in mounts if not any(place != other and is_inside(place, other) for other in mounts)]
    return Workspace(trial.isolation.bwrap, tuple(Mount(place, place) for place in outer), network)


def probe_workspace(space: Workspace, hidden: Path, program: str) -> None:
    """Try a workspace in a new folder in `hidden`, which is removed; `program` must be there.

    Raises KothError, SandboxError and OSError.
    """
    place = hidden / f".probe-{secrets.token_hex(4)}"
    place.mkdir()
    try:
        argv = ["/bin/sh", "-c", PROBE, str(hidden), f"/proc/{os.getpid()}/root{hidden}", program]
        path = space.path(os.environ.get("PATH", os.defpath))
        child = space.start(argv, place, {"PATH": path}, 1 << 20)
        try:
            output, _ = child.communicate(START_TIMEOUT)
        finally:
            child.end()
            child.close()
    finally:
        remove(place)
    if child.returncode == MISSING:
        raise KothError(f"{program}: there is no such program in the author's sandbox")
    if child.returncode:
        words = output.decode(errors="replace").strip().splitlines() or ["the probe failed"]
        raise SandboxError(f"authors can't be isolated here: {words[-1]}")


def _koth_paths(hidden: Path) -> list[str]:
    python = [mount.source for mount in find_mounts([PYTHON], hidden, [])]
    return [*python, str(PACKAGE), str((PACKAGE / "docs").resolve())]


def first_program(command: str) -> str:
    """Return the program with which a line of the shell begins; `true` if only the shell can tell."""
    word = next((word for word in _words(command) if not ASSIGNMENT.match(word)), "")
    is_plain = PLAIN_WORD.fullmatch(word) and (word.startswith("/") or "/" not in word)
    return word if is_plain else "true"


def _words(command: str) -> list[str]:
    splitter = shlex.shlex(command, posix=True, punctuation_chars=True)
    splitter.whitespace_split = True
    try:
        return list(splitter)
    except ValueError:
        return command.split()


def _named_paths(command: str) -> list[str]:
    """Return the installations of programs that a command names, and the files that it names by absolute paths."""
    words = _words(command)
    found = [word for word in words if os.path.isabs(word) and os.path.isfile(word)]
    for word in words:
        if program := shutil.which(word):
            program = os.path.abspath(program)
            found += [mount.source for mount in find_mounts([program], Path(HOME), [])]
            found += map(str, find_installation(program))
    return found


def _check_hidden(places: Sequence[str], hidden: Path) -> None:
    inner = os.path.realpath(hidden)
    for place in (*places, *SYSTEM):
        real = os.path.realpath(place)
        if is_inside(inner, real) or is_inside(real, inner):
            raise KothError(f"{place}: an author would see {hidden} there; move either, or allow a smaller folder")
