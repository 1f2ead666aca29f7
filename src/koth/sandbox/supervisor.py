"""The keeper of one program: it starts it, watches over it, tells koth how it goes, and ends all that it has started.

Whatever a program starts, and wherever that hides, stays below its keeper, so that no mark is needed to find it. The
keeper ends it when the program has ended, when koth says so, and when koth is gone: it hears that koth's end of their
`link` has been closed. What is told there is JSON, an object a line:

    {"pid": 7, "keeper": 4, "room": [6, 5]}  its process has been made, and so had those that hold its room, if any
    {"began": true}        it has become the program; or {"unstarted": [errno, text]}
    {"failed": text}       it never will: no sandbox could be made
    {"call": [name, did]}  it made a system call that it may not make, and that was `refused` or its `end`
    {"exit": 0}            it has ended, and all that it started (negative: the signal that ended it)

It imports nothing but the standard library and its own kind.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys

from koth.sandbox import child_setup, seccomp_notify, system
from koth.sandbox.family import below
from koth.sandbox.namespaces import Room, RoomError

TYPE_CHECKING = False  # the module `typing` takes half as long to import as Python takes to start
if TYPE_CHECKING:
    from typing import Any

UNSTARTED = 127
"""The exit status of a process that could not become its program, as shells have it."""


def keep(link: socket.socket, streams: list[int]) -> None:
    """Keep one program from its start to the end of all it has started, and of koth's interest."""
    data = bytearray()
    while b"\n" not in data:
        piece = link.recv(1 << 16)
        if not piece:
            return
        data += piece
    orders, _, more = data.partition(b"\n")
    Keeper(json.loads(orders), link, streams).run(struck=bool(more))


class Keeper:
    """See above."""

    def __init__(self, orders: dict[str, Any], link: socket.socket, streams: list[int]) -> None:
        self.orders = orders
        self.link = link
        self.streams = streams
        self.room = Room() if "room" in orders else None
        self.program = 0
        self.code: int | None = None
        self._poll = select.poll()
        self._woken, self._waking = os.pipe()
        self._child: socket.socket | None = None
        self._questions: seccomp_notify.Questions | None = None

    def tell(self, **words: object) -> None:
        with contextlib.suppress(OSError):
            self.link.sendall(json.dumps(words).encode() + b"\n")

    def run(self, *, struck: bool = False) -> None:
        """Do all of it; koth may already have `struck`."""
        os.set_blocking(self._waking, False)
        os.set_blocking(self._woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        if system.libc is not None:
            system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
        try:
            self._begin()
        except (OSError, RoomError) as error:
            with contextlib.suppress(OSError):
                os.write(self.streams[2], f"{error}\n".encode())
            self.tell(failed=str(error))
            self._end(-signal.SIGKILL)
            self._close_streams()
        if struck:
            self._end()
        for fd in (self.link.fileno(), self._woken):
            self._poll.register(fd, select.POLLIN)
        while self._attend():
            pass
        self._end()
        self._remove_cgroup()

    def _begin(self) -> None:
        if self.room is not None:
            self.room.make(self.orders["room"])
        self._child, other = socket.socketpair()
        self.program = os.fork()
        if self.program == 0:
            self._become_program(other)
        other.close()
        self._poll.register(self._child.fileno(), select.POLLIN)
        room = [self.room.first, self.room.outer] if self.room is not None else []
        self.tell(pid=self.program, keeper=os.getpid(), room=room)
        self._child.send(b".")

    def _become_program(self, telling: socket.socket) -> None:
        """In the child: become the program, or say why not."""
        try:
            telling.recv(1)  # koth knows this process before it hears of it
            child_setup.as_new()
            if self.orders.get("cgroup"):  # before its room, where this cgroup is the root of all it sees
                with open(os.path.join(self.orders["cgroup"], "cgroup.procs"), "w") as file:
                    file.write("0")
            os.setsid()
            if self.room is not None:
                self.room.enter()
            os.chdir(self.orders["folder"])
            telling = _only(telling, self.streams)
            child_setup.confine(self.orders, telling)
        except BaseException as error:
            telling.sendall(b"s" + str(error).encode(errors="replace"))
            os._exit(UNSTARTED)
        problem = child_setup.become_program(self.orders)
        words = f"{self.orders['argv'][0]} could not be started: {problem.strerror}\n"
        with contextlib.suppress(OSError):
            os.write(2, words.encode(errors="replace"))
        telling.sendall(b"e%d %s" % (problem.errno or 0, (problem.strerror or "").encode()))
        os._exit(UNSTARTED)

    def _attend(self) -> bool:
        """Wait for something to happen and see to it; False when koth takes no more interest."""
        for fd, events in self._poll.poll():
            if fd == self._woken:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._woken, 4096)
                self._reap()
            elif fd == self.link.fileno():
                if not self._heed():
                    return False
            elif self._child is not None and fd == self._child.fileno():
                self._hear_child()
            elif not events & select.POLLIN:
                self._poll.unregister(fd)  # there is nobody left who might ask
            else:
                self._answer()
        return True

    def _heed(self) -> bool:
        """Koth has said that it is enough, or has gone."""
        try:
            said = self.link.recv(64)
        except OSError:
            return False
        if said:
            self._end()
        return bool(said)

    def _hear_child(self) -> None:
        """The process tells how it gets on, until it has become the program."""
        assert self._child is not None
        data, files, _, _ = socket.recv_fds(self._child, 1 << 12, 1)
        if data[:1] == b"f" and files:
            self._questions = seccomp_notify.Questions(files[0], self.orders)
            self._poll.register(files[0], select.POLLIN)
            return
        self._poll.unregister(self._child.fileno())
        self._child.close()
        self._child = None
        if not data:
            self.tell(began=True)
        elif data[:1] == b"s":
            with contextlib.suppress(OSError):
                os.write(self.streams[2], data[1:] + b"\n")
            self.tell(failed=data[1:].decode(errors="replace"))
        else:
            number, _, text = data[1:].partition(b" ")
            self.tell(unstarted=[int(number), text.decode(errors="replace")])
        self._close_streams()

    def _close_streams(self) -> None:
        for fd in self.streams:
            os.close(fd)

    def _answer(self) -> None:
        """The kernel asks what to do about a system call."""
        assert self._questions is not None
        name, did = self._questions.answer()
        if name:
            self.tell(call=[name, did])
        if did == "end":
            self._end()

    def _reap(self) -> None:
        """See who has ended. The program's end is the end of all."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self.program:
                    self._end(os.waitstatus_to_exitcode(status))

    def _end(self, code: int | None = None) -> None:
        """Kill all that there is, and tell how the program has ended; when this is done, nothing of it is left."""
        with contextlib.suppress(ChildProcessError):
            while True:
                self._kill()
                pid, status = os.waitpid(-1, 0)
                if pid == self.program:
                    code = os.waitstatus_to_exitcode(status)
        if self.code is None and code is not None:
            self.code = code
            self.tell(exit=code)

    def _remove_cgroup(self) -> None:
        """Remove the cgroup of the ended program; koth may have done so before, or may be gone."""
        if self.orders.get("cgroup"):
            with contextlib.suppress(OSError):
                os.rmdir(self.orders["cgroup"])

    def _kill(self) -> None:
        if self.program and self.code is None:
            with contextlib.suppress(OSError):
                os.killpg(self.program, signal.SIGKILL)
        found = below(os.getpid())
        if self.program in found:  # before its room: one that is still entering would end by the error of that
            found.insert(0, self.program)
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if self.room is not None:
            self.room.end()


def _only(telling: socket.socket, streams: list[int]) -> socket.socket:
    """Close all files but the three streams, which get their usual numbers, and one that is closed with the start."""
    high = [os.dup2(fd, 64 + at, inheritable=False) for at, fd in enumerate((*streams, telling.fileno()))]
    for at in range(3):
        os.dup2(high[at], at)
    os.dup2(high[3], 3, inheritable=False)
    telling.detach()
    os.closerange(4, 1 << 16 if sys.platform == "linux" else 1 << 10)
    return socket.socket(fileno=3)
