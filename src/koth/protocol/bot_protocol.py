"""Wires: how one bot is spoken to in one match. Four verbs, no I/O.

A wire is made for one bot and one match. `hello` gives the bytes that open the conversation, `ask` those of
a question, `hear` says what one message of the bot's means, `bye` ends it. Messages are lines, or frames (a
size in front); whoever carries the bytes cuts them by `framing` and owns time and limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import orjson

from koth.game import FAULT, Answers, Array, Observations, Question, default_answers


class Ready(NamedTuple):
    """The bot has started and waits for questions."""


class Reply(NamedTuple):
    """The bot asked something that is answered at once; its clock runs on."""

    data: bytes


@dataclass
class Answer:
    """One bot's answer to its rows of a question.

    `fault` holds a code per row, `errors` what happened to single rows, in words; `note` and `drawn` are for its
    author: free JSON, and what `drawings.py` reads.
    """

    fields: dict[str, Array]
    fault: Array
    errors: list[tuple[int, str]] = field(default_factory=list)
    note: Any = None
    drawn: Any = None

    @classmethod
    def default(cls, observations: Observations) -> Answer:
        """Nobody answered anything, and nobody is to blame."""
        return cls(default_answers(observations.question, len(observations)), np.zeros(len(observations), np.uint8))

    @classmethod
    def fault_of(cls, observations: Observations, kind: str) -> Answer:
        """Every row has this fault."""
        answer = cls.default(observations)
        answer.fault[:] = FAULT[kind]
        return answer

    def write(self, answers: Answers, seat: int, row_range: tuple[int, int]) -> None:
        """Put it where the answers of this seat belong, in the rows from the first up to the second of the span."""
        rows = slice(*row_range)
        for name, values in self.fields.items():
            answers.fields[name][rows] = values
        answers.fault[rows] = self.fault
        if self.note is not None:
            answers.notes[0, seat] = self.note
        if self.drawn is not None:
            answers.drawn[0, seat] = self.drawn

    def blame(self, row: int, kind: str, text: str) -> None:
        """Record a fault of one row and put its answer back to the default by the caller's leave."""
        self.fault[row] = FAULT[kind]
        self.errors.append((row, text))


class Fault(NamedTuple):
    """The message is no good. With `ends`, the question is over for this bot; else it goes on waiting."""

    kind: str
    text: str
    ends: bool = True


class Ended(NamedTuple):
    """The bot's own runner says why the bot ends now: a kind of fault, and words."""

    kind: str
    text: str


class Stale(NamedTuple):
    """An answer to a question that is over: discarded."""


Message = Ready | Reply | Answer | Fault | Ended | Stale


class Used(NamedTuple):
    """What a bot has used up of what it may in this match: seconds of its bank, late answers in a row."""

    bank: float = 0.0
    strikes: int = 0


NOTHING_USED = Used()

NOTE = 1 << 14
"""Bytes of JSON that a note may have, so that no bot fills the disk with replays."""


def kept_note(note: Any) -> Any:
    """A bot's note as the replay keeps it: itself, or words about why not."""
    try:
        size = len(orjson.dumps([[[[[[[[note]]]]]]]]))  # as deep as in a replay, and deeper
    except TypeError:
        return "(not kept: nested too deeply)"
    return note if size <= NOTE else f"(not kept: {size} bytes, at most {NOTE} are)"


class BotProtocol(Protocol):
    """One bot's way to talk, in one match: the base of all."""

    framing: Literal["lines", "frames"] = "lines"
    handshake: bool = True
    """Whether the bot says that it is ready; if not, it is taken to be ready at once."""
    used: Used = NOTHING_USED
    """What the bot has used up by now; set before each question, for wires that have words for it."""

    def hello(self, match_info: Mapping[str, Any]) -> bytes:
        """Opens the conversation; `match_info` is what the game tells this bot once, and the arena adds."""

    def ask(self, observations: Observations) -> bytes:
        """One question, with this bot's rows."""

    def decode(self, message: bytes) -> Message:
        """What one line (without its end) or frame (with its header) of the bot's means."""

    def bye(self) -> bytes:
        """The match is over."""

    def example(self, number: int, observations: Observations) -> str:
        """A message that answers this question without a fault; empty where people don't write messages."""
        return ""

    def answered(self, number: int, observations: Observations, fields: Mapping[str, Array]) -> str:
        """The message that answers it with these fields; empty where people don't read messages."""
        return ""


class JsonCodec(Protocol):
    """What a game says about its JSON: the content of the messages, in its own words."""

    def ask(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        """The question's content."""

    def decode(self, match_info: Mapping[str, Any], observations: Observations, message: dict[str, Any]) -> Answer:
        """The answer in a message. Raises ValueError when it has the wrong shape altogether."""

    def example(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        """The content of an answer without a fault."""

    def encode(
        self, match_info: Mapping[str, Any], observations: Observations, fields: Mapping[str, Array]
    ) -> dict[str, Any]:
        """The content of an answer with these fields: what `hear` reads as them."""

    def schema(self, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        """The JSON Schema of the keys of a question, and of those of its answer."""


class JsonProtocol(BotProtocol):
    """JSON lines: `{"hello": ...}`, then `{"ask": n, ...}` and back `{"ask": n, ...}`, at last `{"bye": true}`.

    The bot answers the first line with `{"ready": true}`. An answer with an old number is discarded. Once a bot
    has used some of its bank, or was late, questions have `"left": {"bank": seconds, "strikes": n}`.
    """

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
        if self.used != NOTHING_USED:
            content["left"] = {
                "bank": round(self._match_info["bank"] - self.used.bank, 3),
                "strikes": self._match_info["strikes"] - self.used.strikes,
            }
        return _line({"ask": self._number, "question": observations.question.name, **content})

    def decode(self, message: bytes) -> Message:
        try:
            text = message.decode("utf-8")
        except UnicodeDecodeError as error:
            return Fault("garbage", f"not UTF-8: {error}")
        try:
            value = orjson.loads(text)
        except ValueError as error:
            return Fault("garbage", f"not JSON: {error}")
        if not isinstance(value, dict):
            return Fault("garbage", "a message must be a JSON object")
        if value.get("ready") is True and "ask" not in value:
            return Ready()
        number = value.get("ask")
        if not isinstance(number, int) or isinstance(number, bool):
            return Fault("garbage", 'an answer must repeat the number of its question: "ask"')
        if number > self._number or number < 1:
            return Fault("unasked", f"nobody asked question {number}", ends=False)
        if number < self._number or self._observations is None:
            return Stale()
        drawn = None if "draw" in self._observations.question.answer else value.pop("draw", None)
        try:
            answer = self.codec.decode(self._match_info, self._observations, value)
        except (ValueError, OverflowError, RecursionError) as error:
            return Fault("garbage", str(error))
        answer.note = kept_note(value.get("note") if answer.note is None else answer.note)
        answer.drawn = drawn
        self._observations = None
        return answer

    def bye(self) -> bytes:
        return _line({"bye": True})

    def example(self, number: int, observations: Observations) -> str:
        return orjson.dumps({"ask": number, **self.codec.example(self._match_info, observations)}).decode()

    def answered(self, number: int, observations: Observations, fields: Mapping[str, Array]) -> str:
        return orjson.dumps({"ask": number, **self.codec.encode(self._match_info, observations, fields)}).decode()


def _line(message: Mapping[str, Any]) -> bytes:
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)
