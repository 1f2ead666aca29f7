"""The contract's own machinery: questions, answers, and batches, on a game that fits into a test."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import pytest

from koth.buffers import SMALL
from koth.engine.batch import Batch
from koth.engine.contract import find_frame_problem
from koth.errors import KothError
from koth.game import (
    FAULT,
    FAULTS,
    Agents,
    Answers,
    Array,
    Buffers,
    Field,
    Question,
    Turn,
    copy_state,
    default_answers,
    no_answers,
    observation_fields,
    state_hash,
    zero_state,
)
from koth.games import load
from koth.games.defaults import Defaults
from koth.testing import LAWS, Case

ADD = Question(
    "add",
    observation={
        "sum": Field("<i4"),
        "count": Field("<i4"),
        "steps": Field("<i2", ragged="count"),
    },
    answer={"step": Field("i1", default=1), "wish": Field("<f4", (2,), default=-1)},
    max_rows=2,
    doc="How much is added?",
)


class Sums(NamedTuple):
    """Two seats add up to 3 each until the sum is 10, or 12 turns have passed."""

    seed: Array  # int64[M]
    turns: Array  # int32[M]
    sum: Array  # int32[M]
    steps: Array  # int16[M, 32] everything added so far
    count: Array  # int32[M]
    mark: Array  # uint8[M] scratch


class Adding:
    """Both are asked in odd turns, nobody in even ones; the opening asks seat 0 for the first number."""

    name = "adding"
    seats = range(2, 3)
    rulesets: ClassVar = {"published": None}

    def questions(self, settings: None, seats: int) -> dict[str, Question]:
        return {"add": ADD}

    def initial_state(self, settings: None, seats: int, seeds: Sequence[int]) -> Sums:
        n, i4 = len(seeds), np.int32
        zeros = [np.zeros(n, i4), np.zeros(n, i4), np.zeros((n, 32), np.int16), np.zeros(n, i4)]
        return Sums(np.array(seeds, np.int64), *zeros, np.zeros(n, np.uint8))

    def _ask(self, state: Sums, buffers: Buffers, rows: list[tuple[int, int]]) -> Turn:
        total = sum(int(state.count[m]) for m, _ in rows)
        index, observation = buffers.arrays("add", count=total)
        place = 0
        for row, (m, seat) in enumerate(rows):
            count = int(state.count[m])
            index.match[row], index.seat[row], index.unit[row] = m, seat, seat
            observation.sum[row], observation.count[row] = state.sum[m], count
            observation.steps[place : place + count] = state.steps[m, :count]
            place += count
        observations = buffers.observations("add", len(rows), count=total)
        answers = yield observations
        for row in range(len(observations)):
            m = observations.match[row]
            step = max(0, min(3, int(answers["step"][row])))
            state.steps[m, state.count[m]] = step
            state.count[m] += 1
            state.sum[m] += step
            state.mark[m] += 1

    def opening(self, settings: None, state: Sums, buffers: Buffers) -> Turn:
        yield from self._ask(state, buffers, [(m, 0) for m in range(len(state.seed))])

    def turn(self, settings: None, state: Sums, buffers: Buffers) -> Turn:
        playing = ~self.over(state)
        state.turns[playing] += 1
        odd = np.flatnonzero(playing & (state.turns % 2 == 1))
        yield from self._ask(state, buffers, [(m, seat) for m in odd for seat in (0, 1)])

    def over(self, state: Sums) -> Array:
        return (state.sum >= 10) | (state.turns >= 12)

    def scores(self, settings: None, state: Sums) -> Array:
        return np.repeat(state.sum[:, None], 2, axis=1).astype(np.float64)

    def scratch(self) -> frozenset[str]:
        return frozenset({"mark"})


GAME: Any = Adding()


def answer(batch: Batch, *steps: int) -> None:
    answers = no_answers(batch.observations, batch.nobody_gone())
    answers["step"][:] = steps
    batch.answer(answers)


def test_faults_have_codes_and_none_is_0() -> None:
    assert FAULTS[FAULT["late"]] == "late"
    assert FAULT["none"] == 0
    assert len(FAULT) == len(FAULTS) < 256


def test_default_answers_have_the_fields_shapes_and_defaults() -> None:
    fields = default_answers(ADD, 3)
    assert fields["step"].dtype == np.int8
    assert fields["step"].tolist() == [1, 1, 1]
    assert fields["wish"].dtype == np.float32
    assert fields["wish"].tolist() == [[-1, -1]] * 3


def test_a_batch_asks_the_opening_and_then_every_turn() -> None:
    batch = Batch(GAME, None, 2, [1])
    turns = []
    batch.on_turn = lambda: turns.append((batch.turn, int(batch.state.sum[0])))
    assert (batch.turn, batch.observations.seat.tolist()) == (0, [0])
    answer(batch, 2)
    assert batch.observations.seat.tolist() == [0, 1]
    answer(batch, 1, 3)  # turn 2 asks nobody and is over at once
    assert turns == [(0, 2), (1, 6), (2, 6)]
    assert batch.observations.fields["steps"].tolist() == [2, 1, 3] * 2
    answer(batch, 3, 3)
    assert batch.observations is None
    assert batch.turn == 3
    assert batch.state.sum[0] == 12


def test_a_new_batch_is_at_its_start_until_its_question_is_looked_at() -> None:
    batch = Batch(GAME, None, 2, [1], copies=True)
    state, turns = batch.state, []
    batch.on_turn = lambda: turns.append(batch.turn)
    assert (state.turns[0], turns) == (0, [])
    assert batch.copy().copy().state.turns[0] == 0
    answer(batch, 2)
    assert batch.observations.seat.tolist() == [0, 1]
    assert state.turns[0] == 1


def test_turns_without_questions_are_reported_from_the_start() -> None:
    state = GAME.initial_state(None, 2, [1])
    state.turns[0] = 1
    batch = Batch.from_state(GAME, None, 2, state)
    turns = []
    batch.on_turn = lambda: turns.append((batch.turn, int(state.turns[0])))
    assert batch.observations.seat.tolist() == [0, 1]
    assert turns == [(1, 2)]


class Endless(Adding):
    """After the opening nobody is asked, and no match is ever over."""

    def turn(self, settings: None, state: Sums, buffers: Buffers) -> Turn:
        yield from ()

    def over(self, state: Sums) -> Array:
        return np.zeros(len(state.seed), np.bool_)


def test_a_match_that_asks_nobody_any_more_must_end() -> None:
    batch = Batch(Endless(), None, 2, [1])  # type: ignore[arg-type]
    words = "the game adding, turn 10000: no bot was asked in 10,000 turns in a row, and the match is not over"
    with pytest.raises(KothError, match=words):
        answer(batch, 2)


@pytest.mark.parametrize("shape", [(1, 2), (2, 3), (2,)])
def test_gone_has_every_match_and_seat(shape: tuple[int, ...]) -> None:
    batch = Batch(GAME, None, 2, [1, 2])
    with pytest.raises(ValueError, match=r"`gone` has the shape .*, not \(2, 2\)"):
        batch.answer(no_answers(batch.observations, np.zeros(shape, np.bool_)))


def test_an_answer_to_no_question_is_refused() -> None:
    batch = Batch.from_state(GAME, None, 2, GAME.initial_state(None, 2, [1]))
    batch.state.sum[0] = 9
    answers = no_answers(batch.observations, batch.nobody_gone())
    batch.answer(answers)
    with pytest.raises(RuntimeError, match="every match is over"):
        batch.answer(answers)


def test_a_match_without_rows_and_one_that_is_over_do_not_stop_the_others() -> None:
    batch = Batch(GAME, None, 2, [1, 2])
    answer(batch, 3, 0)
    answer(batch, 3, 3, 0, 0)
    assert batch.state.sum.tolist() == [9, 0]
    answer(batch, 3, 0, 0, 0)
    assert GAME.over(batch.state).tolist() == [True, False]
    before = [array[0].copy() for array in batch.state]
    while batch.observations is not None:
        assert set(batch.observations.match.tolist()) == {1}
        answer(batch, 1, 0)
    assert batch.state.turns.tolist() == [3, 12]
    for array, old in zip(batch.state, before, strict=True):
        assert (array[0] == old).all()


def test_rows_of_one_match_come_seat_by_seat_with_their_ragged_values() -> None:
    batch = Batch(GAME, None, 2, [1, 2, 3])
    answer(batch, 1, 2, 3)
    parts = list(batch.observations.of_match(1))
    assert [seat for seat, _ in parts] == [0, 1]
    for _, rows in parts:
        assert len(rows) == 1
        assert rows.match.tolist() == [1]
        assert rows.fields["steps"].tolist() == [2]
    assert batch.observations.rows(1, 4).fields["steps"].tolist() == [1, 2, 2]
    assert list(batch.observations.of_match(7)) == []


@pytest.mark.parametrize("step", range(4))
def test_a_copy_in_mid_turn_goes_on_like_the_original(step: int) -> None:
    batch = Batch(GAME, None, 2, [1], copies=True)
    plan = [(0,), (1, 0), (0, 1), (2, 1)]
    for steps in plan[:step]:
        answer(batch, *steps)
    other = batch.copy()
    assert other.turn == batch.turn
    answer(other, *([3] * len(other.observations)))
    assert other.state.sum[0] == batch.state.sum[0] + 3 * len(batch.observations)
    for steps in plan[step:]:
        answer(batch, *steps)
    assert batch.state.sum[0] == 5


def test_a_finished_batch_can_be_copied() -> None:
    batch = Batch(GAME, None, 2, [1], copies=True)
    while batch.observations is not None:
        answer(batch, *([3] * len(batch.observations)))
    other = batch.copy()
    assert other.observations is None
    assert other.turn == batch.turn
    assert state_hash(GAME, other.state, 0) == state_hash(GAME, batch.state, 0)


def test_only_a_batch_made_for_it_can_be_copied() -> None:
    with pytest.raises(RuntimeError, match="copies=True"):
        Batch(GAME, None, 2, [1]).copy()


def test_a_batch_goes_on_from_a_state_and_stops_at_one_that_is_over() -> None:
    state = GAME.initial_state(None, 2, [1])
    state.sum[0] = 9
    batch = Batch.from_state(GAME, None, 2, state)
    assert batch.observations.fields["sum"].tolist() == [9, 9]
    answer(batch, 1, 0)
    assert batch.observations is None
    assert Batch.from_state(GAME, None, 2, state).observations is None


def test_reset_starts_new_matches_in_the_places_of_finished_ones() -> None:
    state = GAME.initial_state(None, 2, [1, 2])
    state.sum[:] = [9, 3]
    batch = Batch.from_state(GAME, None, 2, state)
    ended = []

    def again() -> None:
        for match in np.flatnonzero(GAME.over(batch.state)):
            ended.append(int(match))
            batch.reset([match], [77])

    batch.on_turn = again
    answer(batch, 3, 0, 0, 1)
    assert ended == [0]
    assert batch.state.seed.tolist() == [77, 2]
    assert batch.state.sum.tolist() == [0, 4]
    assert (batch.observations.match.tolist(), batch.observations.seat.tolist()) == ([0], [0]), (
        "the opening of the new match"
    )
    answer(batch, 2)
    assert batch.observations.match.tolist() == [0, 0], "and then a turn of both, which is an even one of the other's"
    assert batch.state.sum.tolist() == [2, 4]


def test_a_copy_goes_on_alike_where_matches_start_anew() -> None:
    batch = Batch(GAME, None, 2, [1, 2], copies=True)
    answer(batch, 1, 1)
    batch.on_turn = lambda: batch.reset([1, 0], [6, 5]) if batch.turn == 1 else None
    answer(batch, 1, 1, 1, 1)
    assert batch.state.seed.tolist() == [5, 6]
    other = batch.copy()
    batch.on_turn = None
    for one in (batch, other):
        answer(one, 3, 2)
        answer(one, 1, 1, 1, 1)
    assert batch.state.sum.tolist() == other.state.sum.tolist() == [5, 4]


def test_a_batch_begins_anew_in_the_arrays_of_as_many_matches() -> None:
    batch = Batch(GAME, None, 2, [1, 2])
    before = batch.observations.match
    batch = batch.reset_all([3, 4])
    assert batch.state.seed.tolist() == [3, 4]
    assert np.shares_memory(batch.observations.match, before)
    with pytest.raises(ValueError, match=r"^3 seeds for the arrays of 2 matches$"):
        batch.reset_all([1, 2, 3])


def test_the_hash_is_of_one_match_and_leaves_scratch_out() -> None:
    state = GAME.initial_state(None, 2, [1, 2])
    first = state_hash(GAME, state, 0)
    assert len(first) == 8
    assert first != state_hash(GAME, state, 1)
    other = copy_state(state)
    other.mark[0] = 9
    other.sum[1] = 5
    assert state_hash(GAME, other, 0) == first
    assert state_hash(GAME, other, 1) != state_hash(GAME, state, 1)
    other.sum[0] = 5
    assert state_hash(GAME, other, 0) != first
    assert state.sum.tolist() == [0, 0]


def test_views_keep_their_buffers_and_grow_the_ragged_ones() -> None:
    buffers = Buffers({"add": ADD}, 3)
    index, observation = buffers.arrays("add", count=4)
    assert len(index.unit) == len(observation.sum) == 6
    assert buffers.arrays("add", count=4)[1].steps is observation.steps
    assert len(buffers.arrays("add", count=40)[1].steps) >= 40
    assert buffers.arrays("add", count=1)[1].sum is observation.sum


def test_an_undeclared_question_names_the_declared_ones() -> None:
    buffers = Buffers({"add": ADD}, 3)
    for ask in (buffers.arrays, buffers.portion):
        with pytest.raises(KothError, match=r"asks 'ad', which `questions` does not declare; did you mean add\?"):
            ask("ad")
    with pytest.raises(KothError, match=r"call buffers.arrays\('ad'\) before buffers.observations"):
        buffers.observations("ad", 1)


@pytest.mark.parametrize(
    "value", [np.int32(3), {1}, np.zeros((2, 2), int), np.zeros(2), float("nan"), np.full(1, 2**63, "u8")]
)
def test_an_invalid_frame_value_is_named_by_its_key(value: Any) -> None:
    assert find_frame_problem({"a": [1], "b": np.zeros(2, int)}) is None
    assert str(find_frame_problem({"a": 1, "odd": value})).startswith("frame['odd'] ")


class Declares(NamedTuple):
    seed: Annotated[Array, "int64[M]"]
    at: Annotated[Array, "uint8[M, K, 2]"]


class Silent(NamedTuple):
    seed: Array


def test_a_state_is_made_as_its_class_declares_it() -> None:
    state = zero_state(Declares, M=3, K=2)
    assert [(array.shape, array.dtype.name) for array in state] == [((3,), "int64"), ((3, 2, 2), "uint8")]
    with pytest.raises(ValueError, match=r"Declares.at: the axis K has no size \(given: M\)"):
        zero_state(Declares, M=3)
    with pytest.raises(ValueError, match=r'Silent.seed must be declared like Annotated\[Array, "int32\[M, K\]"\]'):
        zero_state(Silent, M=3)


def test_few_rows_are_put_together_once() -> None:
    question = replace(ADD, observation={"count": Field("<i4")}, observation_type=None)
    buffers = Buffers({"few": question}, 1000)
    buffers.arrays("few")
    observations = buffers.observations("few", 3)
    assert buffers.observations("few", 3) is observations
    assert len(buffers.observations("few", 2)) == 2
    assert buffers.observations("few", SMALL + 1) is not buffers.observations("few", SMALL + 1)
    assert buffers.with_own_arrays().arrays("few") is not observations.buffers
    with pytest.raises(ValueError, match="give counts for nothing"):
        buffers.observations("few", 3, count=5)


def test_what_lies_on_a_board_need_not_be_written() -> None:
    flat = replace(ADD, observation={**ADD.observation, "sum": replace(ADD.observation["sum"], on_board=True)})
    buffers = Buffers({"add": flat}, 3, boards={"add": {"sum"}})
    _, observation = buffers.with_own_arrays().arrays("add", count=4)
    assert (len(observation.sum), len(observation.count)) == (0, 6)
    buffers.arrays("add", count=4)
    board, other = np.arange(5), np.arange(3)
    observations = buffers.observations("add", 2, {"sum": board, "count": other}, count=4)
    assert observations.boards == {"sum": board}
    assert (len(observations.fields["sum"]), len(observations.fields["count"])) == (0, 2)
    with pytest.raises(ValueError, match=r"^add\.sum is not a field with on_board$"):
        buffers.observations("add", 2, count=4)
    plain = Buffers({"add": ADD}, 3)
    plain.arrays("add", count=4)
    assert plain.observations("add", 2, {"sum": board}, count=4).boards == {}


@pytest.mark.parametrize(
    "boards", [{"act": {"x"}}, {"act": {"windows"}}, {"ask": {"window"}}, {"act": {"window", "y"}}]
)
def test_only_declared_fields_are_on_boards(boards: dict[str, set[str]]) -> None:
    zombies = load("zombies")
    with pytest.raises(ValueError, match=r"^\w+\.\w+ is not a field with on_board \(there are: act\.window\)$"):
        Batch(zombies, zombies.rulesets["published"], 3, [1, 2], boards=boards)


@pytest.mark.parametrize("counted", [{}, {"steps": 4}, {"count": 4, "steps": 4}])
def test_buffers_need_the_counting_field(counted: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"^add: give counts for count, not for "):
        Buffers({"add": ADD}, 3).arrays("add", **counted)


NO_COUNT = "must name a field before it that is one whole number"


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"observation": {"left": Field("<i4"), "ask": Field("<i4")}}, "no field can be called ask, left: koth"),
        ({"answer": {"note": Field("<i4")}}, "no field can be called note: koth"),
        ({"observation": {"bye": Field("<i4")}}, "no field can be called bye: koth"),
        ({"observation": {"body": Field("<i4")}, "units": "body"}, "no field can be called body: koth"),
        ({"observation": {"x": Field("<i4", ragged="n")}}, f"ragged='n' {NO_COUNT}"),
        ({"observation": {"x": Field("<i4", ragged="n"), "n": Field("u1")}}, f"ragged='n' {NO_COUNT}"),
        ({"observation": {"n": Field("u1"), "x": Field("u1", (2,), ragged="n")}}, "a list that is observed has no"),
        ({"answer": {"x": Field("u1", (5,), ragged="count")}}, f"add.x: ragged='count' {NO_COUNT}"),
        ({"answer": {"n": Field("?"), "x": Field("u1", (5,), ragged="n")}}, f"ragged='n' {NO_COUNT}"),
        (
            {"answer": {"n": Field("u1", high=5), "x": Field("u1", ragged="n")}},
            "its shape must begin with the length",
        ),
        (
            {"answer": {"n": Field("u1"), "x": Field("u1", (5,), ragged="n")}},
            "n must have low=0, default=0 and high=5",
        ),
        (
            {"answer": {"n": Field("u1", high=5), "x": Field("u1", (5,), ragged="n", high=1, legal="count")}},
            "legal needs whole numbers with bounds, and no list",
        ),
        ({"units": "courier"}, "units='courier' must be a field of the observation .* or \"body\" for their numbers"),
    ],
)
def test_a_question_that_cannot_be_is_refused(part: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(ADD, observation_type=None, **part)


def test_a_default_is_the_number_of_a_name() -> None:
    with pytest.raises(ValueError, match=r"^the default must be the number of a name, not 'stay', here 1$"):
        Field("u1", names=("go", "stay"), default="stay")  # type: ignore[arg-type]


@pytest.mark.parametrize("law", LAWS[:8], ids=lambda law: law.__name__)
def test_the_laws_hold_for_any_game_that_fits_the_protocol(law: Any) -> None:
    """Only the laws that need no frame."""
    if law.__name__ != "garbage_never_raises":
        law(Case(GAME, None, 2))


class TeamsState(NamedTuple):
    """One match of two bots with two bodies each, the second's first is dead."""

    over: Array
    score: Array
    alive: Array
    x: Array
    y: Array


class Teams(Defaults):
    name = "teams"
    seats = range(2, 3)

    def agents(self, settings: Any, seats: int) -> Agents:
        return Agents.of_seats(seats, 2)


def test_units_are_labelled_and_counted_by_bot() -> None:
    alive = np.array([[True, True, False, True]])
    places = np.arange(4).reshape(1, 4)
    state = TeamsState(np.zeros(1, np.bool_), np.array([[5, 6]]), alive, places, places)
    frame = Teams().frame(None, state, 0)
    assert frame["seat"].tolist() == [0, 0, 1, 1]
    assert (frame["alive"], frame["score"]) == ([2, 1], [5, 6])
    assert frame["x"].tolist() == frame["y"].tolist() == [0, 1, -1, 3]
    assert Teams().alive(None, state).tolist() == alive.tolist()


def test_units_alive_that_are_no_agents_are_named() -> None:
    state = TeamsState(np.zeros(1, np.bool_), np.array([[5, 6]]), np.ones((1, 6), np.bool_), *[np.zeros((1, 6))] * 2)
    with pytest.raises(
        KothError, match=r"^teams: `alive` has 6 units and `agents` 4; both must be of the same units"
    ):
        Teams().frame(None, state, 0)


def test_answers_are_read_by_field() -> None:
    answers = Answers(default_answers(ADD, 2), np.zeros(2, np.uint8), np.zeros((1, 2), np.bool_))
    assert answers["step"] is answers.fields["step"]
    assert answers.notes == {}


@pytest.mark.parametrize(
    ("field", "values", "problem"),
    [
        ("step", np.zeros(2, np.int64), "step is int64(2,), not int8(2,)"),
        ("step", np.zeros(3, np.int8), "step is int8(3,), not int8(2,)"),
        ("step", np.zeros((2, 1), np.int8), "step is int8(2, 1), not int8(2,)"),
        ("wish", np.zeros((1, 4), np.float32), "wish is float32(1, 4), not float32(2, 2)"),
        ("wish", np.zeros((2, 1), np.float32), "wish is float32(2, 1), not float32(2, 2)"),
    ],
)
def test_answers_are_as_they_were_declared(field: str, values: Array, problem: str) -> None:
    batch = Batch(GAME, None, 2, [1, 2])
    answers = no_answers(batch.observations, batch.nobody_gone())
    wrong = replace(answers, fields={**answers.fields, field: values})
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        batch.answer(wrong)
    batch.answer(answers)


class Shown(NamedTuple):
    hp: Annotated[Array, Field("u1", doc="hit points"), "K, 2"]
    turn: Annotated[Array, Field("<i4")]


def test_an_observation_is_declared_by_its_class() -> None:
    fields = observation_fields(Shown, K=3)
    assert fields == Shown(Field("u1", (3, 2), doc="hit points"), Field("<i4"))
    with pytest.raises(ValueError, match=r"Shown\.hp: the axis K has no size \(given: M\)"):
        observation_fields(Shown, M=3)
    with pytest.raises(ValueError, match=r'Bare\.x must be declared like Annotated\[Array, Field\("u1"\), "K, 2"\]'):
        observation_fields(NamedTuple("Bare", [("x", int)]))
