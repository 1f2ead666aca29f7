"""Wires as transcripts: what is said, what is heard, without a process."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.engine.batch import Batch
from koth.game import FAULT, Field, Observations, Question
from koth.games import load
from koth.games.zombies.protocol import Json
from koth.games.zombies.state import MOVES, PLAYER, SHOOT, STAY, ZOMBIE, Settings
from koth.protocol.bot_protocol import REPEATS, Answer, Ended, Fault, JsonProtocol, Message, Ready, Stale, limit_note
from koth.protocol.frames import BYE, HEADER, HELLO, MOST_ERRORS, MOST_JSON, FramesProtocol
from tests.games.zombies import notation

GAME = load("zombies")
SETTINGS = Settings(vision=2, shoot_range=1, players=2)


FACTS = {"names": ["Ann", "Bob"], "seat": 0, "side": 9}


class Conversation:
    """A protocol, what was asked over it last, and what it makes of messages."""

    def __init__(self, protocol: JsonProtocol | FramesProtocol) -> None:
        self.protocol = protocol
        self.observations = dict(Batch(GAME, SETTINGS, 2, [4]).observations.of_match(0))[0]
        self.hello = protocol.hello(FACTS)

    def ask(self) -> bytes:
        return self.protocol.ask(self.observations)

    def decode(self, message: bytes | dict[str, Any]) -> Message:
        return self.protocol.decode(message if isinstance(message, bytes) else json.dumps(message).encode())

    def answer(self, message: bytes | dict[str, Any]) -> Answer:
        meaning = self.decode(message)
        assert isinstance(meaning, Answer), meaning
        return meaning

    def fault(self, message: bytes | dict[str, Any]) -> Fault:
        meaning = self.decode(message)
        assert isinstance(meaning, Fault), meaning
        return meaning


@pytest.fixture
def lines() -> Conversation:
    return Conversation(JsonProtocol(Json()))


@pytest.fixture
def frames() -> Conversation:
    return Conversation(FramesProtocol(GAME.questions(SETTINGS, 2)))


# --- JSON lines


def test_json_from_hello_to_bye(lines: Conversation) -> None:
    assert lines.hello == b'{"hello":{"names":["Ann","Bob"],"seat":0,"side":9}}\n'
    assert isinstance(lines.decode(b'{"ready": true}'), Ready)
    said = json.loads(lines.ask())
    assert list(said) == ["ask", "question", "clock", "players"]
    assert (said["ask"], said["question"], said["clock"]) == (1, "act", 0)
    assert [p["number"] for p in said["players"]] == [0, 1]
    answer = lines.answer({"ask": 1, "moves": {"0": "NORTH", "1": "west "}})
    assert answer.fields["action"].tolist() == [MOVES.index("NORTH"), MOVES.index("WEST")]
    assert answer.fault.tolist() == [0, 0]
    assert answer.errors == []
    assert json.loads(lines.ask())["ask"] == 2
    assert lines.protocol.bye([]) == b'{"bye":true}\n'


def test_every_message_is_one_line(lines: Conversation) -> None:
    for data in (lines.hello, lines.ask(), lines.protocol.bye([])):
        assert data.endswith(b"\n")
        assert data.count(b"\n") == 1


def test_an_old_number_is_stale(lines: Conversation) -> None:
    lines.ask()
    lines.ask()
    assert isinstance(lines.decode({"ask": 1, "moves": {}}), Stale)
    assert isinstance(lines.decode({"ask": 2, "moves": {}}), Answer)
    assert isinstance(lines.decode({"ask": 2, "moves": {}}), Stale)


@pytest.mark.parametrize("number", [2, 99, 0, -1, 1 << 62])
def test_an_unknown_number_does_not_end_the_question(lines: Conversation, number: int) -> None:
    lines.ask()
    assert lines.fault({"ask": number, "moves": {}}) == Fault(
        "unasked", f"there was no question {number}; {REPEATS}", ends=False
    )
    assert isinstance(lines.decode({"ask": 1, "moves": {}}), Answer)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (b"", "not JSON"),
        (b"hello", "not JSON"),
        (b'{"ask": 1', "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"ask": NaN}', "not JSON"),
        (b'{"ask": 1e999}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'"\\ud800"', "not JSON"),
        (b"null", "a message must be a JSON object"),
        (b"[]", "a message must be a JSON object"),
        (b"{}", 'an answer must repeat the number of its question: "ask"'),
        (b'{"ask": null}', '"ask" must be the number of its question, not null'),
        (b'{"ask": true}', '"ask" must be the number of its question, not true'),
        (b'{"ask": 1.5}', '"ask" must be the number of its question, not 1.5'),
        (b'{"ask": 1}', 'an answer must have "moves": an object with a move by player number'),
        (b'{"ask": 1, "moves": [1]}', 'an answer must have "moves": an object with a move by player number'),
    ],
)
def test_garbage(lines: Conversation, message: bytes, text: str) -> None:
    lines.ask()
    fault = lines.fault(message)
    assert (fault.kind, fault.ends) == ("garbage", True)
    assert fault.text.startswith(text)


def test_players_and_their_answers(lines: Conversation) -> None:
    lines.ask()
    answer = lines.answer({"ask": 1, "moves": {"1": "UP", "2": "EAST", "x": "EAST"}})
    assert answer.fields["action"].tolist() == [STAY, STAY]
    assert answer.fault.tolist() == [FAULT["missing"], FAULT["illegal"]]
    assert [row for row, _ in answer.errors] == [0, 1, -1]
    assert answer.errors[0][1] == "no answer for player 0"


@pytest.mark.parametrize(
    ("move", "target"),
    [
        ({"shoot": ["Zombie", 7]}, 7 << 8 | ZOMBIE),
        ({"shoot": ["Ann", 1]}, 1 << 8 | PLAYER),
        ({"shoot": ["Bob", (1 << 24) - 1]}, ((1 << 24) - 1) << 8 | (PLAYER + 1)),
        ({"shoot": None}, 0),
        ({"shoot": ["Nobody", 1]}, 0),
        ({"shoot": ["Zombie", 1 << 24]}, 0),
        ({"shoot": ["Zombie", -1]}, 0),
        ({"shoot": ["Zombie", "7"]}, 0),
        ({"shoot": ["Zombie", True]}, 0),
        ({"shoot": [7, "Zombie"]}, 0),
        ({"shoot": {}}, 0),
    ],
)
def test_shots(lines: Conversation, move: Any, target: int) -> None:
    lines.ask()
    answer = lines.answer({"ask": 1, "moves": {"0": move, "1": "STAY"}})
    assert answer.fields["action"].tolist() == [SHOOT, STAY]
    assert answer.fields["target"].tolist() == [target, 0]
    assert answer.errors == []


@pytest.mark.parametrize(
    "move", [None, 3, "", "NORTH-EAST", [], {}, {"shoot": None, "and": "NORTH"}, True, "ＮＯＲＴＨ"]
)
def test_what_is_no_move(lines: Conversation, move: Any) -> None:
    lines.ask()
    answer = lines.answer({"ask": 1, "moves": {"0": move, "1": "STAY"}})
    assert answer.fault.tolist() == [FAULT["illegal"], 0]
    assert answer.fields["action"].tolist() == [STAY, STAY]
    assert "player 0: " in answer.errors[0][1]


def test_what_the_question_shows() -> None:
    state = notation.parse(
        """
        seats 2
        seed 1
        clock 7
        .  .  z9 .  .
        .  .  .  .  .
        B1 .  A0 .  #8
        .  .  .  .  .
        .  .  .  .  .
        """,
        SETTINGS,
    )
    batch = Batch.from_state(GAME, SETTINGS, 2, state)
    protocol = JsonProtocol(Json())
    protocol.hello(FACTS)
    said = json.loads(protocol.ask(dict(batch.observations.of_match(0))[0]))
    player = said["players"][0]
    assert said["clock"] == 7
    assert [player[key] for key in ("number", "x", "y")] == [0, 2, 2]
    assert {tuple(seen[:3]) for seen in player["seen"]} >= {
        (0, -2, "Zombie"),
        (2, 0, "DeadBody"),
        (-2, 0, "Bob"),
    }
    assert [0, 0] not in [seen[:2] for seen in player["seen"]]


# --- notes


@pytest.mark.parametrize("note", [None, 0, "text", [1, {"a": None}], {"deep": [[[[[[[[]]]]]]]]}])
def test_notes_are_kept(lines: Conversation, note: Any) -> None:
    lines.ask()
    assert lines.answer({"ask": 1, "moves": {}, "note": note}).note == note


def test_notes_that_are_not_kept() -> None:
    deep: Any = 0
    for _ in range(260):
        deep = [deep]
    assert limit_note(deep) == "(not kept: nested too deeply)"
    assert limit_note("x" * 16_400) == "(not kept: 16418 bytes, at most 16384 are)"


# --- frames


def frame(number: int, rows: int, payload: bytes, kind: int = 1) -> bytes:
    return HEADER.pack(len(payload), number, kind, 0, rows) + payload


def payload(action: list[int], target: list[int], fault: list[int], tail: bytes = b"") -> bytes:
    return bytes(action) + struct.pack(f"<{len(target)}I", *target) + bytes(fault) + tail


def test_frames_from_hello_to_bye(frames: Conversation) -> None:
    size, number, kind, _, rows = HEADER.unpack_from(frames.hello)
    assert (size, number, kind, rows) == (len(frames.hello) - HEADER.size, 0, HELLO, 0)
    told = json.loads(frames.hello[HEADER.size :])
    assert told["facts"] == FACTS
    assert [q["name"] for q in told["questions"]] == ["act"]
    assert told["questions"][0]["view"][0] == ["window", "<u4", [5, 5], None, True]
    assert told["questions"][0]["view"][1] == ["number", "<i4", [], None, False]
    assert told["questions"][0]["answer"] == [["action", "|u1", [], 4], ["target", "<u4", [], 0]]
    assert isinstance(frames.decode(frame(0, 0, b"", HELLO)), Ready)

    asked = frames.ask()
    size, number, kind, _, rows = HEADER.unpack_from(asked)
    assert (size, number, kind, rows) == (len(asked) - HEADER.size, 1, 1, 2)
    assert np.frombuffer(asked, "<i4", 2, HEADER.size).tolist() == [0, 1]
    seen = [
        [(at, code) for at, code in enumerate(row) if code]
        for row in frames.observations.fields["window"].reshape(2, 25).tolist()
    ]
    assert [dict(row)[12] for row in seen] == [0 << 8 | PLAYER, 1 << 8 | PLAYER]  # itself in the middle
    every = [*seen[0], *seen[1]]
    assert asked[HEADER.size + 8 :] == b"".join(
        [
            struct.pack("<2H", len(seen[0]), len(seen[1])),
            struct.pack(f"<{len(every)}H", *(at for at, _ in every)),
            struct.pack(f"<{len(every)}I", *(code for _, code in every)),
            *(frames.observations.fields[name].tobytes() for name in ("number", "bullets", "x", "y", "clock")),
        ]
    )

    answer = frames.answer(frame(1, 2, payload([9, 4], [77, 0], [0, 6], b'{"errors":[[1,"no"]],"note":[1]}')))
    assert answer.fields["action"].tolist() == [9, 4]
    assert answer.fields["target"].tolist() == [77, 0]
    assert answer.fault.tolist() == [0, FAULT["error"]]
    assert answer.errors == [(1, "no")]
    assert answer.note == [1]
    assert frames.protocol.bye([]) == HEADER.pack(0, 0, BYE, 0, 0)


GOOD = payload([4, 4], [0, 0], [0, 0])


def test_old_and_future_frames(frames: Conversation) -> None:
    frames.ask()
    frames.ask()
    assert isinstance(frames.decode(frame(1, 2, GOOD)), Stale)
    assert frames.decode(frame(3, 2, GOOD)) == Fault("unasked", "there was no question 3", ends=False)
    assert isinstance(frames.decode(frame(2, 2, GOOD)), Answer)
    assert isinstance(frames.decode(frame(2, 2, GOOD)), Stale)


@pytest.mark.parametrize(
    "message",
    [
        frame(1, 1, payload([4], [0], [0])),
        frame(1, 3, payload([4] * 3, [0] * 3, [0] * 3)),
        frame(1, 2, GOOD, kind=2),
        frame(1, 2, GOOD[:-1]),
        frame(1, 2, GOOD[:5]),
        frame(1, 2, b""),
        frame(1, 2, payload([4, 4], [0, 0], [0, len(FAULT)])),
        frame(1, 2, GOOD + b"{"),
        frame(1, 2, GOOD + b"[]"),
        frame(1, 2, GOOD + b'{"errors": 3}'),
        frame(1, 2, GOOD + b'{"errors": [3]}'),
        frame(1, 2, GOOD + b'{"errors": [["a", "b"]]}'),
        frame(1, 2, GOOD + b'{"errors": [[1e999, "b"]]}'),
        frame(1, 2, GOOD + b"[" * 5000),
        frame(0, 0, b"", BYE),
        frame(0, 0, b"[]", BYE),
        frame(0, 0, b'{"kind": "crash"}', BYE),
    ],
)
def test_frames_that_answer_nothing(frames: Conversation, message: bytes) -> None:
    frames.ask()
    fault = frames.fault(message)
    assert (fault.kind, fault.ends) == ("garbage", True)


def test_errors_about_rows_that_are_not_there(frames: Conversation) -> None:
    frames.ask()
    tail = b'{"errors": [[-1, "a"], [2, "b"], [99999999999, "c"], [1, "d"]]}'
    assert frames.answer(frame(1, 2, GOOD + tail)).errors == [(1, "d")]


def test_only_so_many_errors_are_read(frames: Conversation) -> None:
    """Half a million would fit, which take koth a second and more."""
    frames.ask()
    tail = b'{"errors": [%s]}' % b",".join([b'[1, ""]'] * (MOST_ERRORS + 1))
    assert frames.answer(frame(1, 2, GOOD + tail)).errors == [(1, "")] * MOST_ERRORS


def test_too_much_json_costs_no_answer(frames: Conversation) -> None:
    frames.ask()
    heard = frames.answer(frame(1, 2, GOOD + b'{"note": "%s"}' % (b"x" * MOST_JSON)))
    assert heard.fault.tolist() == [0, 0]
    assert (heard.drawn, str(heard.note)[:10]) == (None, "(not kept,")


@pytest.mark.parametrize(("told", "kind"), [("crash", "crash"), ("memory", "memory"), ("anything", "crash")])
def test_last_words(frames: Conversation, told: str, kind: str) -> None:
    frames.ask()
    words = json.dumps({"kind": told, "text": "it is over"}).encode()
    assert frames.decode(frame(0, 0, words, BYE)) == Ended(kind, "it is over")


def test_last_words_as_deep_as_json_may_be(frames: Conversation) -> None:
    """Deeper than some versions of Python write it."""
    frames.ask()
    words = b'{"kind": "crash", "text": %s%s}' % (b"[" * 1020, b"]" * 1020)
    assert isinstance(frames.decode(frame(0, 0, words, BYE)), Fault | Ended)


def test_fields_of_every_kind_are_plain_arrays() -> None:
    answer = {"yes": Field("?"), "step": Field("i1", (3,)), "point": Field("<f4")}
    question = Question("q", {}, answer, 4)
    protocol = FramesProtocol({"q": question})
    rows = np.arange(2, dtype=np.int32)
    protocol.ask(Observations(question, rows * 0, rows * 0, rows, {}))
    points = struct.pack("<2f", 1.5, -0.0)
    heard = protocol.decode(frame(1, 2, bytes([7, 0]) + bytes([1, 2, 255, 4, 5, 6]) + points + bytes(2)))
    assert heard.fields["yes"].view(np.uint8).tolist() == [1, 0]
    assert heard.fields["step"].tolist() == [[1, 2, -1], [4, 5, 6]]
    assert heard.fields["point"].tolist() == [1.5, 0.0]
    assert heard.fields["point"].dtype == np.float32


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_none(value: float) -> None:
    question = Question("q", {}, {"point": Field("<f4")}, 4)
    protocol = FramesProtocol({"q": question})
    row = np.zeros(1, dtype=np.int32)
    protocol.ask(Observations(question, row, row, row, {}))
    assert protocol.decode(frame(1, 1, struct.pack("<f", value) + bytes(1))) == Fault(
        "garbage", "point has a value that is not finite"
    )


# --- anything at all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
ANSWERS = st.fixed_dictionaries(
    {"ask": st.sampled_from([0, 1, 2, 3]) | JSON},
    optional={
        "moves": st.dictionaries(st.sampled_from(["0", "1", "2"]) | st.text(max_size=3), JSON) | JSON,
        "note": JSON,
    },
)


@given(st.lists(st.binary(max_size=60) | ANSWERS, max_size=6))
def test_json_never_raises(messages: list[bytes | dict[str, Any]]) -> None:
    talk = Conversation(JsonProtocol(Json()))
    talk.ask()
    talk.ask()
    for message in messages:
        meaning = talk.decode(message)
        assert isinstance(meaning, Answer | Fault | Ready | Stale)
        if isinstance(meaning, Answer):
            assert len(meaning.fault) == len(talk.observations)


@given(
    st.integers(0, 3),
    st.sampled_from([0, 1, 2, BYE]),
    st.integers(0, 5),
    st.binary(max_size=40),
    JSON | st.fixed_dictionaries({"errors": JSON, "note": JSON}),
)
def test_frames_never_raise(number: int, kind: int, rows: int, data: bytes, tail: Any) -> None:
    talk = Conversation(FramesProtocol(GAME.questions(SETTINGS, 2)))
    talk.ask()
    talk.ask()
    for load_ in (data, GOOD + data, GOOD + json.dumps(tail).encode()):
        assert isinstance(talk.decode(frame(number, rows, load_, kind)), Answer | Fault | Ready | Stale | Ended)
