"""The conversation with one bot in one match: the bot's state in the match and all rules about it, without I/O.

A bot is STARTING until it sends that it is ready, then IDLE. A question makes the bot THINKING, and an answer, or the
end of its time, IDLE again; a bot that is out of the match is DEAD. The caller sends the bytes that `hello` and `ask`
return, passes on the bot's output with the cost of its question until then (`receive`), and takes events one by one
(`next_event`). The caller also reports when the bot's time is used up (`time_out`) and when the bot has ended
(`leave`, `end`).

Output that a bot sends after its answer, or while it is not asked, is read when it is asked again, so that no result
depends on how long other bots took. Every mistake of a bot ends as a recorded `FaultReport`, never as an exception.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from koth.game import TimeControl
from koth.protocol.bot_protocol import (
    NOTHING_USED,
    Answer,
    BotProtocol,
    Ended,
    Fault,
    Message,
    Ready,
    Reply,
    Stale,
    Used,
)
from koth.protocol.encoded_rows import EncodedRows
from koth.protocol.frames import FramesProtocol, frame_size
from koth.session.cost import NO_COST, Cost, CostLog
from koth.session.faults import CLOSED, EXCERPT, NO_REASON, FaultReport, FaultReports, quote
from koth.session.time_control import ANSWER, END, FAULTY, SILENCE, UNASKED, JudgedEvent, TimeAccount


@dataclass(frozen=True)
class Limits:
    """The limits of a bot's output, in bytes; a bot that exceeds a limit is ended."""

    message: int = 1 << 18
    """The size of the largest line."""
    question: int = 1 << 22
    """The total size of all messages from one question to the next; also the size of the largest frame."""
    messages: int = 1 << 14
    """The largest number of lines or frames from one question to the next, and of unasked ones in a match."""
    stderr: int = 1 << 23
    """The most bytes on stderr within one question."""
    kept: int = 1 << 15
    """The number of bytes that are kept of the beginning of stderr, and of the end."""

    @property
    def stderr_text(self) -> str:
        """The limit of stderr, as text."""
        return f"more than {self.stderr} bytes on stderr within one question"


class ConversationState(Enum):
    """The state of a bot in its conversation with koth."""

    IDLE = "the bot runs and has no open question", False
    STARTING = "the bot was started and has not sent that it is ready", True
    THINKING = "the bot was asked and has not answered", True
    DEAD = "the bot is out of the match: not started yet, ended, or about to be killed", False

    def __init__(self, meaning: str, is_waited_for: bool) -> None:
        self.is_waited_for = is_waited_for
        """True if koth waits for a message of the bot."""


BOM = b"\xef\xbb\xbf"
MARKS = re.compile(rb"(?:\xef\xbb\xbf)*")
"""UTF-8's byte order marks before a message: Mono and .NET write one for each of their writers."""
ENDS = ((b"\r", '"\\r"'), (b"\0", '"\\0"'))
"""Characters that some programs write after a message instead of a newline, with their names."""
IDLE, STARTING, THINKING, DEAD = ConversationState


class Faulted(NamedTuple):
    """The event of a fault without an answer; if `is_over`, all rows of the question hold the defaults."""

    kind: str
    is_over: bool = True


class Late(NamedTuple):
    """The event that the bot was too late. The first report gets the stack location. If `is_out`, kill the bot."""

    report: FaultReport | None
    is_out: bool
    answered: bool
    partial: str
    """A description of an unfinished message; empty if there is none."""


class Closed(NamedTuple):
    """The event that the bot can't go on, with the adapter's reason, if any: see `Conversation.leave`."""

    reason: Ended | None


class Violated(NamedTuple):
    """The event that the bot broke a rule and must be ended: see `Conversation.end`."""

    kind: str
    text: str


ConversationEvent = Answer | Faulted | Late | Reply | Closed | Violated
"""An `Answer` is the event that the bot has answered its question; rows with a fault hold the defaults."""


class Conversation:
    """The conversation with one bot in one match, without I/O; see the module's docstring."""

    def __init__(self, protocol: BotProtocol, limits: Limits) -> None:
        self.protocol = protocol
        self.limits = limits
        self.state = DEAD
        self.account = TimeAccount(TimeControl())
        self.start_seconds = 0.0
        self.costs = CostLog()
        """The cost of each question."""
        self.turn = 0
        """The turn that the bot's faults belong to, from 1; 0 while starting."""
        self.row_range = (0, 0)
        """The bot's rows of the last question: the first row, and the row after the last."""
        self.last_question = b""
        """The last question; if framed, only the first `EXCERPT` bytes."""
        self.has_ended = False
        """True once the bot has closed its output."""
        self._is_framed = protocol.framing == "frames"
        self._ask_rows = protocol.ask_rows if isinstance(protocol, FramesProtocol) else None
        self._inbox: bytes | bytearray = b""
        self._at = 0
        """The received bytes; bytes from `_at` on are not decoded yet."""
        self._cost = NO_COST
        """The cost of the question until the last bytes came."""
        self.last_message = b""
        """The last message since the question."""
        self._spoke_early = False
        """True if the inbox begins with a message that was begun before the question, and so can't answer it."""
        self._messages = self._bytes = self._blank = 0
        """The numbers of messages, bytes, and blank lines since the question."""
        self._unasked = 0
        """The number of messages in the match that answered no question, and were faults."""
        self.fault_reports = FaultReports()
        self.new_reports: list[FaultReport] = []
        """Reports of the first fault of each kind, to which the caller adds the bot's stderr."""

    @property
    def gone(self) -> bool:
        """True if the bot is out of the match."""
        return self.state is DEAD

    @property
    def has_unread(self) -> bool:
        """True if received bytes are not decoded yet."""
        return self._at < len(self._inbox)

    # -- what is sent

    def hello(self, match_info: Mapping[str, Any]) -> bytes:
        """Begin the conversation: return the opening message for a bot that was started."""
        self.account.open_start()
        self.state = STARTING if self.protocol.handshake else IDLE
        return self.protocol.hello(match_info)

    def begin(self, row_range: tuple[int, int], turn: int) -> None:
        """Begin a question about these rows; the caller next reads messages that answer no open question."""
        self.row_range, self.turn = row_range, turn

    def ask(self, rows: EncodedRows) -> bytes:
        """Open the question that has begun; return the message with the bot's rows.

        A bot that has died since its last answer is not asked. The message is made nevertheless: the report of the
        bot's death shows this question, whether koth noticed the death before or after it.
        """
        account, protocol = self.account, self.protocol
        is_alive = self.state is not DEAD
        if is_alive:
            account.open_question()
        bank = account.time_control.bank
        protocol.used = Used(bank - account.bank, account.strikes) if account.has_used_any else NOTHING_USED
        if self._ask_rows is not None:
            message = self._ask_rows(rows, self.row_range)
            self.last_question = message[:EXCERPT]
        else:
            self.last_question = message = protocol.ask(rows.rows(*self.row_range))
        if is_alive:
            self.state = THINKING
            self._messages = self._bytes = self._blank = 0
            self.last_message = b""
            self._cost = NO_COST
            self._spoke_early = self._at < len(self._inbox) and self._has_begun_message
            if not self._spoke_early:
                self._inbox, self._at = b"", 0  # white space begins no answer
        return message

    # -- what is received

    def receive(self, data: bytes, cost: Cost = NO_COST) -> None:
        """Take bytes of the bot's output, with the cost of the question so far; empty bytes mark the output's end."""
        if self._at == len(self._inbox):
            self._inbox = data
        elif isinstance(self._inbox, bytearray):
            del self._inbox[: self._at]
            self._inbox += data
        else:
            self._inbox = bytearray(self._inbox[self._at :] + data)
        self._at = 0
        self._bytes += len(data)
        self._cost = cost
        if not data:
            self.has_ended = True

    def next_event(self) -> ConversationEvent | None:
        """Decode messages of the inbox, up to one with an effect; return the effect, or None if there is none.

        Messages of a bot that is not asked are faults, unless the bot owed an answer.
        """
        state = self.state
        while self._unasked <= self.limits.messages:
            message = self._next_frame() if self._is_framed else self._next_line()
            if message is None:
                break
            self.last_message = message
            if self._spoke_early or not state.is_waited_for:
                self._spoke_early = False
                event = self._take_early(message)
            else:
                decoded = self.protocol.decode(message)
                if isinstance(decoded, Answer) and state is THINKING:
                    return self._take_answer(decoded)
                event = self._take(decoded, message)
            if event is not None or self.state is not state:
                return event
        return self._find_excess()

    def _take(self, decoded: Message, message: bytes) -> ConversationEvent | None:
        """Handle a message that is not the answer to the open question."""
        if isinstance(decoded, Reply):
            return decoded if decoded.data else None  # a line of an answer that goes on
        if isinstance(decoded, Ended):
            return Closed(decoded)
        if isinstance(decoded, Stale):
            return self._take_unasked(message)
        if isinstance(decoded, Fault) and not decoded.ends:
            return self._count_unasked(FAULTY, decoded.kind, decoded.text)
        if self.state is STARTING:
            return self._take_first(decoded)
        if isinstance(decoded, Fault):
            return self._judge(decoded.kind, decoded.text)
        return self._judge("garbage", "a message that it is ready, instead of an answer")

    def _next_frame(self) -> bytes | None:
        inbox, begin = self._inbox, self._at
        end = begin + frame_size(inbox, begin)
        if end == begin or end > len(inbox) or self._messages > self.limits.messages:
            return None
        self._messages += 1
        self._at = end
        return bytes(inbox[begin:end])

    def _next_line(self) -> bytes | None:
        """Take a line from the inbox, without its newline and leading byte order marks; skip blank lines."""
        inbox = self._inbox
        while self._at < len(inbox) and self._messages <= self.limits.messages:
            begin, end = self._at, inbox.find(b"\n", self._at)
            if end < 0 or end - begin > self.limits.message:
                return None
            self._messages += 1
            self._at = end + 1
            marks = MARKS.match(inbox, begin, end)
            assert marks is not None
            message = bytes(inbox[marks.end() : end])
            del marks  # it holds the inbox, which could not be cut then
            if message.strip():
                return message
            self._blank += 1
        return None

    @property
    def _rest(self) -> bytes:
        return bytes(self._inbox[self._at :])

    def _find_excess(self) -> Violated | Closed | None:
        """Return the event that ends a bot that has sent too much or closed its output; None for other bots."""
        if self.gone:
            return None
        if not self.state.is_waited_for:
            self.last_message = b""  # so that the report of its end does not depend on when it is noticed
        if flood := self._find_flood():
            return Violated("flood", flood)
        return Closed(None) if self.has_ended else None

    def _find_flood(self) -> str:
        limits = self.limits
        most = limits.question if self._is_framed else limits.message
        if len(self._inbox) - self._at > most:
            return f"a message of more than {most} bytes"
        if self._bytes > limits.question:
            return f"more than {limits.question} bytes for one question"
        if self._messages > limits.messages:
            return f"more than {limits.messages} messages for one question"
        if self._unasked > limits.messages:
            return f"more than {limits.messages} messages in the match without a question"
        return ""

    def _take_first(self, decoded: Ready | Answer | Fault) -> Violated | None:
        """Handle a bot's first message; anything but "ready" ends the bot."""
        if isinstance(decoded, Ready):
            self.start_seconds = self._cost.charged
            self.state = IDLE
            return None
        said = f"{'an answer' if isinstance(decoded, Answer) else decoded.text}: {quote(self.last_message)}"
        return Violated("garbage", f"the first message did not say that the bot is ready: {said}")

    def _take_answer(self, answer: Answer) -> ConversationEvent:
        fault, is_out = self.account.judge(ANSWER, "none", self._cost.charged)
        if fault == "late":
            return self._be_late(is_out=is_out, answered=True)
        self._close()
        if answer.has_faults:
            for row_fault, text in answer.row_faults():
                self._note(row_fault, text)
        return answer

    def _judge(self, kind: str, text: str) -> ConversationEvent:
        fault, is_out = self.account.judge(ANSWER, kind, self._cost.charged)
        if fault == "late":
            return self._be_late(is_out=is_out, answered=True)
        self._close()
        self._note(kind, text)
        return Faulted(fault)

    def _take_early(self, message: bytes) -> ConversationEvent | None:
        """Handle a message of a bot that is not asked, or one that was begun before the question."""
        if self.protocol.says_why_it_ends and isinstance(decoded := self.protocol.decode(message), Ended):
            self.last_message = b""
            return Closed(decoded)
        return self._take_unasked(message)

    def _take_unasked(self, message: bytes) -> ConversationEvent | None:
        return self._count_unasked(UNASKED, "unasked", f"an answer without an open question: {quote(message)}")

    def _count_unasked(self, event: JudgedEvent, kind: str, text: str) -> ConversationEvent | None:
        """Count a message that answers no open question as a fault, unless the bot owed an answer."""
        fault, _ = self.account.judge(event, kind, 0.0)
        if fault == "none":
            return None
        self._unasked += 1
        self._note(fault, text)
        return Faulted(fault, is_over=False)

    # -- the end of its time, or of the bot

    def time_out(self, cost: Cost) -> Late | Violated:
        """Judge a bot whose time is used up."""
        self._cost = cost
        if self.state is STARTING:
            return Violated("late", f"{self.account.describe_late_start()}{self._unfinished}")
        _, is_out = self.account.judge(SILENCE, "none", cost.charged)
        return self._be_late(is_out=is_out, answered=False)

    def _be_late(self, *, is_out: bool, answered: bool) -> Late:
        """Close the question as too late."""
        first, last = self.row_range
        text = self.account.describe_lateness(last - first, self._cost)
        partial = "" if answered else self._unfinished
        self._close()
        if is_out:
            self.state = DEAD
        return Late(self._note("late", text), is_out, answered, partial)

    def leave(self, cost: Cost | None = None) -> None:
        """Mark an ended bot, or a bot that must be ended, as out of the match; `end` records the reason later.

        The open question, if there is one, has cost `cost`; if None, the cost when the last bytes came.
        """
        if not self.state.is_waited_for:
            self._cost = NO_COST
        elif cost is not None:
            self._cost = cost
        self._close()
        self.state = DEAD

    def end(self, kind: str, text: str, end: str = "") -> Faulted:
        """Record the reason why a bot is out of the match; `end` is the process's exit status, as text."""
        if not self.gone:
            self.leave()
        if text in (NO_REASON, CLOSED):
            text += self._unfinished
        fault, _ = self.account.judge(END, kind, self._cost.charged)
        self._note(kind, text, end)
        return Faulted(fault)

    def explain_end(self) -> None:
        """Add the reason why a late bot is out to the bot's report of lateness."""
        self.fault_reports["late"].add(f"; {self.account.describe_end()}")

    @property
    def _has_begun_message(self) -> bool:
        """True if a message has begun but is incomplete: more than white space, if messages are lines."""
        if self._at == len(self._inbox):
            return False
        return self._is_framed or bool(self._rest.removeprefix(BOM).strip())

    @property
    def _unfinished(self) -> str:
        """The description of an incomplete message, or of blank lines; empty if there is neither."""
        if self._is_framed or not self._has_begun_message:
            return "; the bot wrote only blank lines" if self._blank and not self.last_message else ""
        rest = self._rest
        last = next((f" (it ends with {name})" for end, name in ENDS if rest.endswith(end)), "")
        return f'; the output has no end of line, a "\\n"{last}: {quote(rest)}'

    def _close(self) -> None:
        """Close the open question, if there is one, and log its cost."""
        if self.state is THINKING:
            self.costs.add(self.turn, self._cost)
        if self.state.is_waited_for:
            self.state = IDLE
        self._messages = self._bytes = 0

    # -- faults

    def _note(self, kind: str, text: str, end: str = "") -> FaultReport | None:
        said, cost = self.last_message or self._rest[:EXCERPT], self._cost
        report = FaultReport(kind, self.turn, text, self.last_question, end, 1, said, b"", cost.wall, cost.charged)
        first = self.fault_reports.note(report)
        if first is not None:
            self.new_reports.append(first)
        return first
