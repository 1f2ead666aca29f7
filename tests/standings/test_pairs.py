"""Who can be told apart from whom."""

from __future__ import annotations

import numpy as np
import pytest

from koth.game import Array
from koth.standings.pairs import Pairs, compare, groups, meetings
from koth.standings.quantiles import t_quantile
from koth.standings.scores import Blocks, Scores


def compared(points: Array, aggregate: str = "mean", error: float = 0.05) -> Pairs:
    """Everybody in every block; a column is a bot."""
    scores = Scores.of((block, {f"b{k:02}": float(s) for k, s in enumerate(row)}) for block, row in enumerate(points))
    return compare(Blocks.of(scores, aggregate), aggregate, error, 2)


def test_it_is_the_t_of_paired_differences() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(0, 10, (12, 1)) + rng.normal(0, 1, (12, 3)) + [2, 1, 0]
    pairs = compared(points)
    difference = points[:, 0] - points[:, 2]
    t = difference.mean() / (difference.std(ddof=1) / np.sqrt(12))
    assert pairs.strength[0, 2] == pytest.approx(t)
    assert pairs.strength[2, 0] == pytest.approx(-t)
    assert pairs.apart[0, 2] == (t > t_quantile(0.05, 11))
    assert not pairs.apart[2, 0]


def test_luck_that_is_shared_does_not_blur() -> None:
    """Intervals side by side would overlap widely."""
    luck = np.random.default_rng(1).normal(0, 100, (10, 1))
    points = luck + np.random.default_rng(2).normal(0, 1, (10, 2)) + [5, 0]
    assert compared(points).apart.tolist() == [[False, True], [False, False]]


def test_copies_are_never_apart() -> None:
    one = np.random.default_rng(3).normal(5, 1, (20, 1))
    pairs = compared(np.concatenate([one, one], axis=1))
    assert not pairs.apart.any()
    assert pairs.needed(0, 1) is None


def test_always_the_same_difference_needs_as_many_blocks_as_signs_do() -> None:
    assert not compared(np.tile([2.0, 1.0], (5, 1))).apart.any()
    assert compared(np.tile([2.0, 1.0], (6, 1))).apart[0, 1]
    assert not compared(np.tile([2.0, 1.0], (6, 1)), error=0.01).apart.any()


@pytest.mark.parametrize("aggregate", ["median", "wins"])
def test_medians_and_wins_are_told_apart_by_signs(aggregate: str) -> None:
    points = np.zeros((10, 2))
    points[:9, 0] = 1
    points[9, 1] = 1
    pairs = compared(points, aggregate)
    assert pairs.apart[0, 1]
    assert pairs.strength[0, 1] == pytest.approx(8 / np.sqrt(10))
    points[8] = [0, 1]
    assert not compared(points, aggregate).apart.any()


def test_signs_against_the_medians_settle_nothing() -> None:
    """Who wins most matches by a little and loses the others by much has the lower median here."""
    points = np.array([[1.0, 0.5]] * 4 + [[3.0, 2.9]] * 10 + [[3.0, 9.0]] * 3 + [[0.9, 3.0]])
    points[:, 0] -= 0.45
    pairs = compared(points, "median")
    assert not pairs.apart[0, 1] or np.median(points[:, 0]) > np.median(points[:, 1])


def test_how_many_blocks_would_do() -> None:
    points = np.random.default_rng(5).normal(0, 1, (400, 2)) + np.array([0.05, 0])
    points -= points.mean(axis=0) - [0.05, 0]
    pairs = compared(points)
    needed = pairs.needed(0, 1)
    assert needed is not None
    assert pairs.strength[0, 1] * np.sqrt(needed / 400) >= 1.96
    assert pairs.strength[0, 1] * np.sqrt((needed - 1) / 400) < pairs.threshold(needed - 1)
    assert pairs.needed(1, 0) == needed


def test_blocks_without_the_other_count_too() -> None:
    rng = np.random.default_rng(6)
    matches = [(block, {"a": 10 + rng.normal(), "c": rng.normal()}) for block in range(10)]
    matches += [(50 + block, {"b": rng.normal(), "c": rng.normal()}) for block in range(10)]
    pairs = compare(Blocks.of(Scores.of(matches), "mean"), "mean", 0.05, 2)
    assert pairs.met[0, 1] == 0
    assert pairs.apart[0, 1]


def test_too_few_blocks_tell_nothing() -> None:
    matches = [(block, {"a": 10.0 + block % 2, "b": 0.1 * block}) for block in range(9)]
    assert compare(Blocks.of(Scores.of(matches), "mean"), "mean", 0.05, 9).apart[0, 1]
    assert not compare(Blocks.of(Scores.of(matches), "mean"), "mean", 0.05, 10).apart.any()


def test_meetings() -> None:
    bot = np.array([[0, 1, -1], [2, 0, 1]], dtype=np.int32)
    met, more = meetings(bot, np.array([[3.0, 2, 9], [1, 1, 5]]), 3)
    assert met.tolist() == [[0, 2, 1], [2, 0, 1], [1, 1, 0]]
    assert more.tolist() == [[0, 1, 0], [1, 0, 1], [0, 0, 0]]


def test_groups() -> None:
    met = np.zeros((5, 5), int)
    for a, b in ((0, 3), (3, 4)):
        met[a, b] = met[b, a] = 1
    assert groups(met).tolist() == [0, 1, 2, 0, 0]


def test_equal_bots_are_seldom_told_apart() -> None:
    """With the error spread over all pairs: in at most 5 % of contests, anywhere."""
    rng = np.random.default_rng(7)
    wrong = sum(compared(rng.normal(0, 1, (10, 5)), error=0.05 / 10).apart.any() for _ in range(400))
    assert wrong / 400 < 0.07
