"""Lines of text between koth and a bot, as old contests have them: an opening, questions, answers, the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from koth.game import Array, Observations
from koth.protocol.bot_protocol import Answer, BotProtocol, Fault, JsonCodec, Message, Ready, Reply
from koth.protocol.declared import Declared

MORE = Reply(b"")
"""The reply to a line after which more lines of the same answer follow."""


class LinesProtocol(BotProtocol):
    r"""Base class of protocols of lines; a game's class says how the content of JSON messages is written in lines.

        class Text(LinesProtocol):
            ready = last = "go"          # lines with which a bot says that it is ready, and that its answer is whole

            def opening(self):           # self.info is the content of the JSON hello
                return f"turn 0\nrows {self.info['rows']}\nready"

            def question(self, seen):    # the content of the JSON question
                return "\n".join([*(f"a {row} {col}" for row, col in seen["ants"]), "go"])

            def parse_line(self, line):
                _, row, col, way = line.split()
                return [int(row), int(col)], way

            def answer(self, parts):     # the content of the JSON answer
                return {"at": [place for place, _ in parts], "way": [way for _, way in parts]}

            def answer_text(self, answer):
                return "\n".join(f"o {x} {y} {way}" for (x, y), way in zip(answer["at"], answer["way"]))

            def closing(self, scores):
                return f"end\nscore {' '.join(map(str, scores))}\ngo"

    koth sends each text with a newline at its end, and nothing for "". Lines of a bot come without white space around
    them. Case does not matter in `ready` and `last`.
    """

    last: str = ""
    """The line that ends an answer; "" if each line is an answer."""
    codec: JsonCodec = Declared()
    """The codec of the game's JSON messages: its content is what the methods get and return."""

    def __init__(self, settings: Any, seats: int) -> None:
        self.settings, self.seats = settings, seats
        self.handshake = bool(self.ready)
        self.info: Mapping[str, Any] = {}
        """The match info: the content of the JSON hello."""
        self._observations: Observations | None = None
        self._parts: list[Any] = []

    # --- what a game's class defines

    def opening(self) -> str:
        """Return the first message."""
        return ""

    def question(self, seen: Mapping[str, Any]) -> str:
        """Return a question, given the content of the JSON question."""
        raise NotImplementedError("must be written")

    def parse_line(self, line: str) -> Any:
        """Return the meaning of a line, for `answer`: None for nothing, a `Reply` to answer the bot at once.

        Raises ValueError for a malformed line: a fault that quotes it; with `last` the other lines still count.
        """
        return line

    def answer(self, parts: list[Any]) -> Mapping[str, Any] | Fault:
        """Return the content of the JSON answer, given the meanings of its lines, or a fault.

        Raises ValueError for a malformed answer. koth checks the content as it checks JSON.
        """
        raise NotImplementedError("must be written")

    def answer_text(self, answer: Mapping[str, Any]) -> str:
        """Return the lines of an answer, without `last`, given the JSON content: for authors, who read answers."""
        raise NotImplementedError("must be written")

    def closing(self, scores: Sequence[float]) -> str:
        """Return the last message, given the scores of all seats (see `bye_when_out`)."""
        return ""

    # --- what koth calls

    def hello(self, match_info: Mapping[str, Any]) -> bytes:
        self.info = match_info
        return _encode(self.opening())

    def ask(self, observations: Observations) -> bytes:
        self._observations, self._parts = observations, []
        return _encode(self.question(self.codec.ask(self.info, observations)))

    def decode(self, message: bytes) -> Message:
        line = message.decode("utf-8", "backslashreplace").strip()
        if self._observations is None:
            if self.handshake and line.lower() == self.ready.lower():
                return Ready()
            return Fault("unasked", "an answer to no question", ends=False)
        is_last = bool(self.last) and line.lower() == self.last.lower()
        try:
            part = None if is_last else self.parse_line(line)
        except ValueError as error:
            return Fault("garbage", f"{line!r:.100}: {error}", ends=not self.last)
        if isinstance(part, Reply):
            return part
        if part is not None:
            self._parts.append(part)
        return self._read_answer(self._observations) if is_last or not self.last else MORE

    def _read_answer(self, observations: Observations) -> Answer | Fault:
        self._observations = None
        try:
            content = self.answer(self._parts)
            if isinstance(content, Fault):
                return content
            return self.codec.decode(self.info, observations, dict(content))
        except (ValueError, OverflowError) as error:
            return Fault("garbage", str(error))

    def bye(self, scores: Sequence[float]) -> bytes:
        return _encode(self.closing([int(score) if float(score).is_integer() else score for score in scores]))

    def example(self, number: int, observations: Observations) -> str:
        return self._write(self.codec.example(self.info, observations))

    def encode_answer(self, number: int, observations: Observations, fields: Mapping[str, Array]) -> str:
        return self._write(self.codec.encode(self.info, observations, fields))

    def _write(self, answer: Mapping[str, Any]) -> str:
        return "\n".join(text for text in (self.answer_text(answer), self.last) if text)


def _encode(text: str) -> bytes:
    return f"{text}\n".encode() if text else b""
