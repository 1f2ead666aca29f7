"""The process of one bot: start, pipes, clock, and the end with the reason."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import time

from koth.sandbox.command import Command, spawn
from koth.sandbox.failures import SHORTAGES, ArenaError
from koth.sandbox.isolation import Isolation, SandboxError
from koth.sandbox.supervised_process import END_TIMEOUT, SupervisedProcess
from koth.sandbox.usage import Usage, peak_memory
from koth.session import stack_location
from koth.session.cpu_clock import CpuClock
from koth.session.stderr import Stderr

CHUNK = 1 << 16
"""The most bytes of one read: the system would clear larger buffers each time."""
PIPE = 1 << 18
"""The bytes that a pipe buffers: whole questions fit in, so neither the bot nor koth waits."""
FORK_ERRORS = (b"fork", b"Errno 1]", b"error=1,", b"EPERM", b"Operation not permitted")
"""Texts that shells, Python, Java and Node print if they may not start a process."""
FORK_ADVICE = " (bots may not start other programs; `subprocesses = true` in a bot's koth.toml allows it)"
LOCATION_WAIT = 3.0
"""Seconds within which a process prints its stack location on a busy machine; most take a few milliseconds."""


class BotProcess:
    """The process of one bot in one match, with its pipes and its child processes.

    Call `start` first, then `read` and `read_stderr`, which never wait; `kill`, or `send_bye` to let the process end,
    see `exit_code` and `exit_reason`; and `close` in any case. About `most` bytes of stderr are read for a question;
    the first and the last `kept` bytes are kept.
    """

    def __init__(self, command: Command, isolation: Isolation, kept: int, most: int) -> None:
        self.command = command
        self.isolation = isolation
        self.stderr = Stderr(kept)
        self._most = most
        self._has_family = isolation.lets_fork(command.policy)
        self.clock: CpuClock
        """The clock of the bot's processes, made by `start`."""
        self.turn = 0
        """The turn to which output on stderr belongs from now on (0: while starting)."""
        self.stderr_bytes = 0
        """Bytes read from stderr since this count was last set to 0."""
        self.stderr_is_open = False
        """False once stderr has ended, or has brought too much."""
        self.unsent = bytearray()
        """Bytes of the bot's input that the pipe has not taken yet."""
        self.memory = 0
        """The process's peak memory in bytes, read just before the end of the match."""
        self.child: SupervisedProcess | None = None
        self._usage: Usage | None = None
        self.stdin = self.stdout = self.stderr_fd = -1
        """koth's ends of the bot's pipes; -1 while there are none."""
        self._was_asked = False
        """True once the process was asked to print its stack location."""

    def start(self) -> str:
        """Start the process; return the reason if it can't be started, otherwise an empty text.

        Raises ArenaError if this machine could not start any program.
        """
        try:
            self.child = child = spawn(self.command, self.isolation)
        except SandboxError as error:
            raise ArenaError(str(error)) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if getattr(error, "errno", None) in SHORTAGES:
                raise ArenaError(f"no process could be started: {reason}") from None
            return f"{self.command.argv[0]} could not be started: {reason}"
        try:
            self.clock = CpuClock.of_child(child, has_family=self._has_family)
        except OSError as error:
            child.close()
            raise ArenaError(f"the cgroup of a bot could not be read: {error}") from None
        if self.isolation.level != "none":
            self._usage = Usage(child, self.command.policy, has_family=self._has_family)
        pipes = (child.stdin, child.stdout, child.stderr)
        self.stdin, self.stdout, self.stderr_fd = (pipe.fileno() for pipe in pipes if pipe is not None)
        for pipe in (self.stdin, self.stdout, self.stderr_fd):
            os.set_blocking(pipe, False)
            with contextlib.suppress(AttributeError, OSError):  # not every system has larger pipes
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)
        self.stderr_is_open = True
        return ""

    def first_cpu_time(self) -> int:
        """Return the CPU time (nanoseconds) of a program that has written; its start may not be reported yet."""
        assert self.child is not None
        self.child.wait_for_start()
        return self.clock.read()

    def pid(self) -> int:
        """Return the host's number of the bot's main process; 0 if there is none."""
        return self.child.program_pid() if self.child is not None else 0

    def is_running(self) -> bool:
        """Return whether the main process has not ended yet."""
        return self.child is not None and self.child.poll() is None

    # -- its stack location

    def request_location(self) -> None:
        """Make the process print its stack location, once in its life, if it can."""
        if not self._was_asked and self.command.hang_report == "on request":
            self._was_asked = self.child is not None and stack_location.request_location(self.child)

    def find_location(self) -> str:
        """Return the stack location as text, empty if the bot prints none; wait at most `LOCATION_WAIT` seconds."""
        self.request_location()
        until = time.perf_counter() + LOCATION_WAIT
        wanted = self._was_asked or self.command.hang_report == "unasked"
        while not (found := stack_location.find_location(self.stderr.text(), self.command.folder)) and wanted:
            if time.perf_counter() > until or not self.read_stderr():
                break
            time.sleep(0.005)
        return found

    def describe_activity(self) -> str:
        """Return the bot's activity as seen from outside; empty if unknown, or if the bot prints a location."""
        return stack_location.describe_activity(self.pid()) if self.command.hang_report == "observed" else ""

    # -- its end

    def kill(self) -> None:
        """Kill the process without waiting for its end."""
        if self.child is not None:
            self.child.kill()

    def exit_code(self) -> int | None:
        """Return the exit status; None while the process runs. Raises ArenaError when the sandbox has failed."""
        if self.child is None:
            return None
        if self.child.sandbox_failed():
            self.read_stderr()
            words = self.stderr.text().decode(errors="replace").strip()[-2000:]
            raise ArenaError(f"no sandbox of level {self.isolation.level} could be made: {words}")
        return self.child.poll()

    def exit_reason(self, kind: str, text: str) -> tuple[str, str]:
        """Return kind and text of the fault that ended the bot: as the system reports, or else as given."""
        if self.child is not None and self.child.cgroup and self.child.cgroup.ran_out_of_memory():
            kind, text = "memory", f"used more than {self.command.policy.memory >> 20} MB of memory"
        if self.child is not None and (call := self.child.forbidden_call()):
            kind, text = "crash", f"made the system call {call}, which no bot may make"
        if kind in ("crash", "closed") and not self._has_family:
            text += FORK_ADVICE if any(word in self.stderr.text() for word in FORK_ERRORS) else ""
        return kind, text

    def find_excess(self) -> str:
        """Return the limit that the bot exceeds, as text; empty if there is none."""
        return self._usage.find_excess() if self._usage is not None else ""

    def close(self) -> None:
        """Kill the process, wait for its end, and close all files. Raises ArenaError if the process does not end."""
        if self.child is None or self.stdout < 0:
            return
        try:
            self.child.end()
        except subprocess.TimeoutExpired:
            raise ArenaError(f"the processes of a bot did not end within {END_TIMEOUT:g} s") from None
        finally:
            self.read_stderr()
            self.clock.close()
            self.child.close()
            if self._usage is not None:
                self._usage.close()
            self.stdin = self.stdout = self.stderr_fd = -1

    # -- bytes

    def send_bye(self, words: bytes) -> None:
        """Send the last message, as far as it fits the pipe, and close the pipe."""
        assert self.child is not None
        assert self.child.stdin is not None
        self.memory = peak_memory(self.pid())
        self.write(words)
        self.stdin = -1
        self.child.stdin.close()

    def write(self, message: bytes = b"") -> bool:
        """Write the unsent bytes and then `message`, as far as they fit the pipe; return whether bytes are left.

        If the bot has closed its input, no bytes are left: the bot's output shows the reason.
        """
        unsent = self.unsent
        if unsent:
            unsent += message
            message = bytes(unsent[:PIPE])
        try:
            sent = os.write(self.stdin, message)
        except BlockingIOError:
            sent = 0
        except OSError:
            unsent.clear()
            return False
        if unsent:
            del unsent[:sent]
        elif sent < len(message):
            unsent += message[sent:]
        return bool(unsent)

    def read(self) -> bytes | None:
        """Return new bytes of the bot's output, up to a `CHUNK`: empty at the end, None if there are none yet."""
        try:
            return os.read(self.stdout, CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    @property
    def stderr_exceeded(self) -> bool:
        """True if more was read from stderr than a bot may write for a question."""
        return self.stderr_bytes > self._most

    def read_stderr(self) -> bool:
        """Read the new bytes of stderr, so that the bot never blocks; return False at the end, or after too much."""
        while self.stderr_is_open and not self.stderr_exceeded:
            try:
                data = os.read(self.stderr_fd, CHUNK)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            self.stderr.add(data, self.turn)
            self.stderr_bytes += len(data)
            self.stderr_is_open = bool(data)
            if len(data) < CHUNK:
                break
        return self.stderr_is_open and not self.stderr_exceeded
