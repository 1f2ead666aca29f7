"""Legal actions, declared by `Field.legal`: random answers, masks, schema and check follow."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from koth.diagnostics.habits import Watch
from koth.diagnostics.rerun import RecordedBot
from koth.encoding import Encoding
from koth.engine.batch import Batch
from koth.game import Field, FrameSpec, Observations, Question, default_answers
from koth.games import load
from koth.protocol.declared import open_json
from koth.protocol.shapes import field_schema
from koth.question import are_legal
from koth.testing.policies import RandomAnswers
from koth.viewer.person import NotLegal, Person

WAY = Field("u1", default=2, names=("left", "right", "stay"), legal="free", doc="where to")
LOADS = Field("i1", (2,), default=-1, low=-1, high=0, legal="loads")
ASK = Question(
    "move",
    observation={"free": Field("?", (3,)), "loads": Field("?", (2, 2))},
    answer={"way": WAY, "load": LOADS, "loud": Field("?")},
    max_rows=3,
)
FREE = np.array([[True, False, True], [False, True, False], [False, False, False]])
CAN_LOAD = np.array([[[True, False], [False, True]]] * 3)
OBSERVED = Observations(
    ASK, np.zeros(3, np.int32), np.zeros(3, np.int32), np.arange(3, dtype=np.int32), {"free": FREE, "loads": CAN_LOAD}
)


def test_answers_of_the_laws_are_mostly_legal() -> None:
    policy = RandomAnswers([1], 1)
    drawn = [int(policy(OBSERVED).fields["way"][0]) for _ in range(300)]
    assert 0.85 < np.mean(np.isin(drawn, [0, 2])) < 1, "one in sixteen is anything"
    assert {0, 2} <= set(drawn)


def test_a_person_chooses_again_where_an_answer_is_not_legal() -> None:
    person = Person("Ann", open_json(None, 1), FrameSpec())
    nothing = SimpleNamespace(turn=0, settings=None, state=None, game=SimpleNamespace(frame=lambda *_: {}))
    person.put(OBSERVED.rows(1, 2), cast(Any, nothing))
    with pytest.raises(NotLegal, match="not legal now; legal where free says so; legal where loads says so"):
        person.receive(b'{"ask": 1, "way": "left", "load": [-1, 0], "loud": false}')
    assert len(person.messages) == 3, "the question comes again"
    person.receive(b'{"ask": 2, "way": "right", "load": [-1, 0], "loud": false}')
    assert person.answer(OBSERVED.rows(1, 2), 0).fields["way"].tolist() == [1]


def test_an_illegal_value_makes_its_row_illegal() -> None:
    fields = {"way": np.array([0, 0, 0], np.uint8), "load": np.array([[-1, 0]] * 3, np.int8)}
    assert are_legal(OBSERVED, fields).tolist() == [True, False, True], "where none is legal all are"
    fields["load"][0, 1] = -1
    assert are_legal(OBSERVED, fields).tolist() == [False, False, True]


@pytest.mark.parametrize(("name", "value"), [("way", 3), ("way", 255), ("load", -2), ("load", 1)])
def test_a_value_out_of_bounds_is_not_legal(name: str, value: int) -> None:
    """Frames carry every value of the dtype, also where nothing is legal."""
    fields = {"way": np.array([0, 1, 2], np.uint8), "load": np.array([[-1, 0]] * 3, np.int8)}
    assert are_legal(OBSERVED, fields).all()
    fields[name][...] = value
    assert not are_legal(OBSERVED, fields).any()


def test_learners_get_them_as_a_mask() -> None:
    mask = np.zeros((3, 3 + 2 * 2 + 2), np.bool_)
    Encoding({}, {"move": ASK}, 1).possible(OBSERVED, np.arange(3), mask)
    ways = [[True, False, True], [False, True, False], [False, False, True]]
    assert mask.tolist() == [[*way, True, False, False, True, True, True] for way in ways]


def test_the_schema_names_their_field() -> None:
    assert field_schema(WAY)["description"] == "where to; legal where free says so"


def test_a_check_counts_illegal_answers() -> None:
    watch = Watch(load("zombies"), None, RecordedBot("json"))
    fields = {"way": np.array([1, 1, 1], np.uint8), "load": np.array([[-1, 0]] * 3, np.int8)}
    fields["loud"] = np.zeros(3, np.bool_)
    for _ in range(2):
        watch.take(OBSERVED, fields, np.zeros(3, np.uint8), {})
    assert watch.remarks() == [
        "it answered an illegal action 2 of 6 times (legal where free says so; legal where loads says so)"
    ]


@pytest.mark.parametrize(
    ("mask", "wrong"),
    [
        (Field("?", (2,)), r"move.way: legal must be bools of shape \(3,\), not bool\[2\]"),
        (Field("u1", (3,)), r"move.way: legal must be bools of shape \(3,\), not uint8\[3\]"),
        (None, "move.way: legal='free' must name an observed bool field"),
    ],
)
def test_a_mask_has_a_truth_for_each_value(mask: Any, wrong: str) -> None:
    observation = {} if mask is None else {"free": mask}
    with pytest.raises(ValueError, match=wrong):
        Question("move", observation=observation, answer={"way": WAY}, max_rows=1)


def lives(observed: Mapping[str, np.ndarray]) -> np.ndarray:
    """Only the living move."""
    return np.asarray(observed["alive"])


def test_a_function_may_say_which_are_legal_for_all_values_of_a_row() -> None:
    way = replace(WAY, legal=lives)
    question = Question("move", observation={"alive": Field("?")}, answer={"way": way}, max_rows=2)
    legal = way.legal_values({"alive": np.array([True, False])})
    assert legal.tolist() == [[True] * 3, [False] * 3]
    assert field_schema(way)["description"] == "where to; legal: Only the living move."
    assert pickle.loads(pickle.dumps(question)).answer["way"] == way


def test_a_step_into_a_wall_is_not_legal_in_pacman() -> None:
    batch = Batch(load("pacman"), load("pacman").rulesets["published"], 2, [1])
    observations = batch.observations
    walls = batch.state.walls[0].ravel()[observations.fields["square"][0]]
    fields = default_answers(observations.question, len(observations))
    for move in range(4):
        fields["move"][0] = move
        assert are_legal(observations, fields)[0] == (walls >> move & 1 == 0)
