"""The namespaces of a sandbox: bwrap makes them, an idle shell holds them, and the program enters them.

The shell is process 1 of the sandbox: when the shell ends, every process of the sandbox ends. The shell ends with its
supervisor, and keeps a capability that no program in the sandbox has, so no program can signal or trace the shell.
Supervisors import this module: it imports only the standard library and the modules of supervisors.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections.abc import Callable

from koth.sandbox import system
from koth.sandbox.descendants import descendants, open_pidfd, send
from koth.sandbox.start_request import NamespacePlan
from koth.sandbox.users import NOBODY

SHELL = ("/bin/sh", "-c", "echo; read end")
CLONE_NEWCGROUP = 0x02000000
READ_ONLY, MS_MOVE, MNT_DETACH = 7, 0x2000, 2
"""Flags of mounts: read-only without devices and set-user-ID programs; moved; detached while in use."""
REMOUNTED = 0x20 | 14
"""The flags that change the options of a mount and forbid executing programs from it."""
OF_CHILDREN, OF_PROCESS, NETWORK = 0x10000000 | 0x20000000, 0x00020000 | 0x04000000 | 0x08000000, 0x40000000
"""Types of namespaces: for a process's children (users, processes), for a process
itself (mounts, host names, System V IPC), and networks, entered unless the process has the machine's network."""
MOST_OUTPUT = 4096
"""The number of bytes after which reading bwrap's output stops."""


class NamespacesError(Exception):
    """Raised when namespaces could not be made."""


class Namespaces:
    """The namespaces of one sandbox.

    `make` makes the namespaces, once, and `kill` ends all processes inside, even if `make` has failed. `wait` is
    called before each read of bwrap's output: `wait` returns when the descriptor can be read, and raises
    NamespacesError to give up.
    """

    def __init__(self, plan: NamespacePlan, wait: Callable[[int], None]) -> None:
        self._plan = plan
        self.first = 0
        """The host's number of process 1 of the sandbox."""
        self.outer = 0
        """The number of bwrap's process, outside the sandbox."""
        self._first_fd = self._outer_fd = -1
        """Descriptors of process 1 and of bwrap's process."""
        self._wait = wait
        self._files: set[int] = set()

    def make(self, words: int) -> None:
        """Make the namespaces with bwrap, and enter the namespaces that apply to the next child of this process.

        `words` is the descriptor of a file with bwrap's arguments; `make` closes it. Raises NamespacesError and
        OSError.
        """
        self._files.add(words)
        try:
            complaints = self._run_bwrap(words)
            if not complaints:
                system.enter_namespaces(self._first_fd, OF_CHILDREN)
        finally:
            self._close(*self._files)
        if complaints:
            raise NamespacesError(complaints)

    def _run_bwrap(self, words: int) -> str:
        """Run bwrap and return its error output; empty on success."""
        info, info_out = self._pipe()
        users_in, users_known = self._pipe()
        shell_in, shell_held = self._pipe()
        shell_said, shell_out = self._pipe()
        complaints, errors = self._pipe()
        for fd in (info_out, users_in, words):
            os.set_inheritable(fd, True)
        streams = [(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate((shell_in, shell_out, errors))]
        blocked = ["--userns-block-fd", str(users_in)] if self._plan.maps_users else []
        argv = [self._plan.bwrap, "--args", str(words), "--info-fd", str(info_out), *blocked, "--", *SHELL]
        self.outer = os.posix_spawn(self._plan.bwrap, argv, {}, file_actions=streams)
        self._outer_fd = open_pidfd(self.outer)
        self._close(info_out, users_in, shell_in, shell_out, errors)
        info_text = self._read(info, b"}")
        if b"}" in info_text:
            self._open_first(int(json.loads(info_text)["child-pid"]))
            if self._plan.maps_users:
                self._map_users(self._plan.user)
                os.write(users_known, b"1")
        self._files.discard(shell_held)  # the shell ends when this one is closed
        if self._read(shell_said, b"\n") == b"\n":
            return ""
        return self._read(complaints, b"").decode(errors="replace").strip() or "bwrap ended at once"

    def _open_first(self, pid: int) -> None:
        """Open process 1, whose number is valid only while it is bwrap's child. Raises NamespacesError."""
        self._first_fd = open_pidfd(pid)
        if pid not in descendants(self.outer):
            raise NamespacesError("bwrap ended at once")
        self.first = pid

    def _map_users(self, user: int) -> None:
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/{self.first}/{name}", "w") as file:
                file.write(f"0 0 1\n{NOBODY} {user} 1\n")

    def enter(self) -> None:
        """Enter the namespaces with this process, a child of the supervisor. Raises OSError."""
        system.enter_namespaces(self._first_fd, OF_PROCESS if self._plan.network else OF_PROCESS | NETWORK)
        system.call("unshare", CLONE_NEWCGROUP)  # the program sees its cgroup as a root without a name
        with contextlib.suppress(OSError):  # not every kernel lets a user do this
            for folder in self._plan.hidden_sources:
                _hide_mount_source(folder, self._plan.aside)
        if options := self._plan.temporary:
            system.call("mount", None, b"/tmp", None, REMOUNTED, options.encode())  # bwrap can't limit their number

    def kill(self) -> None:
        """Kill every process inside."""
        for pidfd, pid in ((self._first_fd, self.first), (self._outer_fd, self.outer)):
            if pid:
                send(pidfd, pid, signal.SIGKILL)

    def _read(self, fd: int, until: bytes) -> bytes:
        """Return a descriptor's output up to `until` or the end; stop reading after `MOST_OUTPUT` bytes."""
        data = b""
        while not (until and until in data) and len(data) < MOST_OUTPUT:
            self._wait(fd)
            piece = os.read(fd, MOST_OUTPUT)
            if not piece:
                break
            data += piece
        return data

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._files.update(ends)
        return ends

    def _close(self, *files: int) -> None:
        for fd in files:
            self._files.discard(fd)
            os.close(fd)


def _hide_mount_source(folder: str, aside: str) -> None:
    """Remount a folder as an overlay, whose entry in the mount table does not show the folder's source.

    `aside` is an empty folder: the second layer that an overlay needs, and the place where the overlay is made.
    Raises OSError.
    """
    layers = f"lowerdir={folder}:{aside}".encode()
    system.call("mount", b"bot", aside.encode(), b"overlay", READ_ONLY, layers)
    system.call("umount2", folder.encode(), MNT_DETACH)
    system.call("mount", aside.encode(), folder.encode(), None, MS_MOVE, None)
