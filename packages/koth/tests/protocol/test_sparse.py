"""Arrays of mostly nothing, sent without the nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from koth.adapter.bot_adapter import Sparse as Heard
from koth.adapter.bot_adapter import split_fields
from koth.protocol.sparse import SparseField

NUMBERS = st.sampled_from([0, 0, 0, 1, 255, (1 << 32) - 1])


@given(st.integers(0, 5), st.integers(1, 4), st.integers(1, 5), st.data())
def test_the_python_runner_decodes_the_sent_values(rows: int, height: int, width: int, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(NUMBERS, min_size=rows * height * width, max_size=rows * height * width))
    sent = np.array(drawn, np.uint32).reshape(rows, height, width)
    after = np.arange(rows, dtype="<i4")
    payload = b"".join([after, *SparseField.of(sent), after])
    spec = {"view": [["field", "<u4", [height, width], None, True], ["after", "<i4", [], None, False]]}
    observation = split_fields(spec, rows, memoryview(payload))
    heard = observation["field"]
    assert isinstance(heard, Heard)
    back = np.zeros((rows, height * width), np.uint32)
    for row in range(rows):
        for at in range(heard.start[row], heard.start[row + 1]):
            back[row, heard.place[at]] = heard.value[at]
    assert (back.reshape(sent.shape) == sent).all()
    assert len(heard.value) == np.count_nonzero(sent)
    assert observation["after"].tolist() == after.tolist()
