"""A started program: its process, its pipes, and what its keeper tells of it."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import resource
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import Any

from koth.sandbox.cgroup import Cgroup
from koth.sandbox.family import below

ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the package `koth`."""
GUARDIAN = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from koth.sandbox.spawner import main; "


class _Guardian:
    """The process from which this one starts programs, begun with the first of them; `spawner.py` is its side."""

    _lock = threading.Lock()
    _owner = 0
    _calls: socket.socket | None = None
    process: subprocess.Popen[bytes] | None = None

    @classmethod
    def start_keeper(cls, files: list[int]) -> None:
        """Have a keeper made that gets these files. Raises OSError."""
        with cls._lock:
            if cls._owner == os.getpid() and cls._calls is not None:
                try:
                    socket.send_fds(cls._calls, [b"."], files)
                except OSError:  # somebody has killed it; its keepers go on
                    cls.stop()
                else:
                    return
            cls._start()
            assert cls._calls is not None
            socket.send_fds(cls._calls, [b"."], files)

    @classmethod
    def _start(cls) -> None:
        cls._owner = os.getpid()
        cls._calls, other = socket.socketpair()
        with other, open(os.devnull, "r+b") as nothing:
            argv = [sys.executable, "-I", "-S", "-c", GUARDIAN + f"main({other.fileno()})"]
            cls.process = subprocess.Popen(
                argv,
                cwd="/",
                env={},
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                pass_fds=[other.fileno()],
                start_new_session=True,
            )
        _open_many_files()  # only now: what it starts has what koth was begun with
        atexit.register(cls.stop)

    @classmethod
    def stop(cls) -> None:
        """End it; what it has started ends by itself."""
        if cls._calls is not None and cls._owner == os.getpid() and cls.process is not None:
            cls._calls.close()
            cls._calls = None
            cls.process.wait()


def _open_many_files() -> None:
    """Let this process open as many files as it may: each bot takes up to a dozen, many systems begin with 1,024."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):  # a system with a bound of its own
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Child:
    """A program that was started for koth, and all that it has started itself.

    `stdin`, `stdout` and `stderr` are koth's ends of its pipes, as far as pipes were asked for. Making one raises
    OSError when no program can be started at all.
    """

    def __init__(
        self,
        orders: Mapping[str, Any],
        *,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> None:
        self.returncode: int | None = None
        """How it has ended: its exit status, or the signal that ended it, negative; None while it runs."""
        self.cgroup: Cgroup | None = None
        self._told: dict[str, Any] = {}
        self._heard = b""
        with contextlib.ExitStack() as theirs:
            self.stdin, first = _pipe(theirs, stdin, "wb")
            self.stdout, second = _pipe(theirs, stdout, "rb")
            self.stderr, third = (None, second) if stderr == subprocess.STDOUT else _pipe(theirs, stderr, "rb")
            self._link, other = socket.socketpair()
            theirs.enter_context(other)
            _Guardian.start_keeper([first, second, third, other.fileno()])
        with contextlib.suppress(OSError):  # when it is gone, that is told below
            self._link.sendall(json.dumps(orders).encode() + b"\n")
        self._link.setblocking(False)

    def program_pid(self) -> int:
        """The process of the program, as the host numbers it; 0 as long as there is none."""
        if "pid" not in self._told:
            self._listen()
        return int(self._told.get("pid", 0))

    def keeper_pid(self) -> int:
        """The process of its keeper, below which all of the program hangs; 0 as long as that is not known."""
        return int(self._told.get("keeper", 0))

    def pids(self) -> list[int]:
        """All processes of the program, as the host numbers them: those of its cgroup, or all below its keeper."""
        if not self.program_pid():
            return []
        if self.cgroup is not None:
            return self.cgroup.pids()
        return [pid for pid in below(self.keeper_pid()) if pid not in self._told["room"]]

    def begun(self) -> OSError | None:
        """Wait until it has become the program; why it could not."""
        while not self._told.keys() & {"began", "unstarted", "failed", "exit"}:
            self._listen(None)
        if "unstarted" in self._told:
            return OSError(*self._told["unstarted"])
        return OSError(self._told["failed"]) if "failed" in self._told else None

    def sandbox_failed(self) -> bool:
        """Whether no sandbox could be made, or its keeper has been killed: it is not the program's doing."""
        self._listen()
        return "failed" in self._told

    def forbidden_call(self) -> str:
        """The name of the system call that it was ended for; empty if it was not."""
        self._listen()
        name, did = self._told.get("call", ("", ""))
        return str(name) if did == "end" else ""

    def poll(self) -> int | None:
        """`returncode`, as it is now."""
        if self.returncode is None:
            self._listen()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = None if end is None else end - time.monotonic()
            self._listen(left if left is None else max(0.0, left))
            if self.returncode is None and left is not None and left <= 0:
                raise subprocess.TimeoutExpired(f"process {self.program_pid()}", timeout or 0.0)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Close its input, wait for its end; all that it has written. Raises subprocess.TimeoutExpired."""
        if self.stdin is not None:
            self.stdin.close()
        end = None if timeout is None else time.monotonic() + timeout
        pipes = [pipe for pipe in (self.stdout, self.stderr) if pipe is not None]
        said = dict.fromkeys(pipes, b"")
        with selectors.DefaultSelector() as selector:
            for pipe in pipes:
                selector.register(pipe, selectors.EVENT_READ)
            while selector.get_map():
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    raise subprocess.TimeoutExpired(f"process {self.program_pid()}", timeout or 0.0)
                for key, _ in selector.select(left):
                    pipe = next(one for one in pipes if one is key.fileobj)
                    data = os.read(pipe.fileno(), 1 << 16)
                    said[pipe] += data
                    if not data:
                        selector.unregister(pipe)
        self.wait(None if end is None else max(0.0, end - time.monotonic()))
        for pipe in pipes:
            pipe.close()
        return tuple(b"" if pipe is None else said[pipe] for pipe in (self.stdout, self.stderr))  # type: ignore[return-value]

    def end(self) -> None:
        """Kill it and all that it has started, and wait for their end."""
        if self.returncode is None:
            self.strike()
            self.wait()

    def strike(self) -> None:
        """Kill it and all that it has started, and do not wait for their end."""
        with contextlib.suppress(OSError):
            self._link.send(b"k")

    def forget(self) -> None:
        """Give back what koth holds of it beside its pipes; this ends it too."""
        self._listen()
        self._link.close()
        if self.cgroup is not None:
            self.cgroup.remove()
            self.cgroup = None

    def abandon(self) -> None:
        """Give back all of it: its pipes, too."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                pipe.close()
        self.forget()

    def _listen(self, seconds: float | None = 0.0) -> None:
        """Hear what its keeper has told, and wait so long for it (None: until there is something)."""
        if self.returncode is not None or self._link.fileno() < 0:
            return
        try:
            self._link.settimeout(seconds)
            data = self._link.recv(1 << 16)
        except (BlockingIOError, TimeoutError):
            return
        except OSError:
            data = b""
        self._heard += data
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            told = json.loads(line)
            self._told.update(told)
        if not data and "exit" not in self._told:  # somebody has killed its keeper, and it has died with that
            self._told = {"failed": "its keeper has been killed", "exit": -9, **self._told}
        if "exit" in self._told:
            self.returncode = int(self._told["exit"])


def _pipe(theirs: contextlib.ExitStack, kind: int | None, mode: str) -> tuple[FileIO | None, int]:
    """Koth's end, and the program's, which is closed with `theirs`."""
    if kind != subprocess.PIPE:
        return None, theirs.enter_context(open(os.devnull, "r+b", 0)).fileno()
    reading, writing = os.pipe()
    own, other = (reading, writing) if mode == "rb" else (writing, reading)
    theirs.callback(os.close, other)
    return FileIO(own, mode), other
