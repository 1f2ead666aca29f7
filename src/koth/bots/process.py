"""Bots as processes: their start, their pipes, their time and their limits. It knows no game.

A `Panel` holds the processes of one match. It asks all bots of a question at once and waits for them in
one loop over non-blocking pipes; whatever a bot does or fails to do ends as a recorded `Trouble`, never as
an exception.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from koth.bots import guardian
from koth.bots.wires import HEADER, Answer, Ended, Fault, Ready, Reply, Stale, Wire
from koth.errors import KothError
from koth.game import Asks, Budgets


class ArenaError(KothError):
    """The arena failed, not a bot: nothing is scored."""


@dataclass(frozen=True)
class Command:
    """How a bot is started: program and arguments, its folder, and what its environment has beside koth's."""

    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Limits:
    """What a bot may send, in bytes: a line or frame, all of it for one question, and to stderr."""

    message: int = 1 << 18
    question: int = 1 << 22
    stderr: int = 1 << 23
    kept: int = 1 << 15
    """Of stderr, this much is kept of its beginning and of its end."""


@dataclass
class Trouble:
    """A fault with its circumstances, for the author of the bot.

    `turn` counts finished turns (-1: while starting), `asked` is the message that was open, `end` tells how
    the process ended.
    """

    kind: str
    turn: int
    text: str
    asked: bytes = b""
    end: str = ""
    count: int = 1


def spawn(command: Command, mark: str) -> subprocess.Popen[bytes]:
    """Start a bot: the one door through which a bot's process comes to be. Raises OSError.

    `mark` is put in its environment, and so in that of all it starts: what is left of it is found by it.
    """
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "KOTH_RUN": str(os.getpid()),
        "KOTH_PANEL": mark,
        **command.environment,
    }
    return subprocess.Popen(
        command.argv,
        cwd=command.folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        bufsize=0,
    )


class _Guard:
    """The guardian process of this process, started with the first bot."""

    process: subprocess.Popen[bytes] | None = None
    owner = 0

    @classmethod
    def start(cls) -> None:
        if cls.owner == os.getpid() or not os.path.isdir("/proc/self"):
            return
        cls.owner = os.getpid()
        argv = [sys.executable, "-s", "-S", guardian.__file__, f"KOTH_RUN={os.getpid()}"]
        cls.process = subprocess.Popen(argv, stdin=subprocess.PIPE, start_new_session=True)
        atexit.register(cls.stop)

    @classmethod
    def stop(cls) -> None:
        if cls.process is not None and cls.owner == os.getpid() and cls.process.stdin is not None:
            cls.process.stdin.close()
            cls.process.wait()
            cls.process = None


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def how_it_ended(code: int | None) -> str:
    """An exit status in words."""
    if code is None:
        return "still running"
    if code >= 0:
        return f"exit status {code}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"


class _Stderr:
    """The beginning and the end of what a bot wrote to stderr."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self.head = bytearray()
        self.tail = bytearray()
        self.dropped = 0

    def add(self, data: bytes) -> None:
        room = self._kept - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        self.tail += data
        if len(self.tail) > 2 * self._kept:
            self.dropped += len(self.tail) - self._kept
            del self.tail[: -self._kept]

    def text(self) -> bytes:
        """All that was kept, with a mark where something is missing."""
        tail = self.tail[-self._kept :]
        dropped = self.dropped + len(self.tail) - len(tail)
        gap = f"\n[... {dropped} bytes left out ...]\n".encode() if dropped else b""
        return bytes(self.head) + gap + bytes(tail)


class BotProcess:
    """One bot in one match: its process, its wire, its buffers and its record."""

    def __init__(self, command: Command, wire: Wire, limits: Limits) -> None:
        self.command = command
        self.wire = wire
        self.limits = limits
        self.gone = False
        self.turn = -1
        self.troubles: dict[str, Trouble] = {}
        """The first fault of each kind, with how many there were."""
        self.stderr = _Stderr(limits.kept)
        self.seconds: list[float] = []
        """Wall time of each answered or missed question."""
        self.start_seconds = 0.0
        self.last_kind = "crash"
        self.asked = b""
        self.late_in_a_row = 0
        self.lateness = 0.0
        self._late_open = 0
        self._input = bytearray()
        self._heard_bytes = 0
        self._stderr_bytes = 0
        self._output = bytearray()
        self.process: subprocess.Popen[bytes] | None = None

    # -- the process

    def start(self, mark: str) -> None:
        """Start the process. A program that can't be started is a trouble of kind `crash`."""
        try:
            self.process = spawn(self.command, mark)
        except OSError as error:
            self.gone = True
            self.note("crash", f"{self.command.argv[0]} could not be started: {error.strerror or error}")
            return
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            _enlarge(pipe.fileno())

    @property
    def stdin(self) -> int:
        assert self.process is not None
        assert self.process.stdin is not None
        return self.process.stdin.fileno()

    @property
    def stdout(self) -> int:
        assert self.process is not None
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    @property
    def stderr_fd(self) -> int:
        assert self.process is not None
        assert self.process.stderr is not None
        return self.process.stderr.fileno()

    def kill(self, kind: str, text: str) -> None:
        """End the bot for this match, for a reason."""
        if self.gone or self.process is None:
            return
        self.gone = True
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.05 if kind in ("crash", "closed") else 0)
        code = self.process.poll()
        if kind in ("crash", "closed") and not text:
            kind = "closed" if code is None else "crash"
            text = "closed its output" if code is None else "the process ended"
        _kill_group(self.process)
        self.read_stderr()
        self.last_kind = kind
        self.note(kind, text, end=how_it_ended(code) if code is not None else "")

    def note(self, kind: str, text: str, *, end: str = "", count: int = 1) -> None:
        """Record faults of one kind: the first in full, the others by their number."""
        if kind in self.troubles:
            self.troubles[kind].count += count
        else:
            self.troubles[kind] = Trouble(kind, self.turn, text, self.asked[:4096], end, count)

    def close(self) -> None:
        """Kill the process and its group and close the pipes."""
        if self.process is None:
            return
        _kill_group(self.process)
        if not self.gone:
            self.read_stderr()
        self.gone = True
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()

    # -- bytes

    def send(self, data: bytes) -> None:
        """Write as much as the pipe takes; the rest waits in `_output`."""
        self._output += data
        self.flush()

    def flush(self) -> None:
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

    def read(self) -> bool:
        """Read what has come to stdout; False at its end."""
        while True:
            try:
                data = os.read(self.stdout, 1 << 18)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            self._input += data
            self._heard_bytes += len(data)
            if self._heard_bytes > self.limits.question + self.limits.message:
                return True  # a flood: `messages` tells
            if len(data) < 1 << 16:
                return True

    def read_stderr(self) -> None:
        """Read what has come to stderr, so that no bot ever waits for us there."""
        while not self.stderr_flood:
            try:
                data = os.read(self.stderr_fd, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self.stderr.add(data)
            self._stderr_bytes += len(data)
            if len(data) < 1 << 16:
                return

    @property
    def stderr_flood(self) -> bool:
        return self._stderr_bytes > self.limits.stderr

    def messages(self) -> Iterable[bytes]:
        """Cut whole messages off the input."""
        while True:
            if self.wire.framing == "lines":
                end = self._input.find(b"\n")
                if end < 0:
                    return
                message = bytes(self._input[:end])
                del self._input[: end + 1]
            else:
                if len(self._input) < HEADER.size:
                    return
                end = HEADER.size + HEADER.unpack_from(self._input)[0]
                if end > self.limits.question or len(self._input) < end:
                    return
                message = bytes(self._input[:end])
                del self._input[:end]
            yield message

    @property
    def flood(self) -> bool:
        """More than anybody may send: one endless message, or too many."""
        most = self.limits.message if self.wire.framing == "lines" else self.limits.question
        return len(self._input) > most or self._heard_bytes > self.limits.question

    # -- a question

    def drop_unasked(self) -> None:
        """Before a question: what has come without one is dropped and recorded."""
        self._heard_bytes = self._stderr_bytes = 0
        alive = self.read()
        for message in self.messages():
            self._unasked(message)
        if self.flood:
            self.kill("flood", f"more than {self.limits.question} bytes that nobody asked for")
        elif not alive:
            self.kill("crash", "")
        self._heard_bytes = 0

    def _unasked(self, message: bytes) -> None:
        if self.wire.framing == "frames" and isinstance(ended := self.wire.hear(message), Ended):
            self.kill(ended.kind, ended.text)
            return
        if self._late_open > 0:
            self._late_open -= 1  # the answer to a question that it was late for
            return
        self.note("unasked", "an answer before the question: " + repr(message[:200])[2:-1])

    def hear(self, open_question: bool) -> Answer | Ready | Fault | None:
        """What has come since; None when the answer is still to come."""
        for message in self.messages():
            if not open_question:
                self._unasked(message)
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
                return meaning
        return None

    def late(self, waited: float, budgets: Budgets) -> None:
        """It did not answer in time."""
        self._late_open += 1
        self.late_in_a_row += 1
        self.lateness += waited
        blocked = " (it does not read its input)" if self.unsent else ""
        partial = f" (an unfinished line: {bytes(self._input[:80])!r})" if self._input else ""
        self.note("late", f"no answer within {waited:g} s{blocked}{partial}")
        reason = ""
        if self.late_in_a_row >= budgets.late_in_a_row:
            reason = f"late {self.late_in_a_row} times in a row: ended for this match"
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


_panels = itertools.count()


class Panel:
    """The processes of one match, by seat. Use it as a context manager: nothing of it outlives the match."""

    def __init__(self, bots: Mapping[int, BotProcess], budgets: Budgets) -> None:
        self.bots = dict(bots)
        self.budgets = budgets
        self._selector = selectors.DefaultSelector()
        self._asked_before: set[int] = set()
        self._mark = f"{os.getpid()}.{next(_panels)}"

    def __enter__(self) -> Panel:
        _Guard.start()
        return self

    def __exit__(self, *_: object) -> None:
        for bot in self.bots.values():
            bot.close()
        self._selector.close()
        if self.bots and os.path.isdir("/proc/self"):
            guardian.kill_marked(f"KOTH_PANEL={self._mark}".encode())

    def start(self, facts: Mapping[int, Mapping[str, Any]]) -> None:
        """Start every bot and wait until it is ready; who is not in time is gone."""
        for seat, bot in self.bots.items():
            bot.start(self._mark)
            if not bot.gone:
                self._selector.register(bot.stdout, selectors.EVENT_READ, (bot, "stdout"))
                self._selector.register(bot.stderr_fd, selectors.EVENT_READ, (bot, "stderr"))
                bot.asked = bot.wire.hello(facts[seat])
                bot.send(bot.asked)
        waiting = {bot for bot in self.bots.values() if not bot.gone and bot.wire.handshake}
        heard = self._listen(set(waiting), self.budgets.start)
        for bot in waiting:
            bot.start_seconds = bot.seconds.pop()
            meaning = heard.get(bot)
            if isinstance(meaning, Ready) or bot.gone:
                continue
            if isinstance(meaning, Fault):
                bot.kill(meaning.kind, f"its first message was not the one that says it is ready: {meaning.text}")
            else:
                bot.kill("late", f"not ready within {self.budgets.start:g} s")

    def ask(self, questions: Mapping[int, Asks], turn: int) -> dict[int, Answer]:
        """Ask these seats at once; every seat gets an answer, of defaults where there was a fault."""
        waiting = {}
        for seat in questions:
            bot = self.bots[seat]
            bot.turn = turn
            if not bot.gone:
                bot.drop_unasked()
        for seat, asks in questions.items():
            bot = self.bots[seat]
            if not bot.gone:
                bot.asked = bot.wire.ask(asks)
                bot.send(bot.asked)
                waiting[bot] = seat
        budget = self.budgets.question
        if not self._asked_before.issuperset(questions):
            budget += self.budgets.first
            self._asked_before.update(questions)
        heard = self._listen(set(waiting), budget)
        answers = {}
        for seat, asks in questions.items():
            bot = self.bots[seat]
            meaning = heard.get(bot)
            if isinstance(meaning, Answer):
                bot.late_in_a_row = 0
                answers[seat] = meaning
            elif isinstance(meaning, Fault):
                bot.note(meaning.kind, meaning.text)
                answers[seat] = Answer.fault_of(asks, meaning.kind)
            elif isinstance(meaning, Ready):
                bot.note("garbage", "a message that it is ready, instead of an answer")
                answers[seat] = Answer.fault_of(asks, "garbage")
            elif bot not in waiting:
                answers[seat] = Answer.default(asks)
            elif bot.gone:
                answers[seat] = Answer.fault_of(asks, bot.last_kind)
            else:
                bot.late(budget, self.budgets)
                answers[seat] = Answer.fault_of(asks, "late")
        return answers

    def bye(self) -> None:
        """Tell every bot that the match is over."""
        for bot in self.bots.values():
            if not bot.gone:
                bot.send(bot.wire.bye())

    def _listen(self, waiting: set[BotProcess], budget: float) -> dict[BotProcess, Any]:
        """Wait for one meaning of each of these bots, at most `budget` seconds."""
        heard: dict[BotProcess, Any] = {}
        begin = time.perf_counter()
        deadline = begin + budget
        writing = {bot for bot in waiting if bot.unsent}
        for bot in writing:
            self._selector.register(bot.stdin, selectors.EVENT_WRITE, (bot, "stdin"))
        while waiting:
            left = deadline - time.perf_counter()
            events = self._selector.select(max(left, 0))
            if not events and left <= 0:
                break
            for key, _ in events:
                bot, pipe = key.data
                if pipe == "stdin":
                    bot.flush()
                    if not bot.unsent:
                        self._selector.unregister(key.fd)
                        writing.discard(bot)
                    continue
                if pipe == "stderr":
                    self._read_stderr(bot, key.fd)
                else:
                    self._read(bot, key.fd, waiting, heard)
                if bot in heard or bot.gone:
                    if bot in waiting:
                        bot.seconds.append(time.perf_counter() - begin)
                    waiting.discard(bot)
                elif bot.unsent and bot not in writing:
                    self._selector.register(bot.stdin, selectors.EVENT_WRITE, (bot, "stdin"))
                    writing.add(bot)
        for bot in writing:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(bot.stdin)
        for bot in waiting:
            bot.seconds.append(budget)
        return heard

    def _read(self, bot: BotProcess, fd: int, waiting: set[BotProcess], heard: dict[BotProcess, Any]) -> None:
        alive = bot.read()
        meaning = bot.hear(bot in waiting and bot not in heard)
        if meaning is not None:
            heard[bot] = meaning
        if bot.flood:
            self._selector.unregister(fd)
            heard.pop(bot, None)
            bot.kill("flood", f"more than {bot.limits.question} bytes for one question, or an endless line")
        elif not alive:
            self._selector.unregister(fd)
            if meaning is None:
                bot.kill("crash", "")

    def _read_stderr(self, bot: BotProcess, fd: int) -> None:
        bot.read_stderr()
        if bot.stderr_flood:
            self._selector.unregister(fd)
            bot.kill("flood", f"more than {bot.limits.stderr} bytes on stderr within one question")
        elif bot.gone or _at_end(bot, fd):
            with contextlib.suppress(KeyError):
                self._selector.unregister(fd)


def _at_end(bot: BotProcess, fd: int) -> bool:
    """Whether stderr is closed: readable, and nothing there."""
    try:
        data = os.read(fd, 1 << 16)
    except BlockingIOError:
        return False
    except OSError:
        return True
    bot.stderr.add(data)
    return not data


def environment_seed(seed: int) -> dict[str, str]:
    """What makes a bot's own randomness repeatable, as environment variables."""
    return {"PYTHONHASHSEED": str(seed % 4294967296), "KOTH_SEED": str(seed)}


def argv_text(argv: Sequence[str]) -> str:
    """A command line as one would type it."""
    import shlex

    return shlex.join(argv)
