"""Frames: questions of all games as bytes, and bytes as answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.adapter import bot_adapter, kit
from koth.adapter.bot_adapter import make_answer_buffers, split_fields
from koth.engine.batch import Batch
from koth.game import FAULT, FAULTS, Field, Observations, Question, no_answers
from koth.games import GAMES
from koth.games import load as load_game
from koth.protocol.bot_protocol import Answer, Fault, Stale
from koth.protocol.declared import Declared
from koth.protocol.encoded_rows import EncodedRows
from koth.protocol.frames import HEADER, FramesProtocol, frame_size

SHAPES = Question(
    "shapes",
    observation={"seen": Field("u1", (2,))},
    answer={"move": Field("i1"), "fight": Field("b1"), "points": Field("f4", (3,)), "weight": Field("f8")},
    max_rows=9,
)


def questions_of_all_games() -> Iterator[tuple[str, Observations]]:
    """Every question that some game asks in a few turns, of several seats."""
    for name in GAMES:
        game = load_game(name)
        settings = next(iter(game.rulesets.values()))
        batch = Batch(game, settings, max(4, game.seats.start) if game.contest_defaults.seats is None else 4, [5])
        while batch.observations is not None and batch.turn < 3:
            yield name, batch.observations
            batch.answer(no_answers(batch.observations, batch.nobody_gone()))


def test_frames_are_cut_for_all_as_for_each() -> None:
    """Whole, ragged and sparse fields, of every question of every game."""
    asked = set()
    for game, observations in questions_of_all_games():
        questions = {observations.question.name: observations.question}
        encoded = EncodedRows(observations)
        for (seat, rows), row_range in zip(
            observations.of_match(0), observations.row_ranges(0).values(), strict=True
        ):
            frame = FramesProtocol(questions).ask_rows(encoded, row_range)
            assert frame == FramesProtocol(questions).ask(rows), (game, observations.question.name, seat)
            assert len(frame) == HEADER.size + HEADER.unpack_from(frame)[0] == frame_size(frame)
        asked.add((game, observations.question.name))
    assert {("aliens", "move"), ("zombies", "act"), ("metalman", "act"), ("pacman", "move")} <= asked


def test_arrays_in_any_order_are_sent_in_the_order_of_their_rows() -> None:
    big = np.arange(12, dtype=np.uint8).reshape(3, 4)
    none = np.zeros(3, np.int32)
    for seen in (big[:, :2], np.asfortranarray(big[:, :2]), big[:, 1::2]):
        frame = FramesProtocol({"shapes": SHAPES}).ask(Observations(SHAPES, none, none, none, {"seen": seen}))
        assert frame[HEADER.size + none.nbytes :] == seen.tobytes()


@pytest.mark.parametrize("dtype", ["int", "?", "bool", "i2", "<f4", "uint8", "float"])
def test_a_dtype_may_be_spelled_in_any_way(dtype: str) -> None:
    """Bots' runners know NumPy's own spelling alone."""
    question = Question("move", {"seen": Field(dtype, (3,))}, {"move": Field(dtype)}, max_rows=1)
    hello = json.loads(FramesProtocol({"move": question}).hello({})[HEADER.size :])
    (told,) = hello["questions"]
    seen = np.array([1, 0, 1], dtype)
    payload = memoryview(np.zeros(1, np.int32).tobytes() + seen.tobytes())
    assert split_fields(told, 1, payload)["seen"].tolist() == seen.tolist()
    assert make_answer_buffers(told, 1)["move"].nbytes == seen.itemsize


def test_arrays_that_do_not_match_their_fields() -> None:
    none = np.zeros(2, np.int32)
    for wrong in (np.zeros((2, 2), np.int32), np.zeros((2, 3), np.uint8)):
        with pytest.raises(TypeError, match="question shapes: seen is "):
            EncodedRows(Observations(SHAPES, none, none, none, {"seen": wrong})).cut(0, 2)


class Asked:
    """A bot that was asked `SHAPES` for two rows."""

    def __init__(self) -> None:
        none = np.zeros(2, np.int32)
        self.protocol = FramesProtocol({"shapes": SHAPES, "other": replace(SHAPES, name="other")})
        self.protocol.ask(Observations(SHAPES, none, none, none, {"seen": np.zeros((2, 2), np.uint8)}))

    @staticmethod
    def frame(payload: bytes, number: int = 1, kind: int = 1, rows: int = 2) -> bytes:
        return HEADER.pack(len(payload), number, kind, 0, rows) + payload


def payload(points: float = 1.5, weight: float = 2.5, fight: int = 1, fault: int = 0) -> bytes:
    """The answer's arrays for two rows."""
    arrays = [
        np.array([3, 4], np.int8), np.array([fight, 0], np.uint8), np.array([[points, 0, -1], [0, 0, 7]], np.float32),
        np.array([0, weight], np.float64), np.array([0, fault], np.uint8),
    ]  # fmt: skip
    return b"".join(array.tobytes() for array in arrays)


BAD_CODE = "the frame has a fault code other than those of error, missing and illegal"


def test_a_plain_answer_is_taken() -> None:
    answer = Asked().protocol.decode(Asked.frame(payload(fight=9)))
    assert answer.fields["move"].tolist() == [3, 4]
    assert answer.fields["fight"].tolist() == [True, False]
    assert answer.fields["fight"].view(np.uint8).tolist() == [1, 0]
    assert answer.fields["points"].tolist() == [[1.5, 0, -1], [0, 0, 7]]
    assert answer.fields["weight"].tolist() == [0, 2.5]
    assert not answer.has_faults


@pytest.mark.parametrize(
    ("spec", "value", "told"),
    [
        (Field("u1", names=("up", "down"), default=1), 2, None),
        (Field("u1", names=("up", "down"), default=1), 1, None),
        (Field("i1", default=2, low=1, high=5), -1, -1),
        (Field("i1", default=2, low=1, high=5), 5, 5),
        (Field("<i2", (2,), high=9), [-(2**15), 10], [-(2**15), 10]),
        (Field("<i2", (2,), high=9), [-(2**15), 9], [-(2**15), 9]),
        (Field("<f4", low=0, high=1.5), 1.75, 1.75),
        (Field("<f4", low=0, high=1.5), 1.5, 1.5),
    ],
)
def test_a_value_is_as_valid_as_in_json(spec: Field, value: Any, told: Any) -> None:
    question = Question("q", {}, {"field": spec}, max_rows=1)
    observations = Observations(question, *np.zeros((3, 1), np.int32), {})
    protocol = FramesProtocol({"q": question})
    protocol.ask(observations)
    answer = protocol.decode(Asked.frame(np.array(value, spec.dtype).tobytes() + b"\0", rows=1))
    assert isinstance(answer, Answer)
    if told is None:
        told = spec.names[value] if value < len(spec.names) else value
    as_json = Declared().decode({}, observations, {"field": told})
    assert answer.fault.tolist() == as_json.fault.tolist()
    assert answer.fields["field"].tolist() == as_json.fields["field"].tolist()
    assert bool(answer.errors) == bool(as_json.errors) == (not spec.allows(np.array(value)).all())
    if not spec.names and not spec.shape:
        assert answer.errors == as_json.errors


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (Asked.frame(payload(points=math.nan)), "points has a value that is not finite"),
        (Asked.frame(payload(points=-math.inf)), "points has a value that is not finite"),
        (Asked.frame(payload(weight=math.inf)), "weight has a value that is not finite"),
        (Asked.frame(payload(weight=math.nan)), "weight has a value that is not finite"),
        *((Asked.frame(payload(fault=code)), BAD_CODE) for code in (200, FAULT["late"], FAULT["memory"])),
        (Asked.frame(payload(), number=2), "there was no question 2"),
        (Asked.frame(payload(), kind=2), "a frame of kind 2 with 2 rows does not answer this question"),
        (Asked.frame(payload(), rows=1), "a frame of kind 1 with 1 rows does not answer this question"),
        (Asked.frame(payload()[:-1]), "the frame is too short"),
    ],
)
def test_a_bad_answer_is_a_fault(message: bytes, text: str) -> None:
    decoded = Asked().protocol.decode(message)
    assert isinstance(decoded, Fault)
    assert decoded.text == text


@given(st.data())
def test_any_bytes_are_decoded(data: st.DataObject) -> None:
    frame = bytearray(Asked.frame(payload(points=3e38, weight=1e300)))
    for _ in range(data.draw(st.integers(0, 3))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    decoded = Asked().protocol.decode(bytes(frame))
    if isinstance(decoded, Answer):
        assert all(np.isfinite(decoded.fields[name]).all() for name in ("points", "weight"))
        assert (decoded.fault < len(FAULT)).all()


def test_faults_come_with_the_answer() -> None:
    answer = Asked().protocol.decode(Asked.frame(payload(fault=FAULT["error"])))
    assert answer.has_faults
    assert answer.fault.tolist() == [0, FAULT["error"]]


def test_a_question_is_answered_once() -> None:
    asked = Asked()
    assert isinstance(asked.protocol.decode(Asked.frame(payload())), Answer)
    assert isinstance(asked.protocol.decode(Asked.frame(payload())), Stale)


def test_the_adapter_has_the_codes_of_faults() -> None:
    """It stands alone beside the bot, so it can't import them."""
    assert [FAULTS[code] for code in (bot_adapter.ERROR, kit.MISSING, kit.ILLEGAL)] == ["error", "missing", "illegal"]
