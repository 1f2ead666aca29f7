"""JSON lines: what is written and what is understood, as a transcript."""

from __future__ import annotations

import json
from typing import Any

import pytest

from koth.engine.batch import Batch
from koth.game import FAULTS, Observations, no_answers
from koth.games.aliens import GAME
from koth.games.aliens.state import MOVES
from koth.protocol.bot_protocol import Answer, Fault, JsonProtocol, Ready
from tests.games.aliens.boards import SMALL, Planet

TEXT = """
    .  w0    .  .
    .  A0+B1 .  A2
    .  .     .  .
    .  .     c1 .
    A0 12hp 1 1.5 3.2 3 5
    A2 10hp 1 1 1 1 1
"""


def opened() -> JsonProtocol:
    """A protocol for seat A that is ready."""
    protocol = GAME.protocols["json"](SMALL, 2)
    batch = Batch(GAME, SMALL, 2, [1])
    match_info = GAME.match_info(SMALL, batch.state, 0, 0)
    hello = json.loads(protocol.hello(match_info))
    assert hello == {"hello": match_info}
    assert match_info == {
        "instances": 4,
        "prey_instances": 2,
        "points": 10,
        "rounds": 50,
        "side": 7,
        "base_hp": 10,
        "hp_per_life": 5,
        "moves": list(MOVES),
        "prey": ["Whale", "Cow", "Turtle", "Eagle", "Human"],
    }
    assert isinstance(protocol.decode(b'{"ready":true}'), Ready)
    return protocol


def mine(batch: Batch) -> Observations:
    """The rows of seat A."""
    return dict(batch.observations.of_match(0))[0]


def points_asked() -> tuple[JsonProtocol, Observations]:
    protocol = opened()
    observations = mine(Batch(GAME, SMALL, 2, [1]))
    assert json.loads(protocol.ask(observations)) == {"ask": 1, "question": "points", "instances": [0, 1, 2, 3]}
    return protocol, observations


def said(answer: object) -> tuple[list[str], list[tuple[int, str]]]:
    return [FAULTS[code] for code in answer.fault.tolist()], answer.errors


def test_setting_up() -> None:
    protocol, _ = points_asked()
    given = {"0": [1, 2, 3, 4, 0], "1": [2.5, 2.5, 2.5, 2.5, 0], "2": [10, 0, 0, 0, 0], "3": [0, 0, 0, 0, 0]}
    answer = protocol.decode(json.dumps({"ask": 1, "points": given}).encode())
    assert said(answer) == (["none"] * 4, [])
    assert answer.fields["points"].tolist() == list(given.values())


@pytest.mark.parametrize(
    "points",
    [
        [11, 0, 0, 0, 0], [5, 5, 0.001, 0, 0], [-1, 0, 0, 0, 0], [1, 2, 3], [1] * 6, "ten", None, 10,
        [True, 1, 1, 1, 1], ["1", 1, 1, 1, 1], [1e300, 0, 0, 0, 0],
    ],
)  # fmt: skip
def test_a_mistake_while_setting_up_is_reported_and_the_others_live(points: Any) -> None:
    protocol, _ = points_asked()
    given = {"0": [2] * 5, "1": points, "3": [2] * 5}
    kinds, errors = said(protocol.decode(json.dumps({"ask": 1, "points": given}).encode()))
    assert kinds == ["none", "illegal", "missing", "none"]
    assert "instance 1: " in errors[0][1]
    assert "five numbers of 0 or more, together at most 10" in errors[0][1]
    assert errors[1] == (2, "no answer for instance 2")


def test_points_that_are_not_finite_are_no_json_of_ours() -> None:
    protocol, _ = points_asked()
    answer = protocol.decode(b'{"ask": 1, "points": {"0": [NaN, 0, 0, 0, 0], "1": [Infinity, 0, 0, 0, 0]}}')
    if isinstance(answer, Answer):
        assert said(answer)[0][:2] == ["illegal", "illegal"]
    else:
        assert isinstance(answer, Fault)
        assert answer.kind == "garbage"


def test_moving_and_meeting() -> None:
    protocol = opened()
    planet = Planet(TEXT, fights={"B1": False})
    itself = {"number": 0, "hp": 12, "levels": [1, 2, 3, 3, 5], "sight": 2, "blur": 3}
    observations = mine(planet.batch)
    message = json.loads(protocol.ask(observations))
    assert message["question"] == "move"
    shown = message["aliens"][0].pop("fields")
    assert message["aliens"] == [
        itself,
        {"number": 2, "hp": 10, "levels": [1] * 5, "sight": 1, "blur": 1, "fields": ["   ", " A ", "   "]},
    ]
    # Columns from the west; the board is as wide as four squares, so the edges of this window are one column.
    assert shown[0] == shown[4] == "  A  "
    assert shown[2] == " WA  "
    assert shown[3] == "C   C"
    answer = protocol.decode(b'{"ask": 1, "moves": {"0": " stay ", "2": "NORTHWEST"}}')
    assert answer.fields["move"].tolist() == [8, 7]
    planet.batch.answer(planet.answer(planet.batch.observations))  # type: ignore[arg-type]
    meeting = mine(planet.batch)
    message = json.loads(protocol.ask(meeting))
    assert message == {"ask": 2, "question": "meet", "aliens": [{**itself, "enemy": message["aliens"][0]["enemy"]}]}
    assert all(value in (1, 2) for value in message["aliens"][0]["enemy"])
    answer = protocol.decode(b'{"ask": 2, "fights": {"0": false}}')
    assert answer.fields["fight"].tolist() == [0]


@pytest.mark.parametrize("value", ['"UP"', "3", "null", "[]", '{"shoot": 1}', "true"])
def test_what_is_no_move_is_stay(value: str) -> None:
    protocol = opened()
    protocol.ask(mine(Planet(TEXT).batch))
    answer = protocol.decode(f'{{"ask": 1, "moves": {{"0": {value}, "2": "EAST", "7": "EAST"}}}}'.encode())
    kinds, errors = said(answer)
    assert kinds == ["illegal", "none"]
    assert "is not a move; use one of NORTH, NORTHEAST" in errors[0][1]
    assert errors[1] == (-1, "there was no question about instance 7")
    assert answer.fields["move"].tolist() == [8, 2]


@pytest.mark.parametrize("value", ["1", '"yes"', "null", "[]"])
def test_what_is_neither_true_nor_false_is_fight(value: str) -> None:
    protocol = opened()
    planet = Planet(TEXT)
    planet.batch.answer(no_answers(planet.batch.observations, planet.batch.nobody_gone()))
    protocol.ask(mine(planet.batch))
    answer = protocol.decode(f'{{"ask": 1, "fights": {{"0": {value}}}}}'.encode())
    assert said(answer) == (["illegal"], [(0, f"instance 0: {json.loads(value)!r} is neither true nor false")])
    assert answer.fields["fight"].tolist() == [1]


@pytest.mark.parametrize("message", [b'{"ask": 1}', b'{"ask": 1, "moves": []}', b'{"ask": 1, "points": {}}'])
def test_the_wrong_kind_of_answer(message: bytes) -> None:
    protocol = opened()
    protocol.ask(mine(Planet(TEXT).batch))
    fault = protocol.decode(message)
    assert isinstance(fault, Fault)
    assert fault.text == 'an answer to this question must have "moves": an object by instance number'
