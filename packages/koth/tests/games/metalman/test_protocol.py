"""The JSON protocol as a transcript, and what is read of actions good and bad."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.game import FAULT, Observations, no_answers
from koth.games.metalman import GAME
from koth.games.metalman.percepts import percepts, plain, read_action
from koth.protocol.bot_protocol import Fault, JsonProtocol, Message, Ready
from tests.games.metalman.boards import begin

TEXT = """
    timer 3
    x x   x    x    x x
    x F   F    S1<O F x
    x F   S0^  A0>  W x
    x F   F    F    F x
    x A1v F    F    F x
    x x   x    x    x x
    """

PERCEPTS = {
    "board": [
        [0, 0, 0, 0, 0, -1],
        [-1, 1, 1, {"playerId": 1, "direction": [0, -1], "type": "spotter", "square": 2}, 1, -1],
        [-1, -1, 1, 1, 0, -1],
        [-1, -1, -1, -1, 1, -1],
        [-1, -1, -1, -1, -1, -1],
        [-1, -1, -1, -1, -1, -1],
    ],
    "timer": 3,
    "circles collapsed": 1,
    "spotter location": (2, 2),
    "assasin location": (2, 3),
    "spotter alive": True,
    "assasin alive": True,
    "spotter direction": [-1, 0],
    "assasin direction": [0, 1],
}


def first_question(text: str = TEXT) -> tuple[Batch, Observations]:
    batch = begin(text)
    return batch, batch.observations


def opened(batch: Batch) -> JsonProtocol:
    """A protocol that has said hello for player 0."""
    protocol = GAME.protocols["json"](batch.settings, 2)
    protocol.hello(GAME.match_info(batch.settings, batch.state, 0, 0))
    return protocol


def hear(text: str, message: Any) -> Message:
    batch, observations = first_question(text)
    protocol = opened(batch)
    protocol.ask(observations)
    return protocol.decode(json.dumps({"ask": 1, **message}).encode())


def test_rule_15_percepts_are_the_statements() -> None:
    _, observations = first_question()
    told = percepts({name: array.ravel().tolist() for name, array in observations.fields.items()}, 6)
    assert told == PERCEPTS
    assert list(told) == list(PERCEPTS)
    enemy = told["board"][1][3]
    assert list(enemy) == ["playerId", "direction", "type", "square"]
    assert type(told["spotter location"]) is tuple
    assert type(told["spotter direction"]) is list
    assert type(told["spotter alive"]) is bool
    assert type(told["board"][0][0]) is int


def test_transcript() -> None:
    batch, observations = first_question()
    protocol = GAME.protocols["json"](batch.settings, 2)
    hello = json.loads(protocol.hello(GAME.match_info(batch.settings, batch.state, 0, 0)))
    assert hello["hello"]["spotter"] == [2, 2]
    assert hello["hello"]["spotter_steps"] == 2
    assert isinstance(protocol.decode(b'{"ready": true}'), Ready)
    question = json.loads(protocol.ask(observations))
    assert question == {"ask": 1, "question": "act", **json.loads(json.dumps(PERCEPTS))}
    heard = protocol.decode(
        b'{"ask":1,"Spotter":{"moves":[[-1,0],[0,-1]],"direction":[1,0]},'
        b'"Assasin":{"moves":[[0,0],[1,0]],"direction":[0,-1]},"Debug":{"plan":["b",1]}}'
    )
    assert heard.fields["spotter_moves"].tolist() == [[0, 3]]
    assert heard.fields["spotter_direction"].tolist() == [2]
    assert heard.fields["assassin_moves"].tolist() == [[4, 2, 4, 4]]
    assert heard.fields["assassin_direction"].tolist() == [3]
    assert heard.fault.tolist() == [FAULT["none"]]
    assert heard.note == {"Debug": {"plan": ["b", 1]}}
    assert protocol.bye([]) == b'{"bye":true}\n'


def test_next_question_shows_the_other_player() -> None:
    batch, observations = first_question()
    batch.answer(no_answers(observations, batch.nobody_gone()))
    protocol = GAME.protocols["json"](batch.settings, 2)
    protocol.hello(GAME.match_info(batch.settings, batch.state, 0, 1))
    question = json.loads(protocol.ask(batch.observations))
    assert question["spotter location"] == [1, 3]
    assert question["board"][2][2]["playerId"] == 0


def test_rule_8_what_is_wrong_is_recorded_the_rest_counts() -> None:
    heard = hear(TEXT, {"Spotter": {"moves": [[-1, 1], [0, 1]], "direction": "up"}, "Assasin": {"moves": 7}})
    assert heard.fields["spotter_moves"].tolist() == [[4, 1]]
    assert heard.fields["spotter_direction"].tolist() == [4]
    assert heard.fields["assassin_moves"].tolist() == [[4, 4, 4, 4]]
    assert heard.fault[0] == FAULT["illegal"]
    assert [text for _, text in heard.errors] == [
        "Assasin direction is missing",
        "Spotter moves must be steps like [-1, 0], not [-1, 1]",
        "Spotter direction must be one of [-1, 0], [0, 1], [1, 0], [0, -1], not 'up'",
        "Assasin moves must be a list, not 7",
    ]


def test_rule_8_missing_parts() -> None:
    heard = hear(TEXT, {"Assasin": {"moves": [], "direction": [1, 0]}})
    assert heard.fault[0] == FAULT["missing"]
    assert heard.fields["assassin_direction"].tolist() == [2]
    assert heard.errors == [(0, "Spotter is missing")]


def test_what_is_no_action_at_all() -> None:
    batch, observations = first_question()
    protocol = opened(batch)
    protocol.ask(observations)
    assert isinstance(protocol.decode(b"[1]"), Fault)
    assert isinstance(protocol.decode(b'{"Spotter": {}}'), Fault)


GOOD = {"Spotter": {"moves": [], "direction": [0, 1]}, "Assasin": {"moves": [], "direction": [0, 1]}}


@pytest.mark.parametrize(
    ("moves", "codes", "faults"),
    [
        ([[-1, 0], [0, 1]], [0, 1], 0),
        (((1, 0), (0, -1)), [2, 3], 0),
        ([(0, 0), [1, 0]], [4, 2], 0),
        ([[1, 0], [1, 0], "nonsense beyond the second"], [2, 2], 0),
        ([[np.int64(1), np.int8(0)]], [2], 0),
        ([], [], 0),
        ([[1, 1], [1, 0]], [4, 2], 1),
        ([[2, 0], [1]], [4, 4], 2),
        ([[1.0, 0]], [4], 1),
        ([[True, False]], [4], 1),
        ([None, {"row": 1}], [4, 4], 2),
        ("up", [], 1),
        (None, [], 1),
        ({}, [], 1),
    ],
)
def test_rule_8_moves(moves: object, codes: list[int], faults: int) -> None:
    action = read_action({**GOOD, "Spotter": {"moves": moves, "direction": [0, 1]}}, (2, 4), (1, 1))
    assert action.moves[0] == codes
    assert len(action.illegal) == faults
    assert action.direction == (1, 1)


def test_rule_8_no_action() -> None:
    assert read_action(None, (2, 4), (1, 1)).missing == ["there is no action"]
    assert read_action([GOOD], (2, 4), (1, 1)).illegal[0].startswith("an action must be a dictionary")
    assert read_action({}, (2, 4), (1, 1)).missing == ["Spotter is missing", "Assasin is missing"]


def test_rule_8_words_that_are_spelled_otherwise() -> None:
    said = {"spotter": GOOD["Spotter"], "Assassin": GOOD["Assasin"]}
    assert read_action(said, (2, 4), (1, 1)).missing == [
        "Spotter is missing: 'spotter' is spelled otherwise",
        "Assasin is missing: 'Assassin' is spelled otherwise",
    ]
    said = {"Spotter": {"move": [], "Direction": [0, 1]}, "Assasin": {"moves": [], "facing": [0, 1]}}
    assert read_action(said, (2, 4), (1, 1)).missing == [
        "Spotter moves is missing: 'move' is spelled otherwise",
        "Spotter direction is missing: 'Direction' is spelled otherwise",
        "Assasin direction is missing",
    ]


def test_rule_7_nothing_is_wrong_with_what_is_said_of_the_dead() -> None:
    said = {"Spotter": {"moves": [[9, 9]], "direction": [1, 0]}, "Assasin": {"moves": [], "direction": [0, 1]}}
    action = read_action(said, (2, 4), (0, 1))
    assert action.missing == action.illegal == []
    assert action.direction == (2, 1)
    assert read_action({"Assasin": GOOD["Assasin"]}, (2, 4), (0, 1)).missing == []


def test_notes_are_plain_json() -> None:
    class Strange:
        pass

    note = {
        (1, 2): {3, 1},
        "nan": float("nan"),
        "far": -float("inf"),
        "huge": 10**5000,
        "broken": "\ud800!",
        "array": np.arange(3),
        "strange": Strange(),
        1: True,
    }
    endless: list[object] = []
    endless.append(endless)
    assert plain(note) == {
        "[1, 2]": [1, 3],
        "nan": "nan",
        "far": "-inf",
        "huge": "<int>",
        "broken": "?!",
        "array": [0, 1, 2],
        "strange": "<Strange>",
        "1": True,
    }
    json.dumps(plain(endless), allow_nan=False)
