"""One bot's process: its start, its pipes, its end, which nobody waits for, and how it ended, which is told later."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import time

from koth.bots import where
from koth.bots.clock import Clock
from koth.bots.command import ArenaError, Command, spawn
from koth.bots.sandbox.account import Account, can_be_kept
from koth.bots.sandbox.child import Child
from koth.bots.sandbox.isolation import Isolation, SandboxError
from koth.bots.sandbox.usage import Usage, peak_memory
from koth.bots.stderr import Stderr

ARENA_ERRNOS = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
"""Why a process can't be started through no fault of its program: this machine is short of something."""
PIECE = 1 << 16
"""Bytes that are read at once: larger pieces take memory that the system clears anew each time."""
PIPE = 1 << 18
"""Bytes that a pipe holds: whole questions fit in, and nobody waits for the other."""
SOUNDS_LIKE_FORKING = (b"fork", b"Errno 1]", b"error=1,", b"EPERM", b"Operation not permitted")
"""What shells, Python, Java and Node say when they may not start a process."""
FORKS = " (bots may not start other programs; `processes = true` in a bot's koth.toml allows it)"
TELLING = 3.0
"""Seconds that a program has to print where it is, on a busy machine; most take a few milliseconds."""


class Program:
    """The process of one bot in one match.

    Of what it writes to stderr about `most` bytes are read for a question; the first and the last `kept` are kept.
    """

    def __init__(self, command: Command, isolation: Isolation, kept: int, most: int) -> None:
        self.command = command
        self.isolation = isolation
        self.stderr = Stderr(kept)
        self._most = most
        family = command.policy.processes or not isolation.is_at_least("partial")
        self._account: Account | None = None
        self.clock = Clock(self.pid, family=self._family if family else None, account=self._account_file)
        self.turn = -1
        """What it writes to stderr now counts to this turn (finished turns; -1: while starting)."""
        self.stderr_bytes = 0
        """Written to stderr since somebody has put this to 0."""
        self.memory = 0
        """The most bytes it had in memory, as far as it was looked at."""
        self.child: Child | None = None
        self._usage: Usage | None = None
        self.stdin = self.stdout = self.stderr_fd = -1
        """koth's ends of its pipes; -1 while there are none."""
        self._is_stopped = False
        self._was_asked = False
        """Whether it was asked where it is."""

    def start(self) -> str:
        """Start it; returns why it can't be started, in words, or nothing.

        Raises ArenaError when this machine could not start any program.
        """
        self.clock.start()
        try:
            self.child = spawn(self.command, self.isolation)
        except SandboxError as error:
            raise ArenaError(str(error)) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if getattr(error, "errno", None) in ARENA_ERRNOS:
                raise ArenaError(f"no process could be started: {reason}") from None
            return f"{self.command.argv[0]} could not be started: {reason}"
        if self.isolation.level != "none":
            self._usage = Usage(self.child, self.command.policy)
        pipes = (self.child.stdin, self.child.stdout, self.child.stderr)
        self.stdin, self.stdout, self.stderr_fd = (pipe.fileno() for pipe in pipes if pipe is not None)
        for pipe in (self.stdin, self.stdout, self.stderr_fd):
            os.set_blocking(pipe, False)
            with contextlib.suppress(AttributeError, OSError):  # a larger pipe where the system has them
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)
        return ""

    def pid(self) -> int:
        """Its process as the host numbers it; 0 if there is none."""
        return self.child.program_pid() if self.child is not None else 0

    def _family(self) -> tuple[list[int], int]:
        """All of its processes, and its keeper: that reaps those which nobody waits for."""
        return (self.child.pids(), self.child.keeper_pid()) if self.child is not None else ([], 0)

    def _account_file(self) -> str:
        """Where the system tells what it and all that it has started compute, if it may start something."""
        if not self.command.policy.processes or self.child is None:
            return ""
        if self.child.cgroup is not None:
            return str(self.child.cgroup.folder / "cpu.stat")
        if self._account is None and self.pid() and can_be_kept():
            with contextlib.suppress(OSError):
                self._account = Account(self.pid())
        return self._account.file if self._account is not None else ""

    def is_running(self) -> bool:
        """Whether the process itself has not ended yet."""
        return self.child is not None and self.child.poll() is None

    def ask_where(self) -> None:
        """Have it print where it is, once in its life, if it can."""
        if not self._was_asked and self.command.tells_where == "asked":
            self._was_asked = where.ask(self.pid())

    def where(self) -> str:
        """Where it is that does not answer, in words, as far as it prints that; waits for that, a moment at most."""
        self.ask_where()
        until = time.perf_counter() + TELLING
        wanted = self._was_asked or self.command.tells_where == "by itself"
        while not (told := where.place(self.stderr.text(), self.command.folder)) and wanted:
            if time.perf_counter() > until or not self.read_stderr():
                break
            time.sleep(0.005)
        return told

    def doing(self) -> str:
        """What it does that does not answer, as far as that is to be seen from outside, and to be told."""
        return where.doing(self.pid()) if self.command.tells_where == "seen" else ""

    def stop(self) -> None:
        """Hold all of its processes until it goes on."""
        if not self._is_stopped:
            self._is_stopped = True
            self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on."""
        if self._is_stopped:
            self._is_stopped = False
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        """Send it to all of its processes, and to what those have started meanwhile, a few times over."""
        told: set[int] = set()
        for _ in range(10):
            if not (new := set(self.clock.pids(anew=True)) - told):
                break
            told |= new
            for pid in new:
                with contextlib.suppress(OSError):
                    os.kill(pid, number)

    # -- its end

    def kill(self) -> None:
        """End it, whatever it is doing, and do not wait for that."""
        if self.child is not None:
            self.child.strike()

    def status(self) -> int | None:
        """Its exit status as it is now; None while it runs. Raises ArenaError when it was its sandbox that failed."""
        if self.child is None:
            return None
        if self.child.sandbox_failed():
            self.read_stderr()
            words = self.stderr.text().decode(errors="replace").strip()[-2000:]
            raise ArenaError(f"no sandbox of level {self.isolation.level} could be made: {words}")
        return self.child.poll()

    def reason(self, kind: str, text: str) -> tuple[str, str]:
        """Why it has ended, a kind of fault and words, by what the system tells of it; else what it looks like."""
        if self.child is not None and self.child.cgroup and self.child.cgroup.ran_out_of_memory():
            kind, text = "memory", f"it used more than {self.command.policy.memory >> 20} MB of memory"
        if self.child is not None and (call := self.child.forbidden_call()):
            kind, text = "crash", f"it made the system call {call}, which no bot may make"
        if kind in ("crash", "closed") and self.clock.family is None:
            text += FORKS if any(word in self.stderr.text() for word in SOUNDS_LIKE_FORKING) else ""
        return kind, text

    def excess(self) -> str:
        """What of its limits it is over, in words; empty if nothing."""
        return self._usage.excess() if self._usage is not None else ""

    def close(self) -> None:
        """See it end, and close the pipes."""
        if self.child is None or self.stdout < 0:
            return
        self.child.end()
        self.read_stderr()
        self.clock.close()
        self.child.abandon()
        for told in (self._account, self._usage):
            if told is not None:
                told.close()
        self.stdin = self.stdout = self.stderr_fd = -1

    # -- bytes

    def part(self, words: bytes) -> None:
        """Send it the last words, as far as its pipe takes them, and close its input."""
        assert self.child is not None
        assert self.child.stdin is not None
        self.go_on()
        self.memory = peak_memory(self.pid())
        with contextlib.suppress(OSError):
            os.write(self.stdin, words)
        self.stdin = -1
        self.child.stdin.close()

    def read(self) -> bytes | None:
        """What has come to its output, up to a `PIECE`: nothing at its end; None where nothing has come yet."""
        return _read(self.stdout)

    def read_stderr(self) -> bool:
        """Read what has come to stderr, so that it never waits for us there; False at its end, or after too much."""
        while self.stderr_bytes <= self._most:
            if not (data := _read(self.stderr_fd)):
                return data is None
            self.stderr.add(data, self.turn)
            self.stderr_bytes += len(data)
            if len(data) < PIECE:
                break
        return self.stderr_bytes <= self._most


def _read(fd: int) -> bytes | None:
    try:
        return os.read(fd, PIECE)
    except BlockingIOError:
        return None
    except OSError:
        return b""
