"""Matches as arrays, and what each bot's blocks came to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.standings.scores import Blocks, Scores, estimates, matches_in_sum
from koth.standings.text import match_text

MATCHES = [
    (7, {"a": 1.0, "b": 5.0}),
    (7, {"b": 6.0, "a": 2.0}),
    (3, {"c": 4.0, "a": 9.0}),
    (3, {"a": 4.0, "c": 8.0}),
    (3, {"a": 5.0, "c": 0.0}),
]


def test_scores() -> None:
    scores = Scores.of(MATCHES)
    assert scores.names == ("a", "b", "c")
    assert scores.matches.tolist() == [5, 2, 3]
    assert scores.bot[1].tolist() == [1, 0]
    assert scores.take(np.array([0, 1])).block.tolist() == [7, 7]


def test_blocks_of_several_matches() -> None:
    blocks = Blocks.of(Scores.of(MATCHES), "mean")
    assert blocks.block.tolist() == [0, 0, 1, 1]
    assert blocks.bot.tolist() == [0, 2, 0, 1]
    assert blocks.total.tolist() == [18, 12, 3, 11]
    assert blocks.matches.tolist() == [3, 3, 2, 2]
    assert blocks.value.tolist() == [6, 4, 1.5, 5.5]
    assert Blocks.of(Scores.of(MATCHES), "median").value.tolist() == [5, 4, 1.5, 5.5]
    assert blocks.played.tolist() == [2, 1, 1]
    assert blocks.rows(0).tolist() == [0, 2]
    assert blocks.dense(blocks.total, 0, 2).tolist() == [[18, 0, 12], [3, 11, 0]]
    assert blocks.pad()[0].tolist() == [[0, 2], [0, 1]]


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("mean", [21 / 5, 5.5, 4]),
        ("sum", [21, 5 * 5.5, 5 * 4]),
        ("median", [3.25, 5.5, 4]),
        ("wins", [21 / 5, 5.5, 4]),
    ],
)
def test_estimates(aggregate: str, expected: list[float]) -> None:
    assert estimates(Blocks.of(Scores.of(MATCHES), aggregate), aggregate).tolist() == pytest.approx(expected)


@pytest.mark.parametrize(("aggregate", "score"), [("mean", 4.75), ("sum", 19), ("median", 4.5)])
def test_one_match_a_block(aggregate: str, score: float) -> None:
    blocks = Blocks.of(Scores.of((i, {"a": points}) for i, points in enumerate([4.0, 1.0, 9.0, 5.0])), aggregate)
    assert estimates(blocks, aggregate).tolist() == [score]


def test_a_sum_is_of_the_matches_asked_for() -> None:
    blocks = Blocks.of(Scores.of(MATCHES), "sum")
    assert matches_in_sum(blocks) == matches_in_sum(blocks, 9) == 5
    assert estimates(blocks, "sum", 2).tolist() == pytest.approx([2 * 21 / 5, 11, 8])


def test_nothing() -> None:
    blocks = Blocks.of(Scores.of([]), "mean")
    assert (blocks.bots, blocks.count, len(blocks.block)) == (0, 0, 0)


@given(st.permutations(range(5)), st.sampled_from(["mean", "median"]), st.booleans())
def test_the_order_of_the_matches_does_not_matter(order: list[int], aggregate: str, apart: bool) -> None:
    matches = [(index if apart else block, scores) for index, (block, scores) in enumerate(MATCHES)]
    one = Blocks.of(Scores.of(matches), aggregate)
    other = Blocks.of(Scores.of([matches[index] for index in order]), aggregate)
    for name in ("block", "bot", "total", "matches", "value"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_a_tie_names_no_winner() -> None:
    assert match_text({"a": 1, "b": 2.5}) == "b first with 2.50"
    assert match_text({"a": 59, "b": 59, "c": 3}) == "2 bots tied first with 59"
