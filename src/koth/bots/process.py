"""One bot as a process: its start, its bytes, its limits and its record. It knows no game.

Whatever a bot does or fails to do ends as a recorded `Trouble`, never as an exception.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from koth.bots.clock import Clock, Spent, Times, peak_memory
from koth.bots.command import ArenaError, Command, how_it_ended, spawn
from koth.bots.sandbox.child import Child
from koth.bots.sandbox.isolation import PLAIN, Isolation, SandboxError
from koth.bots.sandbox.usage import excess
from koth.bots.stderr import Stderr
from koth.bots.wires import HEADER, Answer, Ended, Fault, FramesWire, Ready, Reply, Stale, Wire
from koth.game import FAULTS, Budgets

ARENA_ERRNOS = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
"""Why a process can't be started through no fault of its program: this machine is short of something."""
LAST_MOMENTS = 0.3
"""Seconds from the end of a bot's output within which its process must end to count as ended by itself."""
TEXT = 2000
"""Characters that are kept of a fault's text."""
PIECE = 1 << 16
"""Bytes that are read at once: larger pieces take memory that the system clears anew each time."""
MESSAGE = 4096
"""Bytes that are kept of the messages around a fault, and of stderr."""


SOUNDS_LIKE_FORKING = (b"fork", b"Errno 1]", b"error=1,", b"EPERM", b"Operation not permitted")
"""What shells, Python, Java and Node say when they may not start a process."""
FORKS = " (bots may not start other programs; `processes = true` in a bot's koth.toml allows it)"


@dataclass(frozen=True)
class Limits:
    """What a bot may send, in bytes: a line, all of it from one question to the next, and to stderr."""

    message: int = 1 << 18
    question: int = 1 << 22
    messages: int = 1 << 14
    """Lines or frames from one question to the next."""
    stderr: int = 1 << 23
    kept: int = 1 << 15
    """Of stderr, this much is kept of its beginning and of its end."""


@dataclass
class Trouble:
    """A fault with its circumstances, for the author of the bot.

    `turn` counts finished turns (-1: while starting), `asked` is the message that was open, `said` the last
    message of the bot's since then (or the beginning of one), `end` tells how the process ended. `stderr` is
    the end of what it had written there by then; `wall` and `charged` are the seconds of its question, once
    that is over. These three depend on who was faster.
    """

    kind: str
    turn: int
    text: str
    asked: bytes = b""
    end: str = ""
    count: int = 1
    said: bytes = b""
    stderr: bytes = b""
    wall: float = 0.0
    charged: float = 0.0


class BotProcess:
    """One bot in one match: its process, its wire, its buffers and its record.

    What it sends after its answer, or while it is not asked, is looked at when it is asked again, so that no
    result hangs on how long the others took.
    """

    def __init__(self, command: Command, wire: Wire, limits: Limits, isolation: Isolation = PLAIN) -> None:
        self.command = command
        self.wire = wire
        self.limits = limits
        self.isolation = isolation
        self.gone = False
        self.ended = False
        """It has closed its output: nothing will come any more."""
        self.turn = -1
        self.troubles: dict[str, Trouble] = {}
        """The first fault of each kind, with how many there were."""
        self.stderr = Stderr(limits.kept)
        family = command.policy.processes or not isolation.is_at_least("partial")
        self.clock = Clock(self._program, family=family)
        self.times = Times()
        """Of each question that is over."""
        self.bank = 0.0
        """Seconds beyond its budgets that it may still take in this match."""
        self.overdue = False
        """It took longer for the last question than it may, bank and all."""
        self.is_stopped = False
        self.start_seconds = 0.0
        self.memory = 0
        """The most bytes its process had in memory, as far as it was looked at."""
        self.last_kind = "crash"
        self.asked: bytes | memoryview = b""
        self.said = b""
        self.late_in_a_row = 0
        self.lateness = 0.0
        self._late_open = 0
        self._input = bytearray()
        self._output = bytearray()
        self._heard = 0
        self._heard_bytes = 0
        self._stderr_bytes = 0
        self.is_open = False
        """It has been asked, and its clock runs."""
        self._early = False
        self.process: Child | None = None
        self.stdin = self.stdout = self.stderr_fd = -1
        """koth's ends of its pipes; -1 while there are none."""

    # -- time

    def _program(self) -> int:
        return self.process.program_pid() if self.process is not None else 0

    def begin(self) -> None:
        """The question is put to it now: its clock runs."""
        self.resume()
        self.clock.start()
        self.is_open = True
        self.send(self.asked)

    def handles(self) -> tuple[int, int] | None:
        """What `begin_at` needs: `Clock.handles`; None if it has not got, or said, all of the last message."""
        return None if self._input or self._output else self.clock.handles()

    def begin_at(self, begun: float, cpu: float, run: int, wait: int, sent: int) -> None:
        """As `begin`, by somebody else, who has written so many bytes of the question; see `Clock.start_at`."""
        self._count_anew()
        self.clock.start_at(begun, cpu, run, wait)
        self.is_open = True
        if sent < len(self.asked):
            self._output += memoryview(self.asked)[sent:]

    def answered(self, spent: Sequence[float]) -> None:
        """It has been asked, and has answered without a fault, with somebody else; it has cost so much (`Spent`)."""
        self._count_anew()
        self._late_open = self.late_in_a_row = 0
        self.times.append(self.turn, spent)
        if isinstance(self.wire, FramesWire):
            self.wire.close()

    def _count_anew(self) -> None:
        """Nothing has come for the question that begins."""
        self.said = b""
        self._early = False
        self._heard = self._heard_bytes = self._stderr_bytes = 0

    def take(self, data: bytes) -> None:
        """This has come to its stdout."""
        self._input += data
        self._heard_bytes += len(data)

    def charge(self, budget: float, unheard: float = 0.0) -> None:
        """The question is over: what it cost beyond its budget is taken from the bank.

        Its answer may have lain there `unheard` for some seconds.
        """
        self.pay(self.clock.read(unheard), budget)

    def pay(self, spent: Spent, budget: float) -> None:
        """The question is over, and has cost so much."""
        self.clock.settle(spent)
        self.is_open = False
        self.times.append(self.turn, spent)
        self.bank -= max(0.0, spent.charged - budget)
        self.overdue = self.bank < 0
        self.bank = max(0.0, self.bank)

    def stop(self) -> None:
        """Hold all of its processes until it is asked again."""
        if not self.gone and not self.is_stopped:
            self.is_stopped = True
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        if self.is_stopped:
            self.is_stopped = False
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self.clock.pids():
            with contextlib.suppress(OSError):
                os.kill(pid, number)

    # -- the process

    def start(self, marks: Mapping[str, str]) -> None:
        """Start the process. A program that can't be started is a trouble of kind `crash`.

        Raises ArenaError when this machine could not start any program.
        """
        self.clock.start_new()
        self.is_open = True
        try:
            self.process = spawn(self.command, marks, self.isolation)
        except SandboxError as error:
            raise ArenaError(str(error)) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if getattr(error, "errno", None) in ARENA_ERRNOS:
                raise ArenaError(f"no process could be started: {reason}") from None
            self.gone = True
            self.note("crash", f"{self.command.argv[0]} could not be started: {reason}")
            return
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin = self.process.stdin.fileno()
        self.stdout = self.process.stdout.fileno()
        self.stderr_fd = self.process.stderr.fileno()
        for pipe in (self.stdin, self.stdout, self.stderr_fd):
            os.set_blocking(pipe, False)
            _enlarge(pipe)

    def is_running(self) -> bool:
        """Whether the process itself has not ended yet."""
        return self.process is not None and self.process.poll() is None

    def kill(self, kind: str, text: str) -> None:
        """End the bot for this match, for a reason. `crash` without a text: its output has ended.

        Raises ArenaError when it was its sandbox that failed.
        """
        if self.gone or self.process is None:
            return
        self.gone = True
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(LAST_MOMENTS if kind == "crash" else 0)
        if self.process.sandbox_failed():
            self.read_stderr()
            words = self.stderr.text().decode(errors="replace").strip()[-TEXT:]
            raise ArenaError(f"no sandbox of level {self.isolation.level} could be made: {words}")
        code = self.process.exit_status()
        if self.process.cgroup is not None and self.process.cgroup.ran_out_of_memory():
            kind, text = "memory", f"it used more than {self.command.policy.memory >> 20} MB of memory"
        if kind == "crash" and not text:
            kind, text = ("closed", "closed its output") if code is None else ("crash", "the process ended")
        self.process.end()
        self.read_stderr()
        if kind in ("crash", "closed") and self._may_have_tried_to_fork():
            text += FORKS
        self.last_kind = kind
        self.note(kind, text, end=how_it_ended(code) if code is not None else "")

    def _may_have_tried_to_fork(self) -> bool:
        """Whether what it wrote to stderr sounds like a program that was not allowed to start another."""
        if self.command.policy.processes or not self.isolation.is_at_least("partial"):
            return False
        return any(word in self.stderr.text() for word in SOUNDS_LIKE_FORKING)

    def watch(self) -> None:
        """Look at what it uses of the machine; more than it may ends it."""
        if self.isolation.level == "none" or self.gone or self.process is None:
            return
        if text := excess(self.process, self.command.policy):
            self.kill("memory", text)

    def note(self, kind: str, text: str, *, end: str = "", count: int = 1) -> None:
        """Record faults of one kind: the first in full, the others by their number."""
        if kind in self.troubles:
            self.troubles[kind].count += count
        else:
            clean = text.encode("utf-8", "backslashreplace").decode()[:TEXT]
            if self.process is not None:
                self.read_stderr()
            said = self.said or bytes(self._input[:MESSAGE])
            stderr = self.stderr.text()[-MESSAGE:]
            trouble = Trouble(kind, self.turn, clean, bytes(self.asked[:MESSAGE]), end, count, said[:MESSAGE], stderr)
            if self.is_open or len(self.times):
                spent = self.clock.read() if self.is_open else self.times.last()
                trouble.wall, trouble.charged = spent.wall, spent.charged
            self.troubles[kind] = trouble

    def note_rows(self, answer: Answer) -> None:
        """Record the faults of single rows of an answer, and what it says about bodies that were not asked."""
        told: set[int] = set()
        for row, text in answer.errors:
            told.add(row)
            if row < 0:
                self.note("unasked", text)
            elif answer.fault[row]:
                self.note(FAULTS[answer.fault[row]], text)
        for row in np.flatnonzero(answer.fault).tolist() if answer.has_faults() else ():
            if row not in told:  # a runner tells of the first hundred only
                self.note(FAULTS[answer.fault[row]], "without a word")

    def close(self) -> None:
        """Kill the process and its group and close the pipes."""
        if self.process is None:
            return
        self.process.end()
        if not self.gone:
            self.read_stderr()
        self.gone = True
        self.clock.close()
        self.process.forget()
        self.stdin = self.stdout = self.stderr_fd = -1
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()

    # -- bytes

    def send(self, data: bytes | memoryview) -> None:
        """Write as much as the pipe takes; the rest waits in `_output`."""
        written = 0
        if not self._output and not self.gone:  # most often the pipe takes it all, and nothing need be copied
            with contextlib.suppress(OSError):  # full, or closed: `flush` finds out
                written = os.write(self.stdin, data)
        if written < len(data):
            self._output += memoryview(data)[written:]
            self.flush()

    def flush(self) -> None:
        """Write on with what waits."""
        while self._output and not self.gone:
            try:
                written = os.write(self.stdin, self._output)
            except BlockingIOError:
                return
            except OSError:
                self._output.clear()
                return  # its end of the pipe is closed: its output tells the rest
            del self._output[:written]

    @property
    def unsent(self) -> bool:
        return bool(self._output) and not self.gone

    def hang_up(self, last: bytes) -> None:
        """Send the last message and close its input."""
        assert self.process is not None
        self.memory = peak_memory(self.process.program_pid())
        self.send(last)
        assert self.process.stdin is not None
        self.stdin = -1
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def read(self) -> None:
        """Read what has come to stdout, up to what anybody may send."""
        while not self.ended:
            try:
                data = os.read(self.stdout, PIECE)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            self.ended = not data
            self.take(data)
            if len(data) < PIECE or self.flood:
                return

    def read_stderr(self) -> bool:
        """Read what has come to stderr, so that no bot ever waits for us there; False at its end."""
        while not self.stderr_flood:
            try:
                data = os.read(self.stderr_fd, 1 << 16)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            self.stderr.add(data, self.turn)
            self._stderr_bytes += len(data)
        return False

    @property
    def stderr_flood(self) -> bool:
        return self._stderr_bytes > self.limits.stderr

    @property
    def flood(self) -> str:
        """What was more than anybody may send, in words; empty if nothing was."""
        most = self.limits.message if self.wire.framing == "lines" else self.limits.question
        if len(self._input) > most:
            return f"a message of more than {most} bytes"
        if self._heard_bytes > self.limits.question:
            return f"more than {self.limits.question} bytes for one question"
        if self._heard > self.limits.messages:
            return f"more than {self.limits.messages} messages for one question"
        if self.stderr_flood:
            return f"more than {self.limits.stderr} bytes on stderr within one question"
        return ""

    def _messages(self) -> Iterator[bytes]:
        """Cut whole messages off the input, up to a flood of them."""
        while self._heard <= self.limits.messages:
            if self.wire.framing == "lines":
                end = self._input.find(b"\n")
                if not 0 <= end <= self.limits.message:
                    return
                message = bytes(self._input[:end])
                del self._input[: end + 1]
            else:
                if len(self._input) < HEADER.size:
                    return
                end = HEADER.size + HEADER.unpack_from(self._input)[0]
                if len(self._input) < end:
                    return
                message = bytes(self._input) if len(self._input) == end else bytes(self._input[:end])
                del self._input[:end]
            self._heard += 1
            self.said = message
            yield message

    # -- a question

    def open_question(self) -> None:
        """It is about to be asked: what has come without a question is recorded, and what it ended by acts."""
        self.read()
        if self._input:
            for message in self._messages():
                self._unasked(message)
        self._early = bool(self._input)
        self.said = b""  # so that what is recorded of its end is the same whether it is noticed now or later
        if self.flood:
            self.kill("flood", self.flood)
        elif self.ended:
            self.kill("crash", "")
        self._heard = self._heard_bytes = self._stderr_bytes = 0

    def _unasked(self, message: bytes) -> None:
        if self.wire.framing == "frames" and isinstance(ended := self.wire.hear(message), Ended):
            self.kill(ended.kind, ended.text)
        elif self._late_open > 0:
            self._late_open -= 1  # the answer to a question that it was late for
        else:
            self.note("unasked", "an answer that nobody asked for: " + repr(message[:200])[2:-1])

    def hear(self) -> Answer | Ready | Fault | None:
        """What has come since it was asked; None when the answer is still to come."""
        for message in self._messages():
            if self._early:  # it was begun before the question
                self._early = False
                self._unasked(message)
                if self.gone:
                    return None
                continue
            meaning = self.wire.hear(message)
            if isinstance(meaning, Ended):
                self.kill(meaning.kind, meaning.text)
                return None
            if isinstance(meaning, Reply):
                self.send(meaning.data)
            elif isinstance(meaning, Stale):
                self._unasked(message)
            elif isinstance(meaning, Fault) and not meaning.ends:
                self.note(meaning.kind, meaning.text)
            else:
                self._late_open = 0
                return meaning
        return None

    def late(self, waited: float, budgets: Budgets, *, answered: bool = False) -> None:
        """It did not answer in time, or `answered` when its time was used up."""
        if not answered and not self.is_running():
            self.kill("crash", "")  # others hold its output open
            return
        self._late_open += not answered
        self.late_in_a_row += 1
        self.lateness += waited
        blocked = " (it does not read its input)" if self.unsent else ""
        partial = f" (an unfinished message: {bytes(self._input[:80])!r})" if self._input else ""
        bank = f" and the {budgets.bank:g} s of its bank" if budgets.bank else ""
        cores = " of computing time on all cores together" if answered else ""
        self.note("late", f"no answer within {waited:g} s{cores}{bank}{blocked}{partial}")
        reason = ""
        if self.late_in_a_row >= budgets.late_in_a_row:
            often = f"late {self.late_in_a_row} times in a row" if self.late_in_a_row > 1 else "late once"
            reason = f"{often}: ended for this match"
        elif self.lateness >= budgets.lateness:
            reason = f"late by {self.lateness:g} s in all: ended for this match"
        if reason:
            self.kill("late", reason)
            trouble = self.troubles["late"]
            trouble.count -= 1  # the end is no further fault
            trouble.text += "" if reason in trouble.text else f"; {reason}"


def _enlarge(fd: int) -> None:
    """A larger pipe where the system has them: whole questions fit in, and nobody waits for the other."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 1 << 18)
