"""Legal actions, declared by `Field.legal`: random answers, masks, schema and check follow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from koth.diagnostics.habits import Watch
from koth.diagnostics.rerun import RecordedBot
from koth.encoding import Encoding
from koth.game import Field, FrameSpec, Observations, Question
from koth.games import load
from koth.protocol.declared import open_json
from koth.protocol.shapes import field_schema
from koth.question import are_legal
from koth.session.person import NotLegal, Person
from koth.testing.policies import RandomAnswers

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
    person.put(OBSERVED.rows(1, 2), 0, {})
    with pytest.raises(NotLegal, match="not legal now: free, loads says what is"):
        person.receive(b'{"ask": 1, "way": "left", "load": [-1, 0], "loud": false}')
    assert len(person.messages) == 3, "the question comes again"
    person.receive(b'{"ask": 2, "way": "right", "load": [-1, 0], "loud": false}')
    assert person.answer(OBSERVED.rows(1, 2)).fields["way"].tolist() == [1]


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
    assert field_schema(WAY)["description"] == "where to; legal where free is true"


def test_a_check_counts_illegal_answers() -> None:
    watch = Watch(load("zombies"), None, RecordedBot("json"))
    fields = {"way": np.array([1, 1, 1], np.uint8), "load": np.array([[-1, 0]] * 3, np.int8)}
    fields["loud"] = np.zeros(3, np.bool_)
    for _ in range(2):
        watch.take(OBSERVED, fields, np.zeros(3, np.uint8), {})
    assert watch.remarks()[0].startswith("it answered an illegal action 2 of 6 times: ")


@pytest.mark.parametrize("mask", [Field("?", (2,)), Field("u1", (3,)), None])
def test_a_mask_has_a_truth_for_each_value(mask: Any) -> None:
    observation = {} if mask is None else {"free": mask}
    with pytest.raises(ValueError, match=r"move.way: legal='free' must be observed truths of shape \(3,\)"):
        Question("move", observation=observation, answer={"way": WAY}, max_rows=1)
