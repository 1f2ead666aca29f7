"""Name spaces that bwrap has made, held by a shell that does nothing: the room that a program is let into.

The shell is process 1 of the room: when it ends, so does all that is in there, whatever it has made of itself. It
ends with its keeper. It keeps a right that no program in the room has, so none of them can touch it or look at it.
It is run by a keeper, and imports nothing of koth but its calls of the system.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal

from koth.sandbox import system
from koth.sandbox.users import NOBODY, own_user

TYPE_CHECKING = False  # the module `typing` takes half as long to import as Python takes to start
if TYPE_CHECKING:
    from typing import Any

SHELL = ("/bin/sh", "-c", "echo; read end")
CLONE_NEWCGROUP = 0x02000000
READ_ONLY, MS_MOVE, MNT_DETACH = 7, 0x2000, 2
"""Of mounts: read-only, without devices and what changes users; moved; taken away though somebody is in there."""
WHOM, WHAT = 0x10000000 | 0x20000000, 0x00020000 | 0x04000000 | 0x08000000 | 0x40000000
"""The name spaces of users and processes, which a child is born into; of mounts, host names, SysV's and networks."""
WORDS = 4096
"""Bytes that are kept of what bwrap complains about."""


class RoomError(Exception):
    """Name spaces could not be made."""


class Room:
    """A room; `make` makes it, once, and `end` ends it, however far that has come."""

    def __init__(self) -> None:
        self.first = 0
        """Its first process, as the host numbers it."""
        self.outer = 0
        """bwrap itself, outside."""
        self._holder = -1
        self._orders: dict[str, Any] = {}
        self._files: set[int] = set()

    def make(self, orders: dict[str, Any]) -> None:
        """Make it, and make this process a part of it as far as that its next child is inside.

        Raises RoomError and OSError.
        """
        self._orders = orders
        try:
            complaints = self._start(orders)
            if not complaints:
                self._holder = os.pidfd_open(self.first)
                system.enter_name_spaces(self._holder, WHOM)
        finally:
            self._close(*self._files)
        if complaints:
            raise RoomError(complaints)

    def _start(self, orders: dict[str, Any]) -> str:
        """Have bwrap do its work; what it complains about."""
        info, telling = self._pipe()
        waiting, going = self._pipe()
        shell_in, holding = self._pipe()
        from_shell, shell_out = self._pipe()
        complaints, complaining = self._pipe()
        words = os.memfd_create("words")
        self._files.add(words)
        inside = [*orders["words"], "--info-fd", str(telling)]
        inside += ["--userns-block-fd", str(waiting)] if orders["users"] else []
        os.write(words, b"".join(os.fsencode(word) + b"\0" for word in inside))
        os.lseek(words, 0, os.SEEK_SET)
        for fd in (telling, waiting, words):
            os.set_inheritable(fd, True)
        places = [(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate((shell_in, shell_out, complaining))]
        argv = [orders["bwrap"], "--args", str(words), "--", *SHELL]
        self.outer = os.posix_spawn(orders["bwrap"], argv, {}, file_actions=places)
        self._close(telling, waiting, shell_in, shell_out, complaining)
        told = _read(info, b"}")
        if b"}" in told:
            self.first = int(json.loads(told)["child-pid"])
            if orders["users"]:
                self._name_users(orders["user"] or own_user())
                os.write(going, b"1")
        self._files.discard(holding)  # the shell ends when this one is closed
        if _read(from_shell, b"\n") == b"\n":
            return ""
        return _read(complaints, b"").decode(errors="replace").strip() or "bwrap ended at once"

    def _name_users(self, user: int) -> None:
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/{self.first}/{name}", "w") as file:
                file.write(f"0 0 1\n{NOBODY} {user} 1\n")

    def enter(self) -> None:
        """Let this process in: a child of the keeper's."""
        system.enter_name_spaces(self._holder, WHAT)
        system.call("unshare", CLONE_NEWCGROUP)  # its cgroup is the root of all it sees, and so has no name
        with contextlib.suppress(OSError):  # not every kernel lets a user do this
            for folder in self._orders["veil"]:
                _veil(folder, self._orders["empty"], self._orders["aside"])

    def end(self) -> None:
        """End all that is in there."""
        for pid in (self.first, self.outer):
            if pid:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._files.update(ends)
        return ends

    def _close(self, *files: int) -> None:
        for fd in files:
            self._files.discard(fd)
            os.close(fd)


def _veil(folder: str, empty: str, aside: str) -> None:
    """Show a folder as the only layer of an overlay, whose mount does not tell where it lies. Raises OSError."""
    layers = f"lowerdir={folder}:{empty}".encode()
    system.call("mount", b"bot", aside.encode(), b"overlay", READ_ONLY, layers)
    system.call("umount2", folder.encode(), MNT_DETACH)
    system.call("mount", aside.encode(), folder.encode(), None, MS_MOVE, None)


def _read(fd: int, until: bytes) -> bytes:
    """What comes from there up to this word, or to its end, but no more than is kept."""
    data = b""
    while not (until and until in data) and len(data) < WORDS and (piece := os.read(fd, WORDS)):
        data += piece
    return data
