"""A program that was started for koth: its process, its pipes, and the reports of its supervisor."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import selectors
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from typing import Any, ClassVar

from koth.sandbox.cgroup import Cgroup
from koth.sandbox.descendants import descendants, send
from koth.sandbox.environment import OPTIONS, PYTHON, environment_of
from koth.sandbox.host_process import allow_open_files
from koth.sandbox.start_request import StartRequest

ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the package `koth`."""
SPAWNER = """
import os, sys
from importlib.machinery import FileFinder, SourceFileLoader

class Uncached(SourceFileLoader):
    def path_stats(self, path):
        raise OSError

HERE = "/proc/self/cwd" if os.path.exists("/proc/self/cwd") else ""
for place in ("", "/koth", "/koth/adapter", "/koth/sandbox") if HERE else ():
    sys.path_importer_cache[HERE + place] = FileFinder(HERE + place, (Uncached, [".py"]))
del sys.path[0]
sys.path.append(HERE)
from koth.sandbox import forked_python
forked_python.load({libraries})
from koth.sandbox import spawner
exec(spawner.main())
"""
"""The program of a spawner.

Bots can read this text and the spawner's memory, so neither contains koth's path: the spawner finds koth in its
working directory, and reads no compiled files of koth, which contain the path."""
END_TIMEOUT = 30.0
"""Seconds within which all processes of a killed program must have ended; only the kernel can delay the end."""


class _Spawner:
    """A spawner of this process, started with the first program that needs it; the spawner runs `spawner.py`."""

    lock = threading.Lock()
    by_libraries: ClassVar[dict[tuple[str, ...], _Spawner]] = {}

    def __init__(self, libraries: tuple[str, ...]) -> None:
        self._program = SPAWNER.format(libraries=list(libraries))
        self._owner = 0
        self._requests: socket.socket | None = None
        self.process: subprocess.Popen[bytes] | None = None

    @classmethod
    def start_supervisor(cls, files: list[int], libraries: tuple[str, ...] = ()) -> None:
        """Fork a supervisor that gets these descriptors from the spawner with these libraries. Raises OSError."""
        with cls.lock:
            cls.by_libraries.setdefault(libraries, cls(libraries))._send(files)

    def _send(self, files: list[int]) -> None:
        if self._owner == os.getpid() and self._requests is not None:
            try:
                socket.send_fds(self._requests, [b"."], files)
            except OSError:  # the spawner has been killed; its supervisors go on
                self.stop()
            else:
                return
        self._start()
        assert self._requests is not None
        socket.send_fds(self._requests, [b"."], files)

    def _start(self) -> None:
        ours, other = socket.socketpair()
        with other:
            argv = [PYTHON, *OPTIONS, "-c", self._program]
            pipe = subprocess.PIPE
            try:
                self.process = subprocess.Popen(
                    argv,
                    cwd=ROOT,
                    env=environment_of(PYTHON),
                    stdin=other.fileno(),
                    stdout=pipe,
                    stderr=pipe,
                    start_new_session=True,
                )
            except OSError:
                ours.close()
                raise
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()  # pipes only because those of bots are
        self._owner, self._requests = os.getpid(), ours
        allow_open_files()  # only now: programs get the limits that koth was started with
        atexit.register(self.stop)

    def stop(self) -> None:
        """End the spawner; its supervisors end by themselves."""
        atexit.unregister(self.stop)
        if self._requests is not None and self._owner == os.getpid() and self.process is not None:
            self._requests.close()
            self._requests = None
            self.process.wait()


class SupervisedProcess:
    """A program that was started for koth, and all processes that it has started.

    `stdin`, `stdout` and `stderr` are koth's ends of the program's pipes, if pipes were requested. The constructor
    raises OSError when no program can be started at all.
    """

    def __init__(
        self,
        request: StartRequest,
        bwrap_arguments: Sequence[str] = (),
        cgroup: Cgroup | None = None,
        *,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> None:
        self.returncode: int | None = None
        """The exit status, or the negative number of the signal that ended the program; None while it runs."""
        self.cgroup = cgroup
        self.has_files = request.namespaces is not None and bool(request.namespaces.temporary)
        """True if the program has a /tmp of its own."""
        self._pidfd = -1
        """The descriptor of the program's process; -1 before it exists, or if the system has no pidfds."""
        self._reports: dict[str, Any] = {}
        self._buffer = b""
        with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
            self.stdin, first = _pipe(ours, theirs, stdin, "wb")
            self.stdout, second = _pipe(ours, theirs, stdout, "rb")
            self.stderr, third = (None, second) if stderr == subprocess.STDOUT else _pipe(ours, theirs, stderr, "rb")
            self._link, other = socket.socketpair()
            ours.callback(self._link.close)
            theirs.enter_context(other)
            files = [first, second, third, other.fileno()]
            files += [_write_words(theirs, bwrap_arguments)] if bwrap_arguments else []
            if cgroup is not None:
                files.append(os.open(cgroup.folder, os.O_RDONLY))
                theirs.callback(os.close, files[-1])
            _Spawner.start_supervisor(files, tuple(request.forked or ()))
            ours.pop_all()
        with contextlib.suppress(OSError):  # reading reports will notice that the supervisor has ended
            self._link.sendall(request.encode())
        self._link.setblocking(False)

    def program_pid(self) -> int:
        """Return the host's number of the program's process; 0 before the process exists."""
        if "pid" not in self._reports:
            self._read_reports()
        return int(self._reports.get("pid", 0))

    def supervisor_pid(self) -> int:
        """Return the number of the supervisor, the ancestor of all the program's processes; 0 while unknown."""
        return int(self._reports.get("supervisor", 0)) if self.program_pid() else 0

    def pids(self) -> list[int]:
        """Return the host's numbers of all the program's processes: all in the cgroup or below the supervisor."""
        if not self.program_pid():
            return []
        if self.cgroup is not None:
            return self.cgroup.pids()
        found = [pid for pid in descendants(self.supervisor_pid()) if pid not in self._reports["holders"]]
        return found if self.poll() is None else []  # the number of an ended supervisor may have been reused

    def send_signal(self, number: int) -> None:
        """Send a signal to the program's own process, if it has not ended."""
        pid = self.program_pid()
        if pid and self.returncode is None:
            send(self._pidfd, pid, number)

    def wait_for_start(self) -> OSError | None:
        """Wait until the process has executed the program; return the error if it could not."""
        while not self._reports.keys() & {"began", "unstarted", "failed", "exit"}:
            self._read_reports(None)
        if "unstarted" in self._reports:
            return OSError(*self._reports["unstarted"])
        return OSError(self._reports["failed"]) if "failed" in self._reports else None

    def began_at(self) -> int:
        """Return when the process had executed the program, by `time.monotonic_ns`; 0 before koth knows."""
        if "began" not in self._reports:
            self._read_reports()
        return int(self._reports.get("began", 0))

    def sandbox_failed(self) -> bool:
        """Return whether no sandbox could be made, or the supervisor was killed: neither is the program's fault."""
        self._read_reports()
        return "failed" in self._reports

    def forbidden_call(self) -> str:
        """Return the name of the forbidden system call that ended the program; empty if there was none."""
        self._read_reports()
        return str(self._reports.get("call", ""))

    def poll(self) -> int | None:
        """Read new reports and return `returncode`."""
        if self.returncode is None:
            self._read_reports()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the program's end and return its exit status. Raises subprocess.TimeoutExpired."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = None if end is None else end - time.monotonic()
            self._read_reports(left if left is None else max(0.0, left))
            if self.returncode is None and left is not None and left <= 0:
                raise subprocess.TimeoutExpired(f"process {self.program_pid()}", timeout or 0.0)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Close the input, wait for the program's end, return output and errors. Raises subprocess.TimeoutExpired."""
        if self.stdin is not None:
            self.stdin.close()
        end = None if timeout is None else time.monotonic() + timeout
        pipes = [pipe for pipe in (self.stdout, self.stderr) if pipe is not None]
        output = dict.fromkeys(pipes, b"")
        with selectors.PollSelector() as selector:
            for pipe in pipes:
                selector.register(pipe, selectors.EVENT_READ)
            while selector.get_map():
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    raise subprocess.TimeoutExpired(f"process {self.program_pid()}", timeout or 0.0)
                for key, _ in selector.select(left):
                    pipe = next(one for one in pipes if one is key.fileobj)
                    data = os.read(pipe.fileno(), 1 << 16)
                    output[pipe] += data
                    if not data:
                        selector.unregister(pipe)
        self.wait(None if end is None else max(0.0, end - time.monotonic()))
        for pipe in pipes:
            pipe.close()
        return tuple(b"" if pipe is None else output[pipe] for pipe in (self.stdout, self.stderr))  # type: ignore[return-value]

    def end(self) -> None:
        """Kill the program and its descendants, and wait for their end.

        Raises subprocess.TimeoutExpired after `END_TIMEOUT`; the supervisor continues to kill the processes.
        """
        if self.returncode is None:
            self.kill()
            self.wait(END_TIMEOUT)

    def kill(self) -> None:
        """Kill the program and its descendants without waiting for their end."""
        with contextlib.suppress(OSError):
            self._link.send(b"k")

    def release(self) -> None:
        """Release koth's resources for the program except the pipes; this ends the program too."""
        self._read_reports()
        self._link.close()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1
        if self.cgroup is not None:
            self.cgroup.remove()
            self.cgroup = None

    def close(self) -> None:
        """Close all of koth's resources for the program, pipes included; this ends the program too."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                pipe.close()
        self.release()

    def _read_reports(self, seconds: float | None = 0.0) -> None:
        """Read reports of the supervisor, waiting up to `seconds` for the first (None: without a limit)."""
        if self.returncode is not None or self._link.fileno() < 0:
            return
        try:
            self._link.settimeout(seconds)
            data = self._receive()
        except (BlockingIOError, TimeoutError):
            return
        except OSError:
            data = b""
        self._buffer += data
        *lines, self._buffer = self._buffer.split(b"\n")
        for line in lines:
            self._reports.update(json.loads(line))
        if not data and "exit" not in self._reports:  # the supervisor was killed, and the program died with it
            self._reports = {"failed": "the program's supervisor has been killed", "exit": -9, **self._reports}
        if "exit" in self._reports:
            self.returncode = int(self._reports["exit"])

    def _receive(self) -> bytes:
        if "pid" in self._reports:
            return self._link.recv(1 << 16)
        flags = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
        data, files, _, _ = socket.recv_fds(self._link, 1 << 16, 1, flags)
        if files:
            self._pidfd = files[0]
        return data


def _write_words(theirs: contextlib.ExitStack, words: Sequence[str]) -> int:
    """Return a file with these words, each ended by a zero byte."""
    file = theirs.enter_context(FileIO(os.memfd_create("words"), "r+b"))
    file.write(b"".join(os.fsencode(word) + b"\0" for word in words))
    file.seek(0)
    return file.fileno()


def _pipe(
    ours: contextlib.ExitStack, theirs: contextlib.ExitStack, kind: int | None, mode: str
) -> tuple[FileIO | None, int]:
    """Return koth's end of a pipe, which `ours` closes, and the program's end, which `theirs` closes."""
    if kind != subprocess.PIPE:
        return None, theirs.enter_context(open(os.devnull, "r+b", 0)).fileno()
    reading, writing = os.pipe()
    own, other = (reading, writing) if mode == "rb" else (writing, reading)
    theirs.callback(os.close, other)
    return ours.enter_context(FileIO(own, mode)), other
