"""By how much one bot is better than another: intervals that hold, and a word only where it is sure."""

from __future__ import annotations

import numpy as np
import pytest

from koth.standings.difference import Difference
from koth.standings.scores import Scores
from koth.standings.until import looks


def scores_of(one: list[float], other: list[float], size: int = 1) -> Scores:
    """Matches of two bots, so many to a block."""
    pairs = zip(one, other, strict=True)
    return Scores.of((at // size, {"0": a, "1": b}) for at, (a, b) in enumerate(pairs))


def test_a_mean_difference_has_students_interval() -> None:
    d = Difference.of(scores_of([3, 5, 4, 6, 5], [1, 4, 2, 2, 3]), "mean", 1)
    assert (d.blocks, d.more, d.fewer, d.same) == (5, 5, 0, 0)
    assert d.value == pytest.approx(2.2)  # 2, 1, 2, 4, 2: standard deviation 1.095, t(0.05, 4) = 2.776
    assert d.low is None  # five equal signs are not rare enough: 2 * 2**-5 > 0.05
    d = Difference.of(scores_of([3, 5, 4, 6, 5, 4], [1, 4, 2, 2, 3, 2]), "mean", 1)
    assert d.low is not None
    assert d.high is not None
    assert (d.low, d.high) == pytest.approx((2.1667 - 1.0320, 2.1667 + 1.0320), abs=1e-3)  # 0.98319 / 6**.5 * 2.5706
    assert d.sign == 1
    assert Difference.of(scores_of([1, 4, 2, 2, 3, 2], [3, 5, 4, 6, 5, 4]), "mean", 1).sign == -1


def test_a_sum_is_told_in_points_of_a_game_and_blocks_count_once() -> None:
    one, other = [10.0, 20, 11, 23, 9, 25, 12, 21, 10, 22, 12, 20], [float(k) for k in range(12)]
    total = Difference.of(scores_of(one, other), "sum", 1)
    assert total.value == pytest.approx(np.mean(np.subtract(one, other)))
    paired = Difference.of(scores_of(one, other, size=2), "mean", 1)
    assert paired.blocks == 6
    assert paired.value == pytest.approx(total.value)


def test_medians_are_told_apart_by_signs() -> None:
    other = [float(k) for k in range(12)]
    d = Difference.of(scores_of([k + 1.0 + k % 3 for k in range(12)], other), "median", 4)
    assert (d.sign, d.more, d.low, d.value, d.high) == (1, 12, 1.0, 2.0, 3.0)
    few = Difference.of(scores_of([k + 1.0 for k in range(4)], other[:4]), "median", 4)
    assert (few.sign, few.low, few.high) == (0, None, None)
    many_alike = scores_of([1.0] * 30 + [0.0] * 40, [0.0] * 70)
    apart = Difference.of(many_alike, "wins", 1)
    assert apart.sign == 1
    assert apart.low is not None
    assert 0 < apart.low < apart.value < 30 / 70 + 1e-9


def test_no_difference_larger_than_a_margin() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(100, 30, 48)
    scores = scores_of(list(base + rng.normal(0, 1, 48)), list(base))
    d = Difference.of(scores, "mean", 3)
    assert d.sign == 0
    assert d.is_within(2)
    assert not d.is_within(0.01)
    assert not d.is_within(None)
    assert d.needed(2) == 48
    more = d.needed(abs(d.value) + 0.2)
    assert more is not None
    assert more > 48
    assert Difference.of(scores_of([1.0] * 12, [1.0] * 12), "mean", 4).is_within(0)


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_whoever_looks_often_is_wrong_in_one_of_twenty_at_most(aggregate: str) -> None:
    rng, wrong, missed = np.random.default_rng(7), 0, 0
    times = looks(48)
    for _ in range(300):
        base, shift = rng.normal(50, 20, 48), 3.0
        one, other = base + shift + rng.normal(0, 8, 48), base + rng.normal(0, 8, 48)
        found = [Difference.of(scores_of(list(one[:n]), list(other[:n])), aggregate, len(times)) for n in times]
        wrong += any(d.low is not None and d.high is not None and not d.low <= shift <= d.high for d in found)
        missed += any(d.sign < 0 for d in found)
    assert wrong <= 24  # 15 are expected at most; 24 or more would come in one of fifty
    assert missed <= 5
