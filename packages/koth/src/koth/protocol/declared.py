"""The JSON of a game's questions and answers according to their declarations.

A seat with one unit receives `{"x": 3, "window": ["..#", ...]}` and answers `{"move": "up"}`, a key for each field. A
seat with several units receives `{"bodies": [{"body": 7, "x": 3, ...}, ...]}`, and answers each field by the unit's
number: `{"move": {"7": "up"}}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from koth.game import Array, Field, Observations, Question, default_answers
from koth.protocol.bot_protocol import Answer, JsonProtocol
from koth.protocol.encoded_rows import EncodedRows, encode_values
from koth.protocol.shapes import by_number_schema, closed_object, describe_values, field_schema, is_lettered


class Declared:
    """The codec that follows from the questions' fields. A game with its own JSON may use parts of it."""

    def ask(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        """Return the question's content; large fields of whole numbers are arrays."""
        columns, first = (observations.encoded or EncodedRows(observations)).columns, observations.first_row
        if not observations.question.units:
            return {name: column[first] for name, column in columns.items()}
        rows = slice(first, first + len(observations))
        mine = {"body": observations.question.labels(observations)}
        mine |= {name: column[rows] for name, column in columns.items()}
        return {"bodies": [dict(zip(mine, row, strict=True)) for row in zip(*mine.values(), strict=True)]}

    def decode(self, match_info: Mapping[str, Any], observations: Observations, message: dict[str, Any]) -> Answer:
        question = observations.question
        fields = question.sent_fields
        if message.keys().isdisjoint(fields):
            wanted = " or a ".join(f'"{name}"' for name in fields)
            raise ValueError(f"an answer must have a {wanted}")
        answer = Answer.default(observations)
        missing = [] if question.units else [name for name in fields if name not in message]
        if missing:
            answer.blame(0, "missing", f"there is no {' and no '.join(missing)}")
        for name, spec in fields.items():
            if question.units:
                by_number = message.get(name, {})
                if not isinstance(by_number, dict):
                    raise ValueError(f'"{name}" must be an object: a value by the number of each unit')
                decode_by_number(
                    answer, observations, by_number, "body", partial(_decode_field, name, spec), lacking=name
                )
            elif name in missing:
                continue
            elif (code := _find_code(spec, message[name])) is not None:
                answer.fields[name][0] = code
            else:
                _decode_row(answer, 0, partial(_decode_field, name, spec), message[name])
        if len(question.lists) > 1:
            _check_lengths(answer, observations, message)
        return reset_faulty_rows(answer, question)

    def encode(
        self, match_info: Mapping[str, Any], observations: Observations, fields: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Return the JSON of an answer that `decode` reads as these fields."""
        question = observations.question
        columns = {
            name: [encode_values(spec, row) for row in question.answer_rows(fields, name)]
            for name, spec in question.sent_fields.items()
        }
        if not observations.question.units:
            return {name: values[0] for name, values in columns.items()}
        labels = [str(label) for label in observations.question.labels(observations)]
        return {name: dict(zip(labels, values, strict=True)) for name, values in columns.items()}

    def example(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        """Return an answer without a fault: the defaults."""
        return self.encode(match_info, observations, default_answers(observations.question, len(observations)))

    def schema(self, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the JSON Schemas of a question and of its answer: the properties of two objects."""
        observation = {name: field_schema(spec) for name, spec in question.observation.items()}
        answer, first = {}, dict[str, str]()
        for name, spec in question.sent_fields.items():
            answer[name] = field_schema(spec)
            if spec.ragged is not None and (other := first.setdefault(spec.ragged, name)) != name:
                words = f"as long as {other}"
                answer[name]["description"] = f"{spec.doc}; {words}" if spec.doc else words
        if question.units:
            observation = {"body": {"type": "integer"}, **observation}
            observation = {"bodies": {"type": "array", "items": closed_object(observation)}}
            answer = {name: by_number_schema(spec) for name, spec in answer.items()}
        return observation, answer


def open_json(settings: Any, seats: int) -> JsonProtocol:
    """Make the protocol of JSON lines for one bot in one match."""
    return JsonProtocol(Declared())


# --- answers


def decode_by_number(
    answer: Answer,
    observations: Observations,
    by_number: Mapping[str, Any],
    noun: str,
    reader: Callable[[Any], Mapping[str, Any]],
    lacking: str = "answer",
) -> None:
    """Decode an object with a value for each row's number; missing, wrong and superfluous entries are faults.

    `noun` is the game's word for a unit, `lacking` the name of a missing value. `reader` converts a value to the
    fields of its row, and raises ValueError.
    """
    labels = [str(label) for label in observations.question.labels(observations)]
    for row, label in enumerate(labels):
        if label in by_number:
            _decode_row(answer, row, reader, by_number[label], f"{noun} {label}: ")
        else:
            answer.blame(row, "missing", f"no {lacking} for {noun} {label}")
    strangers = sorted(set(by_number) - set(labels))
    error = -1, f"there was no question about {noun} {', '.join(strangers)[:200]}"
    if strangers and error not in answer.errors:  # once, not for each field
        answer.errors.append(error)


def reset_faulty_rows(answer: Answer, question: Question) -> Answer:
    """Reset rows with a fault to the defaults, and return the answer."""
    if answer.has_faults:
        for name, spec in question.answer.items():
            answer.fields[name][answer.fault != 0] = spec.default
    return answer


def _decode_row(
    answer: Answer, row: int, reader: Callable[[Any], Mapping[str, Any]], value: Any, where: str = ""
) -> None:
    try:
        for name, field_value in reader(value).items():
            answer.fields[name][row] = field_value
    except (TypeError, ValueError, OverflowError) as error:
        answer.blame(row, "illegal", f"{where}{error}")


def _decode_field(name: str, spec: Field, value: Any) -> dict[str, Any]:
    """Return a field's value by its name; of a list the whole row, and its count."""
    found = decode_value(name, spec, value)
    if spec.ragged is None:
        return {name: found}
    row = np.full(spec.shape, spec.default, spec.dtype)
    if found:
        row[: len(found)] = found
    return {name: row, spec.ragged: len(found)}


def _check_lengths(answer: Answer, observations: Observations, message: Mapping[str, Any]) -> None:
    """Record a fault of each row in which lists with the same count have different lengths."""
    question = observations.question
    last = {counts: name for name, counts in question.lists.items()}
    for row, label in enumerate(question.labels(observations)):
        for name, counts in question.lists.items():
            if not answer.fault[row]:
                length = len(message[name][str(label)] if question.units else message[name])
                if length != (other := answer.fields[counts].item(row)):
                    words = f"{name} has {length} items and {last[counts]} {other}: they must be equally long"
                    answer.blame(row, "illegal", f"body {label}: {words}" if question.units else words)


def decode_value(name: str, spec: Field, value: Any, axis: int = 0) -> Any:
    """Decode a field's value, or its part from this axis on, from JSON. Raises ValueError with the valid values."""
    if spec.ragged is not None:
        return _decode_list(name, spec, value)
    shape = spec.shape[axis:]
    if not shape:
        return _decode_one(name, spec, value)
    if is_lettered(spec) and len(shape) == 1 and isinstance(value, str):
        value = list(value)
    if not isinstance(value, list) or len(value) != shape[0]:
        raise ValueError(describe_wrong(name, spec, value))
    return [decode_value(name, spec, part, axis + 1) for part in value]


def _decode_list(name: str, spec: Field, value: Any) -> list[Any]:
    """Decode the items of a list from JSON. Raises ValueError that names the first wrong item by its index."""
    if is_lettered(spec) and len(spec.shape) < 2 and isinstance(value, str):
        value = list(value)
    if not isinstance(value, list):
        raise ValueError(describe_wrong(name, spec, value))
    if spec.shape and len(value) > spec.shape[0]:
        raise ValueError(f"{name} has {len(value)} items, at most {spec.shape[0]} are allowed")
    return [decode_value(f"{name}[{i}]", spec.item, item) for i, item in enumerate(value)]


def _decode_one(name: str, spec: Field, value: Any) -> Any:
    if spec.names:
        return _find_name(name, spec, value)
    kinds = {"b": bool, "f": int | float}.get(spec.kind, int)
    if not isinstance(value, kinds) or isinstance(value, bool) != (spec.kind == "b") or not spec.allows(value):
        raise ValueError(describe_wrong(name, spec, value))
    return value


def describe_wrong(name: str, spec: Field, value: Any) -> str:
    """Return a sentence that says which values a field has, given a wrong one."""
    return f"{name} must be {describe_values(field_schema(spec))}, not {value!r:.100}"


def _find_code(spec: Field, value: Any) -> int | None:
    """Return the number of a name, spelled as declared, of a field of one name; None for other values and fields."""
    return spec.codes.get(value) if not spec.shape and isinstance(value, str) else None


def _find_name(name: str, spec: Field, value: Any) -> int:
    """Return the number of a name; case counts only where needed. Raises ValueError that lists the names."""
    if isinstance(value, str):
        for word in (value, value.strip()):  # a name may be a space
            if word in spec.codes:
                return spec.codes[word]
        alike = [code for other, code in spec.codes.items() if other.casefold() == word.casefold()]
        if len(alike) == 1:
            return alike[0]
    raise ValueError(f"{value!r:.100} is not a {name}; use one of {', '.join(spec.names)}")
