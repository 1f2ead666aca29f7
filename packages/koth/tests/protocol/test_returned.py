"""Returned values of classes, decoded as answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from koth.game import FAULT, Question
from koth.protocol.bot_protocol import Answer, Ended, Fault, Ready
from koth.protocol.declared import Declared
from koth.protocol.returned import ReturnedProtocol
from tests.protocol.test_declared import ONE, SEVERAL, asked

ONLY = Question("go", observation=ONE.observation, answer={"steps": ONE.answer["steps"]}, max_rows=2)
UNITS = Question("go", observation=ONE.observation, answer=ONLY.answer, max_rows=2, units="health")
WHOLE = {"move": "up", "weights": [0, 1], "loud": True, "steps": 2}


def protocol(question: Question, rows: int) -> ReturnedProtocol:
    """The protocol with an open question."""
    made = ReturnedProtocol(Declared())
    made.hello({"bank": 1, "strikes": 2})
    assert made.decode(b'{"ready": true}') == Ready()
    message = json.loads(made.ask(asked(question, rows)))
    assert message["ask"] == 1
    return made


def returned(question: Question, value: Any, rows: int = 1) -> Answer:
    """The answer that a class gives by returning this."""
    message = protocol(question, rows).decode(json.dumps({"ask": 1, "returned": value}).encode())
    assert isinstance(message, Answer)
    return message


def test_answers() -> None:
    whole = returned(ONE, WHOLE)
    assert (whole.fields["move"].tolist(), whole.fields["steps"].tolist(), whole.fault.tolist()) == ([0], [2], [0])
    for value in (4, {"steps": 4}):
        assert returned(ONLY, value).fields["steps"].tolist() == [4]
    for value in ({"90": 3, "7": 5}, {"steps": {"90": 3, "7": 5}}):
        assert returned(UNITS, value, 2).fields["steps"].tolist() == [3, 5]


WANTED = "act must return a dict with 'move' and 'weights' and 'loud' and 'steps', not "


@pytest.mark.parametrize(
    ("question", "value", "kind", "text"),
    [
        (ONE, None, "missing", "act returned None: is a return missing?"),
        (ONE, "up", "illegal", WANTED + "'up'"),
        (ONE, {"moev": "up"}, "illegal", WANTED + "{'moev': 'up'}"),
        (ONE, {"move": "up", "weights": [0, 1], "loud": True}, "missing", "there is no steps"),
        (ONE, {**WHOLE, "steps": 9}, "illegal", "steps must be a whole number in 1..5, not 9"),
        (ONE, {**WHOLE, "move": "north"}, "illegal", "'north' is not a move; use one of up, down, left, right"),
        (ONE, {**WHOLE, "loud": 1}, "illegal", "loud must be true or false, not 1"),
        (ONE, {**WHOLE, "weights": 1}, "illegal", "weights must be a list of 2, each a number in 0..1, not 1"),
        (ONLY, [], "illegal", "steps must be a whole number in 1..5, not []"),
        (ONLY, {"step": 1}, "illegal", "act must return a dict with 'steps', not {'step': 1}"),
        (UNITS, 3, "illegal", '"steps" must be an object: a value by the number of each unit'),
        (UNITS, {"90": 3}, "missing", "no steps for body 7"),
        (UNITS, {"90": 3, "7": 9}, "illegal", "body 7: steps must be a whole number in 1..5, not 9"),
    ],
)
def test_errors_name_the_field_and_the_valid_values(question: Question, value: Any, kind: str, text: str) -> None:
    answer = returned(question, value, 2 if question.units else 1)
    assert (answer.fault[-1], text in [told for _, told in answer.errors]) == (FAULT[kind], True)
    default = question.answer["steps"].default
    assert answer.fields["steps"][-1] == default


def test_an_exception_is_an_error_of_every_unit() -> None:
    answer = protocol(SEVERAL, 2).decode(b'{"ask": 1, "error": "KeyError: 1", "note": "n", "draw": [1]}')
    assert list(answer.row_faults()) == [("error", "KeyError: 1")] * 2
    assert (answer.note, answer.drawn) == ("n", [1])


def test_the_bots_end_comes_with_its_reason() -> None:
    assert protocol(ONE, 1).decode(b'{"crash": "KeyError: 1 (bot.py, line 2)"}') == Ended(
        "crash", "KeyError: 1 (bot.py, line 2)"
    )
    for words in (b'{"crash": ', b'{"crash": %s%s}' % (b"[" * 1020, b"]" * 1020)):
        assert isinstance(protocol(ONE, 1).decode(words), Fault)


@pytest.mark.parametrize(("question", "rows"), [(ONE, 1), (ONLY, 1), (SEVERAL, 2), (UNITS, 2)])
def test_what_is_shown_as_an_answer_is_one(question: Question, rows: int) -> None:
    """The example, and an answer that is written again."""
    example = protocol(question, rows).example(1, asked(question, rows))
    answer = protocol(question, rows).decode(example.encode())
    assert not answer.fault.any()
    again = protocol(question, rows).encode_answer(1, asked(question, rows), answer.fields)
    assert json.loads(again) == json.loads(example)
