"""By how much one bot is better than another: intervals that hold, and verdicts that agree with them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from koth.game import ContestDefaults
from koth.standings.difference import Difference, mean_interval, newcombe
from koth.standings.means import mean_test
from koth.standings.scores import Scores
from koth.standings.until import Looks

MEAN = ContestDefaults(10, "mean", blocks=6)


def scores_of(old: list[float], new: list[float], size: int = 1) -> Scores:
    """Return matches of two bots, so many to a block."""
    pairs = zip(old, new, strict=True)
    return Scores.of((at // size, {"0": a, "1": b}) for at, (a, b) in enumerate(pairs))


def test_the_difference_is_new_minus_old() -> None:
    found = Difference.of(scores_of([1, 4, 2, 2, 3, 2], [3, 5, 4, 6, 5, 4]), MEAN)
    assert (found.blocks, found.more, found.fewer, found.same, found.sign) == (6, 6, 0, 0, 1)
    assert found.value == pytest.approx(13 / 6)
    assert Difference.of(scores_of([3, 5, 4, 6, 5, 4], [1, 4, 2, 2, 3, 2]), MEAN).sign == -1


def test_a_mean_difference_has_the_hull_of_both_intervals() -> None:
    differences = np.array([2.0, 1, 2, 4, 2, 2])
    student = stats.t.interval(0.95, 5, differences.mean(), stats.sem(differences))
    assert mean_interval(differences, 0.0, 0.05) == pytest.approx(student)
    skewness = float(stats.skew(differences)) / 6**0.5
    low, high = mean_interval(differences, skewness, 0.05)
    assert low <= student[0]
    assert high >= student[1]
    for bound in (low, high):  # at its ends the test is just at 5 %
        t = (differences.mean() - bound) / stats.sem(differences)
        assert mean_test(np.array(t), np.array(skewness), np.array(5), np.array(6)) == pytest.approx(0.05)


def test_there_is_no_interval_before_there_are_verdicts() -> None:
    found = Difference.of(scores_of([3, 5, 4, 6, 5], [1, 4, 2, 2, 3]), MEAN)
    assert (found.low, found.high, found.sign) == (None, None, 0)
    undeclared = Difference.of(scores_of([0.0] * 58, [1.0, 2] * 29), ContestDefaults(10, "mean"))
    assert (undeclared.low, undeclared.high, undeclared.sign) == (None, None, 0)
    assert Difference.of(scores_of([0.0] * 60, [1.0, 2] * 30), ContestDefaults(10, "mean")).sign == 1


def test_a_sum_is_compared_in_points_of_a_match_and_blocks_count_once() -> None:
    old, new = [float(k) for k in range(12)], [10.0, 20, 11, 23, 9, 25, 12, 21, 10, 22, 12, 20]
    total = Difference.of(scores_of(old, new), ContestDefaults(10, "sum", blocks=6))
    assert total.value == pytest.approx(np.mean(np.subtract(new, old)))
    paired = Difference.of(scores_of(old, new, size=2), MEAN)
    assert paired.blocks == 6
    assert paired.value == pytest.approx(total.value)


def test_medians_are_compared_by_signs() -> None:
    old = [float(k) for k in range(12)]
    found = Difference.of(scores_of(old, [k + 1.0 + k % 3 for k in range(12)]), ContestDefaults(10, "median"), 0.0125)
    assert (found.sign, found.more, found.low, found.value, found.high) == (1, 12, 1.0, 2.0, 3.0)
    few = Difference.of(scores_of(old[:4], [k + 1.0 for k in range(4)]), ContestDefaults(10, "median"), 0.0125)
    assert (few.sign, few.low, few.high) == (0, None, None)


def wins(table: tuple[int, int, int, int]) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    """Return the wins of two bots: both won, only the second did, only the first, neither."""
    return np.repeat([1.0, 0, 1, 0], table), np.repeat([1.0, 1, 0, 0], table)


def test_newcombes_interval() -> None:
    low, high = newcombe(*wins((20, 12, 2, 16)), 0.05)
    assert (low, high) == pytest.approx((0.0562, 0.3292), abs=5e-5)
    assert newcombe(*wins((20, 2, 12, 16)), 0.05) == pytest.approx((-high, -low))  # the two exchanged
    first, second = (stats.binomtest(won, 40).proportion_ci(method="wilson") for won in (20, 30))
    apart = newcombe(*wins((15, 15, 5, 5)), 0.05)  # wins that have nothing to do with each other: no correlation
    assert apart[0] == pytest.approx(0.25 - ((0.75 - second.low) ** 2 + (first.high - 0.5) ** 2) ** 0.5)


def test_bots_that_never_won_may_differ_all_the_same() -> None:
    """Twelve matches without a win: a bot that wins 2 % shows nothing in four of five such comparisons."""
    found = Difference.of(scores_of([0.0] * 12, [0.0] * 12), ContestDefaults(10, "wins", blocks=6))
    assert found.low == -found.high < -0.2  # type: ignore[operator]
    assert not found.is_within(0.1)
    assert found.is_alike


def test_blocks_that_are_all_equal_are_no_certainty() -> None:
    level = scores_of([0.0] * 40, [0.0] * 40, size=4)
    unknown = Difference.of(level, MEAN)
    assert (unknown.low, unknown.high, unknown.is_alike) == (None, None, True)
    assert not unknown.is_within(0.01)
    known = Difference.of(level, ContestDefaults(10, "mean", blocks=6, score_range=(0, 1)))
    assert known.high == pytest.approx(1 - 0.05**0.1)  # what is rarer has not been seen in ten blocks, with 95 %
    assert not known.is_within(0.1)


def test_no_difference_larger_than_a_margin() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(100, 30, 48)
    scores = scores_of(list(base), list(base + rng.normal(0, 1, 48)))
    found = Difference.of(scores, MEAN, 0.05 / 3)
    assert found.sign == 0
    assert found.is_within(2)
    assert not found.is_within(0.01)
    assert not found.is_within(None)
    assert found.blocks_until_verdict(2) == 48
    more = found.blocks_until_verdict(abs(found.value) + 0.2)
    assert more > 48


def test_the_interval_agrees_with_the_verdict() -> None:
    many_level = scores_of([0.0] * 70, [1.0] * 30 + [0.0] * 40)
    found = Difference.of(many_level, ContestDefaults(10, "wins"))
    assert found.sign == 1
    assert 0 < found.low < found.value < 30 / 70 + 1e-9


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_intervals_hold_at_all_looks_together(aggregate: str) -> None:
    rng, wrong, missed = np.random.default_rng(7), 0, 0
    looks = Looks.of(48, 12)
    for _ in range(300):
        base, shift = rng.normal(50, 20, 48), 3.0
        old, new = base + rng.normal(0, 8, 48), base + shift + rng.normal(0, 8, 48)
        found = [
            Difference.of(
                scores_of(list(old[:n]), list(new[:n])), ContestDefaults(9, aggregate, blocks=6), looks.alpha(n)
            )
            for n in looks.blocks
        ]
        wrong += any(d.low is not None and d.high is not None and not d.low <= shift <= d.high for d in found)
        missed += any(d.sign < 0 for d in found)
    assert wrong <= 24  # 15 are expected at most; 24 or more would come in one of fifty
    assert missed <= 5
