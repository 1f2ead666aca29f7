"""Encoding and decoding of the changes of arrays in replays; invalid content is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.replay.arrays import changed, difference
from koth.replay.writer import to_json

ARRAY = st.lists(st.integers(-(1 << 62), 1 << 62) | st.integers(0, 3), max_size=20)


def array(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, np.int64)


@given(ARRAY, ARRAY)
def test_every_change_is_read_back(before: list[int], after: list[int]) -> None:
    old, new = array(*before), array(*after)
    change = difference(new, old)
    if change is None:
        assert before == after
        return
    assert changed(old, orjson.loads(to_json(change))).tolist() == after
    assert old.tolist() == before  # frames handed out before stay as they were


def test_a_change_has_the_places_that_differ_as_distances() -> None:
    change = difference(array(0, 1, 2, 3, 9), array(0, 5, 2, 4))
    assert orjson.loads(to_json(change)) == {"n": 5, "at": [1, 2, 1], "by": [-4, -1, 9]}


@pytest.mark.parametrize(
    "change",
    [
        {"n": 2, "at": [0, 2], "by": [1, 1]},
        {"n": 2, "at": [0, -1], "by": [1, 1]},
        {"n": 2, "at": [0, 1], "by": [1]},
        {"n": 2, "at": [0, 1], "by": 1},
        {"n": 2, "at": ["x"], "by": [1]},
        {"n": 2, "at": [1 << 63], "by": [1]},
        {"n": -1, "at": [], "by": []},
        {"n": (1 << 24) + 1, "at": [], "by": []},
        {"n": 1.5, "at": [], "by": []},
        {"at": [], "by": []},
        {"n": 2},
    ],
)
def test_a_change_that_does_not_fit(change: dict[str, Any]) -> None:
    with pytest.raises((LookupError, TypeError, ValueError, OverflowError)):
        changed(array(5, 6), change)
