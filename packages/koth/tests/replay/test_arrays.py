"""Encoding and decoding of the changes of arrays in replays; invalid content is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.replay.arrays import apply_change, difference
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
    assert apply_change(old, orjson.loads(to_json(change))).tolist() == after
    assert old.tolist() == before  # frames handed out before stay as they were


def test_a_change_has_the_places_of_each_amount_as_distances() -> None:
    change = difference(array(0, 1, 2, 3, 9), array(0, 2, 2, 4))
    assert change == {"n": 5, "by": [[-1, 1, 2], [9, 4]]}


@pytest.mark.parametrize(
    "change",
    [
        {"n": 2, "by": [[1, 2]]},
        {"n": 2, "by": [[1, 1, 1]]},
        {"n": 2, "by": [[1, -1]]},
        {"n": 2, "by": [[]]},
        {"n": 2, "by": [1]},
        {"n": 2, "by": [["x", 1]]},
        {"n": 2, "by": [[1, "x"]]},
        {"n": 2, "by": [[1, 1 << 63]]},
        {"n": 2, "by": [[1, 1e300]]},
        {"n": 2, "by": [[1 << 63, 1]]},
        {"n": 2, "by": [[0.5, 1]]},
        {"n": 2},
        {"n": -1, "by": []},
        {"n": (1 << 24) + 1, "by": []},
        {"n": 1.5, "by": []},
        {"by": []},
    ],
)
def test_a_change_that_does_not_fit(change: dict[str, Any]) -> None:
    with pytest.raises((LookupError, TypeError, ValueError, OverflowError)):
        apply_change(array(5, 6), change)
