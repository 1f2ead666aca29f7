"""Frames as kernels write and read them, for all bots of a question at once; and clocks as they read them."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.engine.batch import Batch
from koth.game import FAULT, Buffers, Field, Observations, Question, no_answers
from koth.games import GAMES
from koth.games import load as load_game
from koth.protocol.bot_protocol import Answer
from koth.protocol.frames import HEADER, OPEN, TAKEN, FramesProtocol, Layout, check_frame, take_frame
from koth.session.bot_adapter import answer_buffers, split
from koth.session.cpu_time import RunDelay, clock_time, has_run_delay, thread_times

SHAPES = Question(
    "shapes",
    observation={"seen": Field("u1", (2,))},
    answer={"move": Field("i1"), "fight": Field("b1"), "points": Field("f4", (3,)), "weight": Field("f8")},
    max_rows=9,
)


@pytest.mark.skipif(not has_run_delay(), reason="this system does not say how long threads wait")
def test_clocks_tell_the_same_as_files() -> None:
    scratch = np.zeros(16, np.int64)
    before = time.monotonic_ns()
    assert before <= clock_time(time.CLOCK_MONOTONIC, scratch) <= time.monotonic_ns()
    assert clock_time(99, scratch) == -1
    queue = RunDelay("/proc/thread-self/schedstat")
    first = queue.read()
    run, wait = thread_times(queue.file, scratch)
    last = queue.read()
    queue.close()
    assert first is not None
    assert last is not None
    assert first[0] <= run <= last[0]
    assert first[1] <= wait <= last[1]
    assert thread_times(-1, scratch) == (-1, -1)


def questions_of_all_games() -> Iterator[tuple[str, Observations]]:
    """Every question that some game asks in a few turns, of several seats."""
    for name in GAMES:
        game = load_game(name)
        settings = next(iter(game.rulesets.values()))
        batch = Batch(game, settings, max(4, game.seats.start) if game.contest_defaults.table is None else 4, [5])
        while batch.observations is not None and batch.turn < 3:
            yield name, batch.observations
            batch.answer(no_answers(batch.observations, batch.nobody_gone()))


def test_frames_are_written_for_all_as_for_each() -> None:
    """Whole, ragged and sparse fields, of every question of every game."""
    asked = set()
    for game, observations in questions_of_all_games():
        questions = {observations.question.name: observations.question}
        row_ranges = observations.row_ranges(0)
        open_questions = np.zeros(1 + max(row_ranges), OPEN)
        for seat, (first, last) in row_ranges.items():
            open_questions[seat]["first"], open_questions[seat]["last"] = first, last
        seats = np.array(list(row_ranges))
        data, starts = Layout(observations).write(observations, open_questions, seats, 1, np.empty(0, np.uint8))
        for i, (seat, rows) in enumerate(observations.of_match(0)):
            frame = data[starts[i] : starts[i + 1]].tobytes()
            assert frame == FramesProtocol(questions).ask(rows), (game, observations.question.name, seat)
            assert len(frame) == HEADER.size + HEADER.unpack_from(frame)[0]
        asked.add((game, observations.question.name))
    assert {("aliens", "move"), ("zombies", "act"), ("metalman", "act"), ("pacman", "move")} <= asked


def test_questions_are_found_where_they_lie_now() -> None:
    """One layout writes questions of several buffers, and of arrays that are in none."""
    question = Question("move", {"seen": Field("<i4")}, {"move": Field("i1")}, max_rows=4)
    layout = Layout(Observations(question, *[np.zeros(0, np.int32)] * 3, {"seen": np.zeros(0, np.int32)}))
    rooms = [Buffers({"move": question}, 1), Buffers({"move": question}, 1)]
    for turn in range(12):
        buffers, rows = rooms[turn // 2 % 2], 1 + turn % 3
        index, observation = buffers.arrays("move")
        index.unit[:] = observation.seen[:] = turn
        observations = buffers.observations("move", rows)
        if turn % 4 == 3:
            observations = Observations(
                question,
                observations.match,
                observations.seat,
                observations.unit.copy(),
                {"seen": observations.fields["seen"] + 1},
            )
        opened = np.zeros(1, OPEN)
        opened["last"] = rows
        data, starts = layout.write(observations, opened, np.zeros(1, np.int64), 1, np.empty(0, np.uint8))
        told = data[HEADER.size : starts[1]].view(np.int32).tolist()
        assert told == [turn] * rows + [turn + (turn % 4 == 3)] * rows


@pytest.mark.parametrize("dtype", ["int", "?", "bool", "i2", "<f4", "uint8", "float"])
def test_a_dtype_may_be_spelled_in_any_way(dtype: str) -> None:
    """Bots' runners know NumPy's own spelling alone."""
    question = Question("move", {"seen": Field(dtype, (3,))}, {"move": Field(dtype)}, max_rows=1)
    hello = json.loads(FramesProtocol({"move": question}).hello({})[HEADER.size :])
    (told,) = hello["questions"]
    seen = np.array([1, 0, 1], dtype)
    payload = memoryview(np.zeros(1, np.int32).tobytes() + seen.tobytes())
    assert split(told, 1, payload)["seen"].tolist() == seen.tolist()
    assert answer_buffers(told, 1)["move"].nbytes == seen.itemsize


def test_arrays_that_do_not_match_their_fields() -> None:
    none = np.zeros(2, np.int32)
    for wrong in (np.zeros((2, 2), np.int32), np.zeros((2, 3), np.uint8)):
        with pytest.raises(TypeError, match="question shapes: seen is "):
            Layout(Observations(SHAPES, none, none, none, {"seen": wrong}))


class Heard:
    """One bot's answer to the question `SHAPES`, read by the protocol and by the kernel."""

    rows = 2

    def __init__(self) -> None:
        observation = {"seen": np.zeros((self.rows, 2), np.uint8)}
        none = np.zeros(self.rows, np.int32)
        self.observations = Observations(SHAPES, none, none, none, observation)
        self.protocol = FramesProtocol({"shapes": SHAPES})
        self.protocol.ask(self.observations)
        self.open = np.array([(1, 1, 0, self.rows, 0)], OPEN)[0]

    @staticmethod
    def frame(payload: bytes, number: int = 1, kind: int = 1, rows: int = 2) -> bytes:
        return HEADER.pack(len(payload), number, kind, 0, rows) + payload

    def by_kernel(self, message: bytes) -> dict[str, np.ndarray[Any, Any]] | None:
        """Return the answers that the kernel writes from a frame; None if it does not take it."""
        answers = no_answers(self.observations, np.zeros((1, 1), np.bool_))
        table = Layout(self.observations).columns_of(answers)
        arrays = np.frombuffer(bytearray(message), np.uint8)
        if check_frame(self.open, arrays, len(arrays), table) != TAKEN:
            assert answers.fields["move"].tolist() == [0, 0]
            return None
        take_frame(arrays, self.rows, table, 0)
        return {**answers.fields, "fault": answers.fault}


def payload(points: float = 1.5, weight: float = 2.5, fight: int = 1, fault: int = 0) -> bytes:
    """The answer's arrays for two rows."""
    arrays = [
        np.array([3, 4], np.int8), np.array([fight, 0], np.uint8), np.array([[points, 0, -1], [0, 0, 7]], np.float32),
        np.array([0, weight], np.float64), np.array([0, fault], np.uint8),
    ]  # fmt: skip
    return b"".join(array.tobytes() for array in arrays)


def test_a_plain_answer_is_taken() -> None:
    taken = Heard().by_kernel(Heard.frame(payload(fight=9)))
    assert taken is not None
    assert taken["move"].tolist() == [3, 4]
    assert taken["fight"].tolist() == [True, False]
    assert taken["fight"].view(np.uint8).tolist() == [1, 0]
    assert taken["points"].tolist() == [[1.5, 0, -1], [0, 0, 7]]
    assert taken["weight"].tolist() == [0, 2.5]


@pytest.mark.parametrize(
    "message",
    [
        Heard.frame(payload(points=math.nan)),
        Heard.frame(payload(points=-math.inf)),
        Heard.frame(payload(weight=math.inf)),
        Heard.frame(payload(weight=math.nan)),
        Heard.frame(payload(fault=200)),
        Heard.frame(payload(), number=2),
        Heard.frame(payload(), kind=2),
        Heard.frame(payload(), rows=1),
        Heard.frame(payload()[:-1]),
    ],
)
def test_what_is_no_answer_is_not_taken(message: bytes) -> None:
    assert Heard().by_kernel(message) is None


@given(st.data())
def test_kernel_and_protocol_decode_alike(data: st.DataObject) -> None:
    frame = bytearray(Heard.frame(payload(points=3e38, weight=1e300)))
    for _ in range(data.draw(st.integers(0, 3))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    heard = Heard()
    taken = heard.by_kernel(bytes(frame))
    meaning = heard.protocol.decode(bytes(frame))
    if taken is None:
        assert not isinstance(meaning, Answer)
    elif isinstance(meaning, Answer):
        for name, values in meaning.fields.items():
            assert np.array_equal(values, taken[name])
        assert np.array_equal(meaning.fault, taken["fault"])


def test_faults_come_with_the_answer() -> None:
    taken = Heard().by_kernel(Heard.frame(payload(fault=FAULT["error"])))
    assert taken is not None
    assert taken["fault"].tolist() == [0, FAULT["error"]]
