"""One bot in one match: its program, its wire, what it has said and not been heard for, and the faults it had.

Whatever a bot does or fails to do ends as a recorded `Trouble`, never as an exception.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from koth.game import FAULT, FAULTS, Array
from koth.protocol.bot_protocol import Answer, BotProtocol
from koth.sandbox.command import Command, how_it_ended
from koth.sandbox.isolation import PLAIN, Isolation
from koth.session import stack_location, time_control
from koth.session.cpu_time import Cost
from koth.session.exchange import ADDRESS, AHEAD, FIRST, HEADER_SIZE, LAST, SENT, SIZE, frame_size
from koth.session.process import BotProcess

UNTOLD = "the process ended"
"""The text of a crash of which nothing more is known."""
TEXT = 2000
"""Characters that are kept of a fault's text."""
MESSAGE = 4096
"""Bytes that are kept of the messages around a fault, and of stderr."""


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
class FaultReport:
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

    @property
    def ending(self) -> str:
        """How its process ended, where its text does not say already why."""
        return ending(self.kind, self.text, self.end)


def ending(kind: str, text: str, end: str) -> str:
    """How a process ended, unless that only repeats the text of the fault."""
    return "" if kind == "crash" and text != UNTOLD and end.startswith("exit status") else end


class Guest:
    """One bot in one match.

    What it sends after its answer, or while it is not asked, is looked at when it is asked again, so that no
    result hangs on how long the others took.
    """

    def __init__(self, command: Command, protocol: BotProtocol, limits: Limits, isolation: Isolation = PLAIN) -> None:
        self.protocol = protocol
        self.limits = limits
        self.program = BotProcess(command, isolation, limits.kept, limits.stderr)
        self.record: Array
        """Its row of `koth.session.time_control`."""
        self.has_ended = False
        """It has closed its output: nothing will come any more."""
        self.call: Array
        """Its row of `koth.session.exchange`."""
        self.unsent = b""
        """Of what it was sent, what its pipe has not taken."""
        self._outgoing: bytes | bytearray = b""
        self._asked = b""
        self.number = 0
        """Of the last question for which it was seen to."""
        self.said = b""
        self.start_seconds = 0.0
        self._first: dict[str, FaultReport] = {}
        self.inbox = bytearray()
        """What it has said and was not heard for."""
        self.is_early = False
        """Whether what lies in the inbox was begun before the question."""
        self._heard = 0
        self._heard_bytes = 0

    @property
    def most(self) -> int:
        """Bytes that a message of its may have."""
        return self.limits.message if self.protocol.framing == "lines" else self.limits.question

    @property
    def gone(self) -> bool:
        return bool(self.record[time_control.GONE])

    @property
    def fault_reports(self) -> dict[str, FaultReport]:
        """The first fault of each kind, with how many there were."""
        counted = time_control.counts(self.record)
        return {kind: replace(fault_report, count=counted[kind]) for kind, fault_report in self._first.items()}

    @property
    def span(self) -> tuple[int, int]:
        """Its rows of the question, from the first up to the last."""
        return int(self.call[FIRST]), int(self.call[LAST])

    # -- bytes

    @property
    def asked(self) -> bytes:
        """The beginning of the last question."""
        address, ahead, size = self.call[[ADDRESS, AHEAD, SIZE]].tolist()
        return self._asked or ctypes.string_at(address + ahead, min(size - ahead, MESSAGE))

    def ask(self, question: bytes) -> None:
        """This is its question, which is to be written to it, after all that its pipe has not taken."""
        self._asked = question[:MESSAGE] if self.protocol.framing == "lines" else b""
        self._outgoing = self.unsent + question
        self.call[SENT], self.call[AHEAD] = 0, len(self.unsent)
        self.unsent = b""
        self._point()

    def reply(self, data: bytes) -> None:
        """This is to be written to it, behind what its pipe has not taken of the question that it answers.

        It may be one of thousands, and megabytes may wait, so nothing that waits is copied for each.
        """
        if isinstance(self._outgoing, bytes):
            self._outgoing = bytearray(self._outgoing)
        self._outgoing += data
        self._point()

    def _point(self) -> None:
        """What goes out may have come to lie elsewhere."""
        self.call[ADDRESS] = np.frombuffer(self._outgoing, np.uint8).ctypes.data
        self.call[SIZE] = len(self._outgoing)

    def keep_unsent(self) -> bool:
        """Keep what its pipe has not taken, for what is sent next goes behind it; whether there was anything."""
        sent, size = int(self.call[SENT]), int(self.call[SIZE])
        if sent < size:
            self.unsent = ctypes.string_at(int(self.call[ADDRESS]) + sent, size - sent)
            self.call[SENT] = size
        return sent < size

    def take(self, data: bytes) -> None:
        """This has come to its output."""
        self.inbox += data
        self._heard_bytes += len(data)

    def read(self) -> None:
        """Read what has come to its output, up to what anybody may send."""
        while not (self.has_ended or self.flood) and (data := self.program.read()) is not None:
            self.has_ended = not data
            self.take(data)

    @property
    def flood(self) -> str:
        """What was more than anybody may send, in words; empty if nothing was."""
        limits = self.limits
        if len(self.inbox) > self.most:
            return f"a message of more than {self.most} bytes"
        if self._heard_bytes > limits.question:
            return f"more than {limits.question} bytes for one question"
        if self._heard > limits.messages:
            return f"more than {limits.messages} messages for one question"
        if self.program.stderr_bytes > limits.stderr:
            return f"more than {limits.stderr} bytes on stderr within one question"
        return ""

    def count_anew(self) -> None:
        """A question begins, for which nothing has come yet."""
        self._heard = self._heard_bytes = self.program.stderr_bytes = 0
        self.said = b""

    def messages(self) -> Iterator[bytes]:
        """Cut whole messages off the inbox, up to a flood of them; lines come without their end."""
        framed = self.protocol.framing == "frames"
        while self.inbox and self._heard <= self.limits.messages:
            if framed:
                size = frame_size(np.frombuffer(self.inbox[:HEADER_SIZE], np.uint8), len(self.inbox))
            else:
                size = 1 + self.inbox.find(b"\n")
            if not size or (not framed and size > self.limits.message + 1):
                break
            message = bytes(self.inbox[: size if framed else size - 1])
            del self.inbox[:size]
            self._heard += 1
            self.said = message
            yield message

    # -- faults

    def has_had(self, kind: str) -> bool:
        """Whether it has had a fault of this kind: another one is not told in full."""
        return kind in self._first

    def note(self, kind: str, text: str, spent: Cost, end: str = "") -> None:
        """Record a fault: the first of its kind in full, the others by their number."""
        if not time_control.note(self.record, FAULT[kind]):
            return
        clean = text.encode("utf-8", "backslashreplace").decode()[:TEXT]
        self.program.read_stderr()
        said = (self.said or bytes(self.inbox[:MESSAGE]))[:MESSAGE]
        stderr, turn = self.program.stderr.text()[-MESSAGE:], self.program.turn
        self._first[kind] = FaultReport(
            kind, turn, clean, self.asked, end, 1, said, stderr, spent.wall, spent.charged
        )

    def late(self, words: str, end: str, seen: str, spent: Cost, *, answered: bool) -> None:
        """It did not answer in time, or had `answered` when its time was used up; if that is its `end`, why.

        Waits a moment for what it prints.
        """
        partial = f" (an unfinished message: {bytes(self.inbox[:80])!r})" if self.inbox and not answered else ""
        blocked = " (it does not read its input)" if self.unsent else ""
        place = "" if self.has_had("late") else self.program.where()
        there = f"; it was at {place}" if place else f"; {seen}" if seen and not answered else ""
        self.note("late", words + there + blocked + partial, spent)
        if end:
            self._first["late"].text += f"; {end}"
            self.program.kill()

    def ended_by(self, kind: str, text: str, code: int | None, spent: Cost, rules: Array) -> int:
        """It ends, or is ended, for this reason, as it looks; its process had ended with this `code`, or None.

        Returns the fault that this is.
        """
        self.program.read_stderr()
        if kind == "crash" and self.protocol.framing == "lines":  # koth's own runners say why they end
            text = stack_location.crash(self.program.stderr.text(), self.program.command.folder) or text
        kind, text = self.program.exit_reason(kind, text)
        fault, _ = time_control.judge(self.record, rules, time_control.END, FAULT[kind], spent.charged)
        self.program.kill()
        self.note(kind, text, spent, how_it_ended(code))
        return fault


def faults_of(answer: Answer) -> Iterator[tuple[str, str]]:
    """The faults of single rows of an answer, and what it says about bodies that were not asked, in words."""
    told = {row for row, _ in answer.errors}
    untold = [row for row in np.flatnonzero(answer.fault).tolist() if row not in told]
    # the first is of the first body, in whatever order they were asked; a runner tells of the first hundred only
    for row, text in sorted(answer.errors) + [(row, "without a word") for row in untold]:
        if row < 0:
            yield "unasked", text
        elif answer.fault[row]:
            yield FAULTS[answer.fault[row]], text
