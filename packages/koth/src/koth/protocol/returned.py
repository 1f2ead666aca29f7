"""Answers of Python classes for games without an API of their own: the values that `act` returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from koth.game import Array, Observations, Question
from koth.protocol.bot_protocol import Answer, Ended, Fault, JsonCodec, JsonProtocol, Message


class Returned:
    """A game's codec behind messages `{"ask": 7, "returned": VALUE}`, or `{"ask": 7, "error": TEXT}`.

    The value is the JSON of the answer, or of its only field. A wrong value is `illegal`, a missing one is `missing`,
    and an exception is an `error`, for all units that were asked.
    """

    def __init__(self, codec: JsonCodec) -> None:
        self._codec = codec
        self._names: dict[str, list[str]] = {}
        """The names of the answer's fields in JSON, by question."""

    def ask(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        return self._codec.ask(match_info, observations)

    def decode(self, match_info: Mapping[str, Any], observations: Observations, message: dict[str, Any]) -> Answer:
        if "error" in message:
            return Answer.fault_of(observations, "error", str(message["error"]))
        value = message.get("returned")
        if value is None:
            return Answer.fault_of(observations, "missing", "act returned None: is a return missing?")
        question = observations.question
        names = self._names.get(question.name) or list(self._codec.schema(question)[1])
        self._names[question.name] = names
        is_dict = isinstance(value, dict)
        if len(names) == 1 and not (is_dict and (names[0] in value or not observations.question.units)):
            value, is_dict = {names[0]: value}, True
        if not is_dict or not any(name in value for name in names):
            wanted = f"act must return a dict with {' and '.join(map(repr, names))}"
            return Answer.fault_of(observations, "illegal", f"{wanted}, not {value!r:.200}")
        try:
            return self._codec.decode(match_info, observations, value)
        except (ValueError, OverflowError, RecursionError) as error:
            return Answer.fault_of(observations, "illegal", str(error))

    def example(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        """Return the content of an answer without a fault."""
        return {"returned": self._codec.example(match_info, observations)}

    def encode(
        self, match_info: Mapping[str, Any], observations: Observations, fields: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Return the content of an answer that `decode` reads as these fields."""
        return {"returned": self._codec.encode(match_info, observations, fields)}

    def schema(self, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the JSON Schemas of a question, and of the value to return: the properties of two objects."""
        return self._codec.schema(question)


class ReturnedProtocol(JsonProtocol):
    """JSON lines with koth's adapter of Python classes, which sends `{"crash": TEXT}` if the bot can't go on."""

    says_why_it_ends = True

    def __init__(self, codec: JsonCodec) -> None:
        super().__init__(Returned(codec))

    def decode(self, message: bytes) -> Message:
        if not message.startswith(b'{"crash"'):
            return super().decode(message)
        try:
            text = orjson.loads(message)["crash"]
        except ValueError as error:
            return Fault("garbage", f"not JSON that can be read: {error}")
        return Ended("crash", text) if isinstance(text, str) else Fault("garbage", "the value of crash is not a text")
