"""One bot in one match: its process, protocol, buffers for input and output, time account and faults.

Everything a bot does wrong ends as a recorded `FaultReport`, never as an exception.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from koth.game import FAULT, Array
from koth.protocol.bot_protocol import BotProtocol
from koth.protocol.frames import HEADER, FramesProtocol, frame_size
from koth.sandbox.command import Command, how_it_ended
from koth.sandbox.isolation import PLAIN, Isolation
from koth.session import stack_location, time_control
from koth.session.cpu_time import Cost
from koth.session.io_loop import COPY, DEAD, State
from koth.session.process import BotProcess

NO_REASON = "the process ended"
"""The text of a crash without a known reason."""
CLOSED = "closed its output"
"""The text of the fault of a process that runs on without an output."""
BOM = b"\xef\xbb\xbf"
"""UTF-8's byte order mark, which Mono and .NET write before the first line."""
SHOWN = 200
"""Bytes of a message that its report shows."""
ENDS = ((b"\r", '"\\r"'), (b"\0", '"\\0"'))
"""What some programs end their messages with instead."""
TEXT = 2000
"""Characters kept of a fault's text."""
EXCERPT = COPY
"""Bytes kept of the messages around a fault, and of stderr."""


@dataclass(frozen=True)
class Limits:
    """The limits of a bot's output, in bytes; more is a flood, which ends the bot (`BotSession.flood`)."""

    message: int = 1 << 18
    """A line."""
    question: int = 1 << 22
    """All messages from one question to the next; also a single frame."""
    messages: int = 1 << 14
    """The number of lines or frames from one question to the next."""
    stderr: int = 1 << 23
    """Stderr within one question."""
    kept: int = 1 << 15
    """The part of stderr that is kept of its beginning, and of its end."""


@dataclass
class FaultReport:
    """A fault with its circumstances, for the author of the bot.

    `turn` counts from 1 (0: while starting), `asked` is the open question, `said` the bot's last message
    since then (or the beginning of one), `end` the exit status of the process. `stderr` is the end of the bot's
    stderr at that moment; `wall` and `charged` are the seconds of its question, once that is over. These three differ
    from run to run.
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

    @property
    def ending(self) -> str:
        """The exit status of the process, unless the text implies it."""
        return ending(self.kind, self.text, self.end)


def ending(kind: str, text: str, end: str) -> str:
    """Return the description of a process's end, unless it only repeats the text of the fault."""
    return "" if kind == "crash" and text.partition(";")[0] != NO_REASON and end.startswith("exit status") else end


def with_ending(kind: str, text: str, end: str) -> str:
    """Return the text of a fault and, in brackets, how its process ended, unless the text says so."""
    end = ending(kind, text, end)
    return f"{text} ({end})" if end else text


def quoted(message: bytes | bytearray) -> str:
    """Return the beginning of a message as printable text."""
    return repr(bytes(message[:SHOWN]))[2:-1]


class BotSession:
    """One bot in one match.

    Output that a bot sends after its answer, or while it is not asked, is read when it is asked again, so that no
    result depends on how long the other bots took.
    """

    def __init__(self, command: Command, protocol: BotProtocol, limits: Limits, isolation: Isolation = PLAIN) -> None:
        self.protocol = protocol
        self.limits = limits
        self.process = BotProcess(command, isolation, limits.kept, limits.stderr)
        self.start_seconds = 0.0
        self.inbox = bytearray()
        """Bytes received and not decoded yet."""
        self.outbox = bytearray()
        """Bytes that the bot's pipe has not taken yet."""
        self.said = b""
        """The last message since the question."""
        self.has_ended = False
        """True once the bot has closed its output."""
        self.spoke_early = False
        """True if the inbox holds the beginning of a message from before the question, which it can't answer."""
        self._messages = self._bytes = self._blank = 0
        self._first: dict[str, FaultReport] = {}
        self._pipes: Any
        self._copy: Array
        self._open: Any
        self.account: Any
        """The bot's row of `time_control.ACCOUNT`."""

    def take_seat(self, pipes: Any, copy: Array, account: Any, question: Any) -> None:
        """Attach the bot's rows of the match's tables (`PIPES`, `ACCOUNT`, `OPEN`) and its copy of sent messages."""
        self._pipes, self._copy, self.account, self._open = pipes, copy, account, question
        if isinstance(self.protocol, FramesProtocol):
            self.protocol.open = question

    @property
    def most(self) -> int:
        """The largest number of bytes of a message from the bot."""
        return self.limits.message if self.protocol.framing == "lines" else self.limits.question

    @property
    def state(self) -> State:
        """The bot's state."""
        return State(self._pipes["state"])

    @property
    def is_waited_for(self) -> bool:
        """True if the bot has been asked, or started, and has not answered."""
        return bool(self._pipes["state"] in (State.STARTING, State.THINKING))

    @property
    def gone(self) -> bool:
        """True if the bot is out of the match."""
        return bool(self._pipes["state"] == DEAD)

    def die(self) -> None:
        """Take the bot out of the match; its process is ended elsewhere."""
        self._pipes["state"] = DEAD

    @property
    def span(self) -> tuple[int, int]:
        """The bot's rows of the question: the first, and the one after the last."""
        return int(self._open["first"]), int(self._open["last"])

    @property
    def asked(self) -> bytes:
        """The beginning of the last question."""
        return self._copy[: min(int(self._pipes["size"]), EXCERPT)].tobytes()

    # -- bytes

    def take(self, data: bytes) -> None:
        """Add bytes of the bot's output to the inbox."""
        self.inbox += data
        self._bytes += len(data)

    def queue(self, data: bytes) -> None:
        """Add bytes to the outbox."""
        self.outbox += data
        self._pipes["has_outbox"] = 1

    def read(self) -> None:
        """Read the bot's output into the inbox, up to a flood."""
        while not (self.has_ended or self.flood) and (data := self.process.read()) is not None:
            self.has_ended = not data
            self.take(data)

    @property
    def flood(self) -> str:
        """The limit that the bot's output exceeds, as text; empty if none."""
        limits = self.limits
        if len(self.inbox) > self.most:
            return f"a message of more than {self.most} bytes"
        if self._bytes > limits.question:
            return f"more than {limits.question} bytes for one question"
        if self._messages > limits.messages:
            return f"more than {limits.messages} messages for one question"
        if self.process.stderr_bytes > limits.stderr:
            return f"more than {limits.stderr} bytes on stderr within one question"
        return ""

    def begin_question(self) -> None:
        """Reset the counts that `flood` compares with the limits."""
        self._messages = self._bytes = self._blank = self.process.stderr_bytes = 0
        self.said = b""

    def messages(self) -> Iterator[bytes]:
        """Cut whole messages off the inbox, up to a flood of them.

        Lines come without their newline and without a byte order mark in front; blank ones are skipped.
        """
        framed = self.protocol.framing == "frames"
        while self.inbox and self._messages <= self.limits.messages:
            if framed:
                size = frame_size(np.frombuffer(self.inbox[: HEADER.size], np.uint8), len(self.inbox))
            else:
                size = 1 + self.inbox.find(b"\n")
            if not size or (not framed and size > self.limits.message + 1):
                break
            message = bytes(self.inbox[: size if framed else size - 1])
            del self.inbox[:size]
            self._messages += 1
            if not framed:
                while message.startswith(BOM):  # Mono writes one for each of its writers
                    message = message.removeprefix(BOM)
                if not message.strip():
                    self._blank += 1
                    continue
            self.said = message
            yield message

    @property
    def has_begun_message(self) -> bool:
        """True if the inbox holds the beginning of a message: more than white space, if messages are lines."""
        return bool(self.inbox if self.protocol.framing == "frames" else self.inbox.removeprefix(BOM).strip())

    @property
    def unfinished(self) -> str:
        """What a report says of a message that has begun and has no end, or of blank lines alone; empty without."""
        if self.protocol.framing == "frames" or not self.has_begun_message:
            return "; it wrote blank lines, which say nothing" if self._blank and not self.said else ""
        last = next((f" (it ends with {name})" for end, name in ENDS if self.inbox.endswith(end)), "")
        return f'; what it wrote has no end of line, a "\\n"{last}: {quoted(self.inbox)}'

    # -- faults

    @property
    def fault_reports(self) -> dict[str, FaultReport]:
        """The first fault of each kind, each with the number of faults of its kind."""
        counted = time_control.fault_counts(self.account)
        return {kind: replace(fault_report, count=counted[kind]) for kind, fault_report in self._first.items()}

    def has_had(self, kind: str) -> bool:
        """Return whether the bot has had a fault of this kind; another of the same kind is only counted."""
        return kind in self._first

    def note(self, kind: str, text: str, cost: Cost, end: str = "") -> None:
        """Record a fault: the first of its kind in full, others by their number."""
        if not time_control.count_fault(self.account, FAULT[kind]):
            return
        clean = text.encode("utf-8", "backslashreplace").decode()[:TEXT]
        self.process.read_stderr()
        said = (self.said or bytes(self.inbox[:EXCERPT]))[:EXCERPT]
        stderr, turn = self.process.stderr.text()[-EXCERPT:], self.process.turn
        self._first[kind] = FaultReport(kind, turn, clean, self.asked, end, 1, said, stderr, cost.wall, cost.charged)

    def note_late(self, words: str, end: str, seen: str, cost: Cost, *, answered: bool) -> None:
        """Record a late answer with the bot's stack location; with an `end` (the reason), kill the bot.

        Waits a moment for the bot to print its stack location.
        """
        partial = "" if answered else self.unfinished
        blocked = " (it does not read its input)" if self.outbox else ""
        place = "" if self.has_had("late") else self.process.location()
        there = f"; it was at {place}" if place else f"; {seen}" if seen and not (answered or partial) else ""
        self.note("late", words + there + blocked + partial, cost)
        if end:
            self._first["late"].text += f"; {end}"
            self.process.kill()

    def end_by(self, kind: str, text: str, code: int | None, cost: Cost) -> int:
        """End the bot for this reason, or for one that the system reports (memory, a forbidden call).

        `code` is the exit status of its process, None while it runs. Returns the code of the fault.
        """
        self.die()
        self.process.read_stderr()
        whole = text + self.unfinished if text in (NO_REASON, CLOSED) else text
        if kind == "crash" and not self.protocol.says_why_it_ends:
            whole = stack_location.crash_text(self.process.stderr.text(), self.process.command.folder) or whole
        kind, text = self.process.exit_reason(kind, whole)
        fault, _ = time_control.judge(self.account, time_control.END, FAULT[kind], cost.charged)
        self.process.kill()
        self.note(kind, text, cost, how_it_ended(code))
        return fault
