"""The supervisor of one program: it starts the program, reports to koth, and ends all processes of the program.

Every process that a program starts stays below the program's supervisor, which finds the process without a mark. The
supervisor ends the program when the program's first process has ended, when koth requests the end, and when koth has
ended, which closes the `link` to koth. Reports on the link are JSON, one object per line:

    {"pid": 7, "supervisor": 4, "holders": [6, 5]}  the program's process, with its pidfd if there is one, and the
                                                    processes that hold its namespaces, if any
    {"began": 123}         the process has executed the program, at this `time.monotonic_ns` at the latest; or
    {"unstarted": [errno, text]}
    {"failed": text}       no sandbox could be made: the program never starts
    {"call": name}         the program made a forbidden system call and is ended
    {"exit": 0}            all processes have ended (negative: the signal that ended the program)

This module imports only the standard library and the modules of supervisors.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import time

from koth.sandbox import child_setup, seccomp_notify, system
from koth.sandbox.descendants import descendants, open_pidfd, signal_all
from koth.sandbox.namespaces import Namespaces, NamespacesError
from koth.sandbox.start_request import StartRequest

UNSTARTED = 127
"""The exit status of a process that could not execute its program, as in shells."""
ENDED_EARLY = "koth ended the program before it had started"


class _Forked(BaseException):
    """Raised when a program's process leaves the supervisor's functions, to go on without an exec."""


def supervise(link: socket.socket, streams: list[int], files: list[int]) -> tuple[list[str], dict[str, str]] | None:
    """Supervise one program from its start until all its processes have ended and koth has closed the link.

    In the process of a forked bot, return its command and environment. `files` are descriptors of bwrap's
    arguments and of the cgroup's folder, if any; not texts: a forked bot could find texts in its memory, and in them
    paths of the host.
    """
    data = bytearray()
    while b"\n" not in data:
        piece = link.recv(1 << 16)
        if not piece:
            return None
        data += piece
    head, _, more = data.partition(b"\n")
    request = StartRequest.decode(head)
    try:
        Supervisor(request, link, streams, files).run(killed=bool(more))
    except _Forked:
        return request.argv, request.environment
    return None


class Supervisor:
    """The supervisor of one program."""

    def __init__(self, request: StartRequest, link: socket.socket, streams: list[int], files: list[int]) -> None:
        self.request = request
        self.link = link
        self.streams = streams
        self._files = files
        plan = request.namespaces
        self.namespaces = Namespaces(plan, self._wait_for_bwrap) if plan is not None else None
        self.program = 0
        """The number of the program's process; 0 before the fork, and again after the end."""
        self.has_ended = False
        self._deadline = 0.0
        """The deadline of bwrap, by `time.monotonic`."""
        self._poll = select.poll()
        self._woken, self._waking = os.pipe()
        self._setup: socket.socket | None = None
        """The link to the program's process; None once the process has executed the program."""
        self._listener: seccomp_notify.Listener | None = None

    def report(self, *, pidfd: int = -1, **words: object) -> None:
        """Send koth a report, optionally with the descriptor of a process."""
        data = json.dumps(words).encode() + b"\n"
        with contextlib.suppress(OSError):
            if pidfd >= 0:
                socket.send_fds(self.link, [data], [pidfd])
            else:
                self.link.sendall(data)

    def run(self, *, killed: bool = False) -> None:
        """Start the program and supervise it to the end; `killed`: koth has already requested the program's end."""
        os.set_blocking(self._waking, False)
        os.set_blocking(self._woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        if system.libc is not None:
            system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
        try:
            if killed:
                raise NamespacesError(ENDED_EARLY)
            self._begin()
        except (OSError, NamespacesError) as error:
            with contextlib.suppress(OSError):
                os.write(self.streams[2], f"{error}\n".encode())
            self.report(failed=str(error))
            self._end(-signal.SIGKILL)
            self._close_streams()
        for fd in (self.link.fileno(), self._woken):
            self._poll.register(fd, select.POLLIN)
        while self._handle_events():
            pass
        self._end()
        if self.request.cgroup:  # koth may not have removed it
            with contextlib.suppress(OSError):
                os.rmdir(os.readlink(f"/proc/self/fd/{self._files[-1]}"))

    def _begin(self) -> None:
        if self.namespaces is not None and self.request.namespaces is not None:
            self._deadline = time.monotonic() + self.request.namespaces.timeout
            self.namespaces.make(self._files[0])
        self._setup, other = socket.socketpair()
        self.program = os.fork()
        if self.program == 0:
            self._execute(other)
        other.close()
        self._poll.register(self._setup.fileno(), select.POLLIN)
        holders = [self.namespaces.first, self.namespaces.outer] if self.namespaces is not None else []
        pidfd = open_pidfd(self.program)
        self.report(pidfd=pidfd, pid=self.program, supervisor=os.getpid(), holders=holders)
        if pidfd >= 0:
            os.close(pidfd)
        self._setup.send(b".")

    def _wait_for_bwrap(self, fd: int) -> None:
        """Wait until this descriptor can be read. Raises NamespacesError if bwrap hangs or koth cancels."""
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        poll.register(self.link, select.POLLIN)
        left = max(0.0, self._deadline - time.monotonic())
        ready = [found for found, _ in poll.poll(left * 1000)]
        if fd in ready:
            return
        if ready:
            raise NamespacesError(ENDED_EARLY)
        assert self.request.namespaces is not None
        raise NamespacesError(f"bwrap was not done after {self.request.namespaces.timeout:g} s")

    def _execute(self, setup: socket.socket) -> None:
        """Execute the program, or report why it can't be executed; only the child calls this."""
        try:
            setup.recv(1)  # wait until the supervisor has reported this process to koth
            child_setup.reset_signals()
            if self.request.cgroup:  # before entering namespaces, which make this cgroup the visible root
                os.write(os.open("cgroup.procs", os.O_WRONLY, dir_fd=self._files[-1]), b"0")
            os.setsid()
            if self.namespaces is not None:
                self.namespaces.enter()
            os.chdir(self.request.folder)
            setup = _keep_only(setup, self.streams)
            child_setup.confine(self.request, setup)
        except BaseException as error:
            setup.sendall(b"s" + str(error).encode(errors="replace"))
            os._exit(UNSTARTED)
        try:
            if self.request.copy:
                child_setup.copy_folder(self.request.folder, self.request.copy)
                os.chdir(self.request.copy)
            if self.request.forked is not None:
                setup.close()  # as exec would
                raise _Forked
            problem = child_setup.execute(self.request.argv, self.request.environment)
        except OSError as error:
            problem = error
        words = f"{self.request.argv[0]} could not be started: {problem.strerror}\n"
        with contextlib.suppress(OSError):
            os.write(2, words.encode(errors="replace"))
        setup.sendall(b"e%d %s" % (problem.errno or 0, (problem.strerror or "").encode()))
        os._exit(UNSTARTED)

    def _handle_events(self) -> bool:
        """Wait for events and handle them; return False once koth has closed the link."""
        for fd, events in self._poll.poll():
            if fd == self._woken:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._woken, 4096)
                self._reap()
            elif fd == self.link.fileno():
                if not self._read_link():
                    return False
            elif self._setup is not None and fd == self._setup.fileno():
                self._read_setup()
            elif not events & select.POLLIN:
                self._poll.unregister(fd)  # no process with the filter is left
            elif self._listener is not None and (name := self._listener.answer()):
                self.report(call=name)
                self._end()
        return True

    def _read_link(self) -> bool:
        """End the program if koth requests it; return False once koth has closed the link."""
        try:
            message = self.link.recv(64)
        except OSError:
            return False
        if message:
            self._end()
        return bool(message)

    def _read_setup(self) -> None:
        assert self._setup is not None
        data, files, _, _ = socket.recv_fds(self._setup, 1 << 12, 1)
        if data[:1] == b"f" and files and self.request.filter is not None:
            self._listener = seccomp_notify.Listener(files[0], self.request.filter)
            self._poll.register(files[0], select.POLLIN)
            return
        self._poll.unregister(self._setup.fileno())
        self._setup.close()
        self._setup = None
        if not data:
            self.report(began=time.monotonic_ns())
        elif data[:1] == b"s":
            with contextlib.suppress(OSError):
                os.write(self.streams[2], data[1:] + b"\n")
            self.report(failed=data[1:].decode(errors="replace"))
        else:
            number, _, text = data[1:].partition(b" ")
            self.report(unstarted=[int(number), text.decode(errors="replace")])
        self._close_streams()

    def _close_streams(self) -> None:
        for fd in self.streams:
            os.close(fd)
        self.streams = []

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self.program:
                    self.program = 0
                    self._end(os.waitstatus_to_exitcode(status))

    def _end(self, code: int | None = None) -> None:
        """Kill all processes and wait for them, then report the program's exit status."""
        with contextlib.suppress(ChildProcessError):
            while True:
                self._kill()
                pid, status = os.waitpid(-1, 0)
                if pid == self.program:
                    self.program = 0
                    code = os.waitstatus_to_exitcode(status)
        if not self.has_ended and code is not None:
            self.has_ended = True
            self.report(exit=code)

    def _kill(self) -> None:
        """Kill all processes, the program first: entering dead namespaces would end the program with an error."""
        if self.program:
            with contextlib.suppress(OSError):
                os.killpg(self.program, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.kill(self.program, signal.SIGKILL)
        signal_all(lambda: descendants(os.getpid()), signal.SIGKILL)
        if self.namespaces is not None:
            self.namespaces.kill()


def _keep_only(setup: socket.socket, streams: list[int]) -> socket.socket:
    """Close all files except the three streams, which get their usual numbers, and a socket that exec closes."""
    high = [os.dup2(fd, 64 + at, inheritable=False) for at, fd in enumerate((*streams, setup.fileno()))]
    for at in range(3):
        os.dup2(high[at], at)
    os.dup2(high[3], 3, inheritable=False)
    setup.detach()
    os.closerange(4, 1 << 16 if sys.platform == "linux" else 1 << 10)
    return socket.socket(fileno=3)
