"""Protocols between koth and one bot in one match, without I/O.

A protocol object serves one bot and one match: `hello` encodes the opening message, `ask` a question, `bye` the end,
and `decode` reads a message of the bot. Messages are lines or frames (with a size in front), by `framing`; the
session reads and writes the bytes, and keeps time and limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import orjson

from koth.adapter.kit import LARGEST_NOTE
from koth.game import FAULT, FAULTS, Answers, Array, Observations, Question, default_answers
from koth.protocol.json_mistakes import describe_type, find_mistake

REPEATS = 'an answer must repeat the number of its question: "ask"'
MOST_EXACT = 1 << 53
"""Floats represent all integers up to this one exactly."""


class Ready(NamedTuple):
    """The message that the bot has started and waits for questions."""


class Reply(NamedTuple):
    """A reply to a request of the bot; it is sent at once, and the bot's clock runs on."""

    data: bytes


@dataclass(slots=True)
class Answer:
    """One bot's answer to its rows of a question.

    `fault` holds a code per row, `errors` the explanations for single rows; `note` (any JSON) and `drawn`
    (annotations as `drawings.py` reads them) are for the bot's author.
    """

    fields: dict[str, Array]
    fault: Array
    errors: list[tuple[int, str]] = field(default_factory=list)
    kinds: dict[tuple[int, str], str] = field(default_factory=dict)
    """The kind of each error whose row may have others."""
    note: Any = None
    drawn: Any = None

    @classmethod
    def default(cls, observations: Observations) -> Answer:
        """Return defaults for all rows, without a fault."""
        return cls(default_answers(observations.question, len(observations)), np.zeros(len(observations), np.uint8))

    @classmethod
    def fault_of(cls, observations: Observations, kind: str, text: str = "") -> Answer:
        """Return defaults with this fault for every row; `text` explains it."""
        answer = cls.default(observations)
        answer.fault[:] = FAULT[kind]
        if text:
            answer.errors = [(row, text) for row in range(len(observations))]
        return answer

    def write(self, answers: Answers, seat: int, row_range: tuple[int, int]) -> None:
        """Write the answer to the rows of its seat, from the first of the range up to the second."""
        rows = slice(*row_range)
        for name, values in self.fields.items():
            answers.fields[name][rows] = values
        answers.fault[rows] = self.fault
        if self.note is not None:
            answers.notes[0, seat] = self.note
        if self.drawn is not None:
            answers.drawn[0, seat] = self.drawn

    @property
    def has_faults(self) -> bool:
        """True if a row has a fault, or there is an explanation of an error."""
        return bool(self.errors or self.fault.tobytes().strip(b"\0"))

    def blame(self, row: int, kind: str, text: str) -> None:
        """Record a fault of one row, whose code is its latest; the caller resets its answer to the default."""
        self.fault[row] = FAULT[kind]
        self.errors.append((row, text))
        self.kinds[row, text] = kind

    def row_faults(self) -> Iterator[tuple[str, str]]:
        """Yield kind and explanation of each faulty row, and of answers for units that were not asked."""
        explained = {row for row, _ in self.errors}
        unexplained = [row for row in np.flatnonzero(self.fault).tolist() if row not in explained]
        # sorted, so that the first fault does not depend on the order of rows; adapters explain only a hundred
        for row, text in sorted(self.errors) + [(row, "without an explanation") for row in unexplained]:
            if row < 0:
                yield "unasked", text
            elif self.fault[row]:
                yield self.kinds.get((row, text), FAULTS[self.fault[row]]), text


class Fault(NamedTuple):
    """A fault in a message. With `ends`, the question is over for this bot; otherwise the question stays open."""

    kind: str
    text: str
    ends: bool = True


class Ended(NamedTuple):
    """The bot adapter's reason for the bot's end: a kind of fault, and an explanation."""

    kind: str
    text: str


class Stale(NamedTuple):
    """An answer to a question that is over, which is discarded."""


Message = Ready | Reply | Answer | Fault | Ended | Stale


class Used(NamedTuple):
    """The time that a bot has used in this match: seconds of its bank, and late answers in a row."""

    bank: float = 0.0
    strikes: int = 0


NOTHING_USED = Used()


def limit_note(note: Any) -> Any:
    """Return a bot's note, or a text on why it is not kept."""
    try:
        size = len(orjson.dumps([[[[[[[[note]]]]]]]]))  # nested deeper than in any file that holds it
    except TypeError:
        return "(not kept: nested too deeply)"
    return note if size <= LARGEST_NOTE else f"(not kept: {size} bytes, at most {LARGEST_NOTE} are)"


class BotProtocol(Protocol):
    """The protocol of one bot in one match: base class of all protocols."""

    framing: Literal["lines", "frames"] = "lines"
    handshake: bool = True
    """True if the bot must send that it is ready; otherwise it counts as ready at once."""
    ready: str = ""
    """The message that the bot is ready, as a person writes it."""
    bye_when_out: bool = False
    """True if a bot that the rules ask nothing more gets its last message at once, not at the end of the match."""
    says_why_it_ends: bool = False
    """True if the bot sends an `Ended` at its end, as koth's own adapters do."""
    used: Used = NOTHING_USED
    """The time that the bot has used so far; set before each question, for protocols that send it."""

    def hello(self, match_info: Mapping[str, Any]) -> bytes:
        """Encode the opening message, with the match info for this bot."""

    def ask(self, observations: Observations) -> bytes:
        """Encode one question, with this bot's rows."""

    def decode(self, message: bytes) -> Message:
        """Decode one line (without its newline) or frame (with its header) of the bot."""

    def bye(self, scores: Sequence[float]) -> bytes:
        """Encode the message that the match is over, with these scores of all seats."""

    def example(self, number: int, observations: Observations) -> str:
        """Encode an answer to this question without a fault; empty for protocols that people don't write."""
        return ""

    def encode_answer(self, number: int, observations: Observations, fields: Mapping[str, Array]) -> str:
        """Encode an answer with these fields; empty for protocols that people don't read."""
        return ""


class JsonCodec(Protocol):
    """A game's codec for the content of JSON messages."""

    def ask(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        """Return the question's content."""

    def decode(self, match_info: Mapping[str, Any], observations: Observations, message: dict[str, Any]) -> Answer:
        """Decode the answer in a message. Raises ValueError when the whole message has the wrong shape."""

    def example(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        """Return the content of an answer without a fault."""

    def encode(
        self, match_info: Mapping[str, Any], observations: Observations, fields: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Return the content of an answer that `decode` reads as these fields."""

    def schema(self, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the JSON Schemas of the keys of a question and of its answer."""


class JsonProtocol(BotProtocol):
    """JSON lines: `{"hello": ...}`, then `{"ask": n, ...}` and back `{"ask": n, ...}`, at last `{"bye": true}`.

    The bot answers the first line with `{"ready": true}`. An answer with an old number is discarded. Once a bot
    has used some of its bank, or was late, questions have `"left": {"bank": seconds, "strikes": n}`.
    """

    ready = '{"ready":true}'

    def __init__(self, codec: JsonCodec) -> None:
        self.codec = codec
        self._match_info: Mapping[str, Any] = {}
        self._observations: Observations | None = None
        self._number = 0

    def hello(self, match_info: Mapping[str, Any]) -> bytes:
        self._match_info = match_info
        return _line({"hello": match_info})

    def ask(self, observations: Observations) -> bytes:
        self._number += 1
        self._observations = observations
        content = self.codec.ask(self._match_info, observations)
        if self.used is not NOTHING_USED:
            content["left"] = {
                "bank": round(self._match_info["bank"] - self.used.bank, 3),
                "strikes": self._match_info["strikes"] - self.used.strikes,
            }
        return _line({"ask": self._number, "question": observations.question.name, **content})

    def decode(self, message: bytes) -> Message:
        try:
            value = orjson.loads(message)
        except ValueError as error:
            mistake = find_mistake(message)
            return Fault("garbage", mistake.text if mistake else f"not JSON: {error}")
        if not isinstance(value, dict):
            return Fault("garbage", f"a message must be a JSON object, not {describe_type(value)}")
        number = value.get("ask")
        if value.get("ready") is True and ("ask" not in value or not self._number):
            return Ready()
        if type(number) is float and number.is_integer() and abs(number) < MOST_EXACT:
            number = int(number)  # some languages have one kind of number, and print 1.0
        if type(number) is not int:
            return Fault("garbage", _explain_no_number(value))
        if number > self._number or number < 1:
            return Fault("unasked", f"there was no question {number}; {REPEATS}", ends=False)
        if number < self._number or self._observations is None:
            return Stale()
        drawn = None if "draw" in self._observations.question.answer else value.pop("draw", None)
        try:
            answer = self.codec.decode(self._match_info, self._observations, value)
        except (ValueError, OverflowError, RecursionError) as error:
            return Fault("garbage", str(error))
        note = value.get("note") if answer.note is None else answer.note
        answer.note = None if note is None else limit_note(note)
        answer.drawn = drawn
        self._observations = None
        return answer

    def bye(self, scores: Sequence[float]) -> bytes:
        return _line({"bye": True})

    def example(self, number: int, observations: Observations) -> str:
        return orjson.dumps({"ask": number, **self.codec.example(self._match_info, observations)}).decode()

    def encode_answer(self, number: int, observations: Observations, fields: Mapping[str, Array]) -> str:
        return orjson.dumps({"ask": number, **self.codec.encode(self._match_info, observations, fields)}).decode()


def _explain_no_number(message: Mapping[str, Any]) -> str:
    """Return why a message is neither an answer nor the message that the bot is ready."""
    for key in ("ask", "ready"):
        if key in message:
            wanted = "true" if key == "ready" else "the number of its question"
            return f'"{key}" must be {wanted}, not {describe_type(message[key])}'
        for other in message:
            if other.lower() == key:
                return f'its key is "{other}", and must be "{key}"'
    return REPEATS


def _line(message: Mapping[str, Any]) -> bytes:
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY)
