"""The level `strong`: bubblewrap's namespaces, a filter of system calls, and limits set inside.

Everything is a name space of its own, the file system is read-only, and the bot is process 1 of it: there is no
process beside it whose memory or environment it could read, and nothing of it is left when it ends. Root makes
the sandbox and gives the bot a user of its own, who owns nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from koth.bots.sandbox import seccomp
from koth.bots.sandbox.child import Child
from koth.bots.sandbox.places import BOT, MERGED, SETTINGS, SYSTEM, Shown, moved
from koth.bots.sandbox.policy import TEMPORARY, Policy

BOT_USER = 60700
"""The user outside that a bot of root's is; inside it is nobody."""
NOBODY = 65534

NAMESPACES = ("--unshare-all", "--unshare-user", "--die-with-parent", "--as-pid-1", "--new-session")


def start(
    bwrap: str,
    argv: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    policy: Policy,
    places: Sequence[Shown],
    *,
    cgroup: str = "",
    **streams: Any,
) -> Child:
    """Start a program in a sandbox. Raises OSError when bwrap can't be run.

    What goes wrong later, while the sandbox is made, `Child.sandbox_failed` tells.
    """
    with contextlib.ExitStack() as ours:
        filter_in = _full_pipe(seccomp.program(processes=policy.processes))
        ours.callback(os.close, filter_in)
        status, telling = os.pipe()
        ours.callback(os.close, telling)
        words = [bwrap, *_arguments(folder, policy, places), "--seccomp", str(filter_in)]
        words += ["--json-status-fd", str(telling)]
        passed = [filter_in, telling]
        handshake = None
        if os.getuid() == 0 or cgroup:
            handshake = _Handshake(ours)
            words += handshake.arguments()
            passed += handshake.inside
        try:
            child = Child(
                [*words, "--", *_last_steps(policy), *(moved(word, [(str(folder), BOT)]) for word in argv)],
                env=dict(environment),
                cwd="/",
                pass_fds=passed,
                start_new_session=True,
                bufsize=0,
                **streams,
            )
        except BaseException:
            os.close(status)
            raise
        os.set_blocking(status, False)
        child.status = status
    if handshake is not None:
        handshake.run(child, cgroup)
    return child


def _full_pipe(data: bytes) -> int:
    """The reading end of a pipe that holds these few bytes and then ends."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return reading


def _arguments(folder: Path, policy: Policy, places: Sequence[Shown]) -> list[str]:
    words = [*NAMESPACES, "--hostname", "bot", "--cap-drop", "ALL"]
    if os.getuid() == 0:  # only to become the bot's user; `_last_steps` drops them
        words += ["--uid", "0", "--gid", "0"]
        words += [word for name in ("SETUID", "SETGID", "SETPCAP") for word in ("--cap-add", f"CAP_{name}")]
    else:
        words += ["--uid", str(NOBODY), "--gid", str(NOBODY)]
    words += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    if policy.writable:
        words += ["--bind", str(folder / TEMPORARY), "/tmp"]
    else:
        words += ["--perms", "1777", "--tmpfs", "/tmp"]
    for path in SYSTEM:
        words += ["--ro-bind", path, path]
    for name in MERGED:
        words += _merged(name)
    made: set[str] = set()
    for path in SETTINGS:
        words += [*_folders_above(path, made), "--ro-bind-try", path, path]
    for place in places:
        words += _folders_above(place.inside, made)
        words += ["--ro-bind", place.source, place.inside]
    words += ["--bind" if policy.writable else "--ro-bind", str(folder), BOT, "--chdir", BOT]
    if not policy.writable:
        words += ["--remount-ro", "/tmp"]
    return [*words, "--remount-ro", "/"]


def _merged(name: str) -> list[str]:
    path = f"/{name}"
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path] if os.path.isdir(path) else []


def _folders_above(path: str, made: set[str]) -> list[str]:
    """Make the folders above a place, so that whoever the bot is may pass through them."""
    words: list[str] = []
    for folder in reversed(PurePosixPath(path).parents[:-1]):
        if str(folder) not in made and str(folder) not in ("/tmp", *SYSTEM):
            made.add(str(folder))
            words += ["--perms", "0755", "--dir", str(folder)]
    return words


def _last_steps(policy: Policy) -> list[str]:
    """The programs that run first inside: become the bot's user, set the limits, then become the bot.

    The number of tasks is limited only here, where it counts those of this sandbox alone.
    """
    words: list[str] = []
    if os.getuid() == 0:
        # A change of user forgets that the process dies with koth, so it is said again.
        words += ["/usr/bin/setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
        words += ["--bounding-set", "-all", "--inh-caps", "-all", "--pdeathsig", "KILL", "--"]
    options = {name.removeprefix("RLIMIT_").lower(): value for name, value in policy.rlimits().items()}
    words += ["/usr/bin/prlimit", f"--nproc={policy.tasks}"]
    return [*words, *(f"--{name}={value}" for name, value in options.items()), "--"]


class _Handshake:
    """What koth does to a new sandbox while it waits: give it its users, put it into its cgroup."""

    def __init__(self, ours: contextlib.ExitStack) -> None:
        self.info, self._told = os.pipe()
        self._waits, self.go = os.pipe()
        self.inside = [self._told, self._waits]
        for fd in self.inside:
            ours.callback(os.close, fd)

    def arguments(self) -> list[str]:
        option = "--userns-block-fd" if os.getuid() == 0 else "--block-fd"
        return ["--info-fd", str(self._told), option, str(self._waits)]

    def run(self, child: Child, cgroup: str) -> None:
        """Do it. When bwrap has ended before, or fails because of it, `Child.sandbox_failed` tells."""
        with os.fdopen(self.info, "rb") as info, os.fdopen(self.go, "wb", buffering=0) as go:
            told = b""
            while b"}" not in told and (data := os.read(info.fileno(), 4096)):
                told += data
            if b"}" not in told:
                return
            pid = json.loads(told)["child-pid"]
            try:
                if os.getuid() == 0:
                    for name in ("uid_map", "gid_map"):
                        Path(f"/proc/{pid}/{name}").write_text(f"0 0 1\n{NOBODY} {BOT_USER} 1\n")
                if cgroup:
                    Path(cgroup, "cgroup.procs").write_text(str(pid))
                go.write(b"1")
            except OSError:
                child.end()
                raise


def version(bwrap: str) -> str:
    """What bwrap calls itself."""
    done = subprocess.run([bwrap, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip()
