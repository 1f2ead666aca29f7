"""Ranks under resampling."""

from __future__ import annotations

import numpy as np
import pytest

from koth.game import Array
from koth.standings.intervals import picks
from koth.standings.ranks import RESAMPLES, _resampled_medians, ranks
from koth.standings.scores import Blocks, Scores


def ranked(points: Array, aggregate: str) -> list[tuple[int, int, float]]:
    scores = Scores.of((block, {f"b{k:02}": float(s) for k, s in enumerate(row)}) for block, row in enumerate(points))
    found = ranks(Blocks.of(scores, aggregate), aggregate, np.zeros(points.shape[1], int))
    return list(zip(found.best.tolist(), found.worst.tolist(), found.first.tolist(), strict=True))


@pytest.mark.parametrize("aggregate", ["mean", "sum", "median"])
def test_who_always_wins_is_first(aggregate: str) -> None:
    points = np.random.default_rng(0).normal(0, 1, (12, 3)) + np.array([20, 10, 0])
    assert ranked(points, aggregate) == [(1, 1, 1), (2, 2, 0), (3, 3, 0)]


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_equal_bots_share_what_they_have(aggregate: str) -> None:
    one = np.random.default_rng(1).normal(5, 1, (12, 1))
    points = np.concatenate([one, one, one - 100], axis=1)
    assert ranked(points, aggregate) == [(1, 2, 0.5), (1, 2, 0.5), (3, 3, 0)]


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_who_can_be_anything(aggregate: str) -> None:
    found = ranked(np.random.default_rng(2).normal(0, 1, (10, 4)), aggregate)
    assert sum(first for _, _, first in found) == pytest.approx(1)
    assert all(best < worst for best, worst, _ in found)


def test_groups_are_ranked_apart() -> None:
    rng = np.random.default_rng(3)
    matches = [(block, {"a": 10 + rng.normal(), "b": rng.normal()}) for block in range(9)]
    matches += [(100 + block, {"c": 30 + rng.normal(), "d": 20 + rng.normal()}) for block in range(9)]
    found = ranks(Blocks.of(Scores.of(matches), "mean"), "mean", np.array([0, 0, 1, 1]))
    assert found.best.tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize(("values", "groups"), [(1, 1), (9, 9), (10, 10), (300, 300), (1000, 100), (3000, 500)])
def test_medians_of_what_was_drawn(values: int, groups: int) -> None:
    rng = np.random.default_rng(values)
    points = np.sort(rng.integers(0, 50, values).astype(float))
    group = rng.permutation(np.arange(values) % groups)
    drawn = picks(groups, 100)
    expected = [np.median(np.repeat(points, times[group].astype(int))) for times in drawn]
    assert _resampled_medians(drawn, points, group).tolist() == expected


def test_rank_intervals_hold_the_true_rank() -> None:
    rng = np.random.default_rng(4)
    held = []
    for _ in range(60):
        points = rng.normal(0, 1, (10, 5)) + rng.normal(0, 1, (10, 1)) + np.arange(5, 0, -1) * 0.5
        held += [best <= rank <= worst for rank, (best, worst, _) in enumerate(ranked(points, "mean"), 1)]
    assert np.mean(held) > 0.93
    assert RESAMPLES >= 1000
