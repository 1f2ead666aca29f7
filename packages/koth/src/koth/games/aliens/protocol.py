"""Aliens in JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from koth.game import Array, Observations, Question
from koth.games.aliens.observation import ITSELF
from koth.games.aliens.rules import are_legal
from koth.protocol.bot_protocol import Answer
from koth.protocol.declared import decode_by_number, decode_value
from koth.protocol.encoded_rows import encode_values
from koth.protocol.shapes import by_number_schema, closed_object, field_schema

OWN = ["number" if name == "instance" else name for name in ITSELF]
"""The keys of an alien's own properties."""
KEYS = {"points": "points", "move": "moves", "meet": "fights"}
"""The key of the values in each question's answer."""


class Json:
    """The content of the messages. Instances are named by their number within the species.

    * `points`: `{"instances": [0, 1, ...]}`; back `{"points": {number: [life, strength, defense, vision,
      cleverness]}}`.
    * `move`: `{"aliens": [{"number", "hp", "levels", "sight", "blur", "fields"}]}`, where `levels` has the
      five abilities and `fields` a string per column of the window, so that `fields[x][y]` is a square and
      `fields[sight][sight]` its own; back `{"moves": {number: move}}` with moves like `"NORTH"`.
    * `meet`: the same with `enemy`, four levels, instead of `fields`; back `{"fights": {number: true or false}}`.
    """

    def ask(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        observation = {name: values.tolist() for name, values in observations.fields.items() if name != "window"}
        if observations.question.name == "points":
            return {"instances": observation["instance"]}
        columns = zip(*(observation[name] for name in ITSELF), strict=True)
        aliens: list[dict[str, Any]] = [dict(zip(OWN, values, strict=True)) for values in columns]
        if observations.question.name == "meet":
            for alien, enemy in zip(aliens, observation["enemy"], strict=True):
                alien["enemy"] = enemy
            return {"aliens": aliens}
        window = observations.fields["window"].tobytes().decode("ascii")
        at = 0
        for alien in aliens:
            size = 2 * alien["sight"] + 1
            alien["fields"] = [window[at + size * x : at + size * (x + 1)] for x in range(size)]
            at += size * size
        return {"aliens": aliens}

    def decode(self, match_info: Mapping[str, Any], observations: Observations, message: dict[str, Any]) -> Answer:
        name = observations.question.name
        given = message.get(KEYS[name])
        if not isinstance(given, dict):
            raise ValueError(f'an answer to this question must have "{KEYS[name]}": an object by instance number')
        readers: dict[str, Callable[[Any], dict[str, Any]]]
        readers = {
            "points": partial(_points, match_info["points"]),
            "move": partial(_move, observations),
            "meet": _wish,
        }
        answer = Answer.default(observations)
        decode_by_number(answer, observations, given, "instance", readers[name])
        return answer

    def example(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        name = observations.question.name
        value: Any = {"points": [match_info["points"] / 5] * 5, "move": "STAY", "meet": True}[name]
        return {KEYS[name]: dict.fromkeys(map(str, observations.question.labels(observations)), value)}

    def encode(
        self, match_info: Mapping[str, Any], observations: Observations, fields: Mapping[str, Array]
    ) -> dict[str, Any]:
        ((name, values),) = fields.items()
        spec = observations.question.answer[name]
        said = values.astype(bool).tolist() if name == "fight" else [encode_values(spec, row) for row in values]
        return {
            KEYS[observations.question.name]: dict(
                zip(map(str, observations.question.labels(observations)), said, strict=True)
            )
        }

    def schema(self, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        name, observation = question.name, {key: field_schema(spec) for key, spec in question.observation.items()}
        fights = {"type": "boolean", "description": "true: it wants to fight, false: it wants peace"}
        said = fights if name == "meet" else field_schema(question.answer[name])
        answer = {KEYS[name]: by_number_schema(said)}
        if name == "points":
            return {"instances": {"type": "array", "items": observation["instance"]}}, answer
        alien = {key: observation[name] for key, name in zip(OWN, ITSELF, strict=True)}
        if name == "meet":
            alien["enemy"] = observation["enemy"]
        else:
            columns = {"type": "array", "items": {"type": "string"}}
            alien["fields"] = {**columns, "description": question.observation["window"].doc}
        title = "Meeting" if name == "meet" else "Alien"
        return {"aliens": {"type": "array", "items": {"title": title, **closed_object(alien)}}}, answer


def _points(most: int, value: Any) -> dict[str, Any]:
    numbers = isinstance(value, list) and all(type(number) in (int, float) for number in value)
    if numbers and len(value) == 5:
        with np.errstate(over="ignore"):
            points = np.array(value, dtype=np.float64).astype(np.float32)
        if are_legal(points, most):
            return {"points": points}
    raise ValueError(f"{value!r:.200} are not legal points: five numbers of 0 or more, together at most {most}")


def _move(observations: Observations, value: Any) -> dict[str, Any]:
    return {"move": decode_value("move", observations.question.answer["move"], value)}


def _wish(value: Any) -> dict[str, Any]:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r:.100} is neither true nor false")
    return {"fight": value}
