"""Aliens in JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from koth.game import Array, Asks, Question
from koth.games.aliens.rules import are_legal
from koth.protocol.declared import by_number, read, written
from koth.protocol.shapes import by_number_schema, closed, field_schema
from koth.protocol.wires import Answer

KEYS = {"points": "points", "move": "moves", "meet": "fights"}
"""Where an answer has its values, by question."""


class Json:
    """The content of the messages. Instances are named by their number within the species.

    * `points`: `{"instances": [0, 1, ...]}`; back `{"points": {number: [life, strength, defense, vision,
      cleverness]}}`.
    * `move`: `{"aliens": [{"number", "hp", "levels", "sight", "blur", "fields"}]}`, where `levels` has the
      five abilities and `fields` a string per column of the window, so that `fields[x][y]` is a square and
      `fields[sight][sight]` its own; back `{"moves": {number: move}}` with moves like `"NORTH"`.
    * `meet`: the same with `enemy`, four levels, instead of `fields`; back `{"fights": {number: true or false}}`.
    """

    def ask(self, facts: Mapping[str, Any], asks: Asks) -> dict[str, Any]:
        view = {name: values.tolist() for name, values in asks.view.items() if name != "window"}
        if asks.question.name == "points":
            return {"instances": view["instance"]}
        columns = zip(*(view[name] for name in ("instance", "hp", "levels", "sight", "blur")), strict=True)
        aliens: list[dict[str, Any]] = [
            {"number": number, "hp": hp, "levels": levels, "sight": sight, "blur": blur}
            for number, hp, levels, sight, blur in columns
        ]
        if asks.question.name == "meet":
            for alien, enemy in zip(aliens, view["enemy"], strict=True):
                alien["enemy"] = enemy
            return {"aliens": aliens}
        window = asks.view["window"].tobytes().decode("ascii")
        at = 0
        for alien in aliens:
            size = 2 * alien["sight"] + 1
            alien["fields"] = [window[at + size * x : at + size * (x + 1)] for x in range(size)]
            at += size * size
        return {"aliens": aliens}

    def hear(self, facts: Mapping[str, Any], asks: Asks, message: dict[str, Any]) -> Answer:
        name = asks.question.name
        given = message.get(KEYS[name])
        if not isinstance(given, dict):
            raise ValueError(f'an answer to this question must have "{KEYS[name]}": an object by instance number')
        readers: dict[str, Callable[[Any], dict[str, Any]]]
        readers = {"points": partial(_points, facts["points"]), "move": partial(_move, asks), "meet": _wish}
        answer = Answer.default(asks)
        by_number(answer, asks, given, "instance", readers[name])
        return answer

    def example(self, facts: Mapping[str, Any], asks: Asks) -> dict[str, Any]:
        name = asks.question.name
        value: Any = {"points": [facts["points"] / 5] * 5, "move": "STAY", "meet": True}[name]
        return {KEYS[name]: dict.fromkeys(map(str, asks.question.labels(asks)), value)}

    def say(self, facts: Mapping[str, Any], asks: Asks, fields: Mapping[str, Array]) -> dict[str, Any]:
        ((name, values),) = fields.items()
        spec = asks.question.answer[name]
        said = values.astype(bool).tolist() if name == "fight" else [written(spec, row) for row in values]
        return {KEYS[asks.question.name]: dict(zip(map(str, asks.question.labels(asks)), said, strict=True))}

    def schema(self, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        name, view = question.name, {key: field_schema(spec) for key, spec in question.view.items()}
        said = {"type": "boolean"} if name == "meet" else field_schema(question.answer[name])
        answer = {KEYS[name]: by_number_schema(said)}
        if name == "points":
            return {"instances": {"type": "array", "items": view["instance"]}}, answer
        alien = {"number": view["instance"], **{key: view[key] for key in ("hp", "levels", "sight", "blur")}}
        if name == "meet":
            alien["enemy"] = view["enemy"]
        else:
            columns = {"type": "array", "items": {"type": "string"}}
            alien["fields"] = {**columns, "description": question.view["window"].doc}
        title = "Meeting" if name == "meet" else "Alien"
        return {"aliens": {"type": "array", "items": {"title": title, **closed(alien)}}}, answer


def _points(most: int, value: Any) -> dict[str, Any]:
    numbers = isinstance(value, list) and all(type(number) in (int, float) for number in value)
    if numbers and len(value) == 5:
        with np.errstate(over="ignore"):
            points = np.array(value, dtype=np.float64).astype(np.float32)
        if are_legal(points, most):
            return {"points": points}
    raise ValueError(f"{value!r:.200} are no legal points: five numbers of 0 or more, together at most {most}")


def _move(asks: Asks, value: Any) -> dict[str, Any]:
    return {"move": read("move", asks.question.answer["move"], value)}


def _wish(value: Any) -> dict[str, Any]:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r:.100} is neither true nor false")
    return {"fight": value}
