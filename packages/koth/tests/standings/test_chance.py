"""Chance to be first, by resampling."""

from __future__ import annotations

import numpy as np
import pytest

from koth.game import Array
from koth.standings.chance import _weighted_medians, chance_to_be_first
from koth.standings.intervals import resample_counts
from koth.standings.scores import Blocks, Scores


def chances(points: Array, aggregate: str) -> list[float]:
    scores = Scores.of((block, {f"b{k:02}": float(s) for k, s in enumerate(row)}) for block, row in enumerate(points))
    found: list[float] = chance_to_be_first(
        Blocks.of(scores, aggregate), aggregate, np.zeros(points.shape[1], int), np.ones(points.shape[1], bool)
    ).tolist()
    return found


@pytest.mark.parametrize("aggregate", ["mean", "sum", "median"])
def test_a_bot_that_always_wins_is_first(aggregate: str) -> None:
    points = np.random.default_rng(0).normal(0, 1, (12, 3)) + np.array([20, 10, 0])
    assert chances(points, aggregate) == [1, 0, 0]


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_equal_bots_share_the_chance(aggregate: str) -> None:
    one = np.random.default_rng(1).normal(5, 1, (12, 1))
    points = np.concatenate([one, one, one - 100], axis=1)
    assert chances(points, aggregate) == [0.5, 0.5, 0]


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_chances_add_up(aggregate: str) -> None:
    found = chances(np.random.default_rng(2).normal(0, 1, (10, 4)), aggregate)
    assert sum(found) == pytest.approx(1)
    assert min(found) > 0


def test_the_first_of_a_sum_has_the_best_chance_whatever_the_numbers_of_matches() -> None:
    """Ten matches of 10 points are more than twelve of 9: a sum is the mean times the matches asked for."""
    rng = np.random.default_rng(3)
    rows = [(block, {"a": 10 + rng.normal(0, 0.1), "b": 9 + rng.normal(0, 0.1)}) for block in range(10)]
    rows += [(10 + block, {"b": 9.0}) for block in range(2)]
    blocks = Blocks.of(Scores.of(rows), "sum")
    assert chance_to_be_first(blocks, "sum", np.zeros(2, int), np.ones(2, bool)).tolist() == [1, 0]


def test_groups_have_a_first_each() -> None:
    rng = np.random.default_rng(3)
    matches = [(block, {"a": 10 + rng.normal(), "b": rng.normal()}) for block in range(9)]
    matches += [(100 + block, {"c": 30 + rng.normal(), "d": 20 + rng.normal()}) for block in range(9)]
    found = chance_to_be_first(
        Blocks.of(Scores.of(matches), "mean"), "mean", np.array([0, 0, 1, 1]), np.ones(4, bool)
    )
    assert found.tolist() == [1, 0, 1, 0]


def test_only_candidates_share_the_chance() -> None:
    points = np.random.default_rng(4).normal(0, 1, (10, 3))
    blocks = Blocks.of(
        Scores.of((k, dict(zip("abc", row, strict=True))) for k, row in enumerate(points.tolist())), "mean"
    )
    found = chance_to_be_first(blocks, "mean", np.zeros(3, int), np.array([True, False, True]))
    assert found.sum() == pytest.approx(1)
    assert found[1] == 0


@pytest.mark.parametrize(("values", "groups"), [(1, 1), (9, 9), (10, 10), (300, 300), (1000, 100), (3000, 500)])
def test_medians_of_resamples(values: int, groups: int) -> None:
    rng = np.random.default_rng(values)
    points = np.sort(rng.integers(0, 50, values).astype(float))
    group = rng.permutation(np.arange(values) % groups)
    drawn = resample_counts(groups, 100)
    expected = [np.median(np.repeat(points, times[group].astype(int))) for times in drawn]
    assert _weighted_medians(drawn, points, group).tolist() == expected
