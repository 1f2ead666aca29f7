"""Intervals of scores that hold at all looks together."""

from __future__ import annotations

import numpy as np
import pytest

from koth.game import Array
from koth.standings.looks import scores_with_margins
from koth.testing.blocks import as_blocks


def held(scores: Array, truth: float, aggregate: str, looks: tuple[int, ...]) -> float:
    """Return the share of bots whose interval holds the truth at each of these numbers of blocks."""
    missed = np.zeros(scores.shape[1], dtype=bool)
    for look in looks:
        blocks = as_blocks(scores[:look], np.ones((look, scores.shape[1]), np.int64))
        score, margins = scores_with_margins(blocks, aggregate, 8)
        missed |= np.abs(score - truth) > margins
    return float(1 - missed.mean())


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_intervals_hold_at_all_looks(aggregate: str) -> None:
    scores = np.random.default_rng(1).exponential(1, (240, 150))
    truth = 1.0 if aggregate == "mean" else np.log(2)
    assert held(scores, truth, aggregate, (20, 30, 45, 70, 105, 160, 240)) >= 0.93


def test_there_is_none_before_the_least_number_of_blocks_nor_where_all_are_equal() -> None:
    scores = np.array([[1.0, 2.0], [1.0, 3.0]] * 4)
    few, enough = (as_blocks(scores[:n], np.ones((n, 2), np.int64)) for n in (7, 8))
    assert np.isnan(scores_with_margins(few, "mean", 8)[1]).all()
    assert np.isnan(scores_with_margins(enough, "mean", 8)[1]).tolist() == [True, False]


def test_every_rival_counts_equally_and_its_strength_widens_nothing() -> None:
    rng = np.random.default_rng(2)
    rivals = np.repeat([1, 2, 3], (60, 40, 20))
    matches = np.eye(4, dtype=np.int64)[rivals]
    matches[:, 0] = 1
    total = np.where(matches > 0, rng.normal(0, 0.1, (120, 4)), 0.0)
    total[:, 0] += np.array([0.0, 0.0, 4.0, -4.0])[rivals]
    score, margins = scores_with_margins(as_blocks(total, matches), "mean", 8)
    assert abs(score[0]) < margins[0] < 0.06  # the plain mean is 0.67, its margin without regard to rivals 0.9
