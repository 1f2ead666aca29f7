"""The JSON of a game's questions and answers according to their declarations.

A seat with one unit receives `{"x": 3, "window": ["..#", ...]}` and answers `{"move": "up"}`, a key for each field. A
seat with several units receives `{"bodies": [{"body": 7, "x": 3, ...}, ...]}`, and answers each field by the unit's
number: `{"move": {"7": "up"}}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
import orjson

from koth.game import Array, Field, Observations, Question, default_answers
from koth.protocol.bot_protocol import Answer, JsonProtocol
from koth.protocol.shapes import by_number_schema, closed_object, describe_values, field_schema, is_lettered

LARGE_FIELD = 100
"""The least size in bytes of a field whose JSON is cached for other bots with the same values."""


class Declared:
    """The codec that follows from the questions' fields. A game with its own JSON may use parts of it."""

    def ask(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        """Return the question's content; large values are already encoded (`orjson.Fragment`)."""
        specs = observations.question.observation
        if not observations.question.units:
            return {name: _encode_field(spec, observations, name) for name, spec in specs.items()}
        columns = {name: column_values(spec, observations, name) for name, spec in specs.items()}
        columns = {"body": observations.question.labels(observations), **columns}
        return {"bodies": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}

    def decode(self, match_info: Mapping[str, Any], observations: Observations, message: dict[str, Any]) -> Answer:
        fields = observations.question.answer
        if not any(name in message for name in fields):
            wanted = " or a ".join(f'"{name}"' for name in fields)
            raise ValueError(f"an answer must have a {wanted}")
        answer = Answer.default(observations)
        for name, spec in fields.items():
            if observations.question.units:
                given = message.get(name, {})
                if not isinstance(given, dict):
                    raise ValueError(f'"{name}" must be an object: a value by the number of each unit')
                decode_by_number(
                    answer, observations, given, "body", partial(_decode_field, name, spec), lacking=name
                )
            elif name not in message:
                answer.blame(0, "missing", f"there is no {name}")
            else:
                _decode_row(answer, 0, partial(_decode_field, name, spec), message[name])
        return reset_faulty_rows(answer, observations.question)

    def encode(
        self, match_info: Mapping[str, Any], observations: Observations, fields: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Return the JSON of an answer that `decode` reads as these fields."""
        columns = {
            name: [encode_values(spec, row) for row in fields[name]]
            for name, spec in observations.question.answer.items()
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
        answer = {name: field_schema(spec) for name, spec in question.answer.items()}
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
    given: Mapping[str, Any],
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
        if label in given:
            _decode_row(answer, row, reader, given[label], f"{noun} {label}: ")
        else:
            answer.blame(row, "missing", f"no {lacking} for {noun} {label}")
    strangers = sorted(set(given) - set(labels))
    error = -1, f"there was no question about {noun} {', '.join(strangers)[:200]}"
    if strangers and error not in answer.errors:  # once, not for each field
        answer.errors.append(error)


def reset_faulty_rows(answer: Answer, question: Question) -> Answer:
    """Reset rows with a fault to the defaults, and return the answer."""
    for name, spec in question.answer.items():
        answer.fields[name][answer.fault != 0] = spec.default
    return answer


def _decode_row(
    answer: Answer, row: int, reader: Callable[[Any], Mapping[str, Any]], value: Any, where: str = ""
) -> None:
    try:
        for name, said in reader(value).items():
            answer.fields[name][row] = said
    except (TypeError, ValueError, OverflowError) as error:
        answer.blame(row, "illegal", f"{where}{error}")


def _decode_field(name: str, spec: Field, value: Any) -> dict[str, Any]:
    return {name: decode_value(name, spec, value)}


def decode_value(name: str, spec: Field, value: Any, axis: int = 0) -> Any:
    """Decode a field's value, or its part from this axis on, from JSON. Raises ValueError with the valid values."""
    shape = spec.shape[axis:]
    if not shape:
        return _decode_one(name, spec, value)
    if is_lettered(spec) and len(shape) == 1 and isinstance(value, str):
        value = list(value)
    if not isinstance(value, list) or len(value) != shape[0]:
        raise ValueError(describe_wrong(name, spec, value))
    return [decode_value(name, spec, part, axis + 1) for part in value]


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


def _find_name(name: str, spec: Field, value: Any) -> int:
    """Return the index of a name; case counts only where needed. Raises ValueError that lists the names."""
    if isinstance(value, str):
        names, word = list(spec.names), value.strip()
        for one in (value, word):  # a name may be a space
            if one in names:
                return names.index(one)
        alike = [k for k, other in enumerate(names) if other.casefold() == word.casefold()]
        if len(alike) == 1:
            return alike[0]
    raise ValueError(f"{value!r:.100} is not a {name}; use one of {', '.join(spec.names)}")


# --- observations


def _encode_field(spec: Field, observations: Observations, name: str) -> Any:
    values = observations.fields[name]
    if values.nbytes < LARGE_FIELD or spec.ragged:
        return column_values(spec, observations, name)[0]
    names = spec.names if isinstance(spec.names, str) else tuple(spec.names)
    return _encode_shared(spec.dtype, spec.shape, names, values.tobytes())


@lru_cache(maxsize=32)
def _encode_shared(dtype: str, shape: tuple[int, ...], names: Sequence[str], data: bytes) -> orjson.Fragment:
    """Return values as JSON, encoded once if several bots of a match observe the same board."""
    values = np.frombuffer(data, dtype).reshape(shape)
    return orjson.Fragment(orjson.dumps(encode_values(Field(dtype, shape, names=names), values)))


def column_values(spec: Field, observations: Observations, name: str) -> list[Any]:
    """Return the values of one field of the observations as JSON, row by row."""
    array = observations.fields[name]
    if spec.ragged is None:
        return [encode_values(spec, row) for row in array]
    ends = np.cumsum(observations.fields[spec.ragged]).tolist()
    return [encode_values(spec, array[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


def encode_values(spec: Field, values: Array) -> Any:
    """Encode values of a field as JSON: numbers, names, or texts of letters."""
    if not spec.names:
        return np.asarray(values).astype(spec.dtype).tolist()
    return _encode_names(spec, np.asarray(values).astype(np.int64).tolist())


def _encode_names(spec: Field, values: Any) -> Any:
    if not isinstance(values, list):
        return spec.names[values] if 0 <= values < len(spec.names) else values
    if is_lettered(spec) and all(isinstance(value, int) and 0 <= value < len(spec.names) for value in values):
        return "".join(spec.names[value] for value in values)
    return [_encode_names(spec, value) for value in values]
