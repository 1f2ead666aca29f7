"""Aliens in JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from koth.bots.wires import Answer
from koth.game import Asks
from koth.games.aliens.rules import are_legal
from koth.games.aliens.state import MOVES


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
        key, field, read = {
            "points": ("points", "points", lambda value: _points(value, facts["points"])),
            "move": ("moves", "move", _move),
            "meet": ("fights", "fight", _wish),
        }[asks.question.name]
        given = message.get(key)
        if not isinstance(given, dict):
            raise ValueError(f'an answer to this question must have "{key}": an object by instance number')
        return _answer(asks, given, field, read)


def _answer(asks: Asks, given: Mapping[str, Any], field: str, read: Callable[[Any], Any]) -> Answer:
    answer = Answer.default(asks)
    numbers = [str(number) for number in asks.view["instance"].tolist()]
    for row, number in enumerate(numbers):
        if number not in given:
            answer.blame(row, "missing", f"no answer for instance {number}")
            continue
        try:
            answer.fields[field][row] = read(given[number])
        except (TypeError, ValueError, OverflowError) as error:
            answer.blame(row, "illegal", f"instance {number}: {error}")
    strangers = sorted(set(given) - set(numbers))
    if strangers:
        answer.errors.append((-1, f"answers for instances that were not asked: {', '.join(strangers)[:200]}"))
    return answer


def _points(value: Any, most: int) -> Any:
    numbers = isinstance(value, list) and all(type(number) in (int, float) for number in value)
    if numbers and len(value) == 5:
        with np.errstate(over="ignore"):
            points = np.array(value, dtype=np.float64).astype(np.float32)
        if are_legal(points, most):
            return points
    raise ValueError(f"{value!r:.200} are no legal points: five numbers of 0 or more, together at most {most}")


def _move(value: Any) -> int:
    name = value.strip().upper() if isinstance(value, str) else value
    if name not in MOVES:
        raise ValueError(f"{value!r:.100} is no move; use one of {', '.join(MOVES)}")
    return MOVES.index(name)


def _wish(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r:.100} is neither true nor false")
    return value
