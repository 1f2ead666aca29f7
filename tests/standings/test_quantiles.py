"""Quantiles against tables that everybody has, and against sums of exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koth.standings.quantiles import beta_share, binomial_interval, median_order, sign_majority, t_quantile, t_tail


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.floats(0.001, 0.999))
def test_the_incomplete_beta_is_a_binomial_tail(a: int, b: int, x: float) -> None:
    games, share = a + b - 1, Fraction(x)
    exact = sum(comb(games, k) * share**k * (1 - share) ** (games - k) for k in range(a, games + 1))
    assert beta_share(a, b, x) == pytest.approx(float(exact), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("freedom", "error", "quantile"),
    [
        (1, 0.05, 12.7062),
        (5, 0.05, 2.5706),
        (9, 0.05, 2.2622),
        (30, 0.01, 2.75),
        (2, 0.001, 31.5991),
        (1e9, 0.05, 1.96),
    ],
)
def test_students_t(freedom: float, error: float, quantile: float) -> None:
    assert t_quantile(error, freedom) == pytest.approx(quantile, abs=5e-5)
    assert t_tail(t_quantile(error, freedom), freedom) == pytest.approx(error)


def test_binomial_intervals() -> None:
    assert binomial_interval(6, 6) == (pytest.approx(0.025 ** (1 / 6)), 1)
    assert binomial_interval(0, 10) == (0, pytest.approx(1 - 0.025**0.1))
    assert binomial_interval(3, 10) == (pytest.approx(0.0667, abs=5e-5), pytest.approx(0.6525, abs=5e-5))
    low, high = binomial_interval(50_000, 100_000)
    assert low == pytest.approx(1 - high)
    assert high - low == pytest.approx(2 * 1.96 * (0.25 / 100_000) ** 0.5, rel=1e-2)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 30), st.integers(1, 30))
def test_binomial_intervals_hold_the_truth_often_enough(wins: int, games: int) -> None:
    """By adding up all outcomes whose interval holds it."""
    share = Fraction(min(wins, games), games)
    held = sum(
        comb(games, k) * share**k * (1 - share) ** (games - k)
        for k in range(games + 1)
        if binomial_interval(k, games)[0] <= share <= binomial_interval(k, games)[1]
    )
    assert held >= 0.95


def test_order_statistics_of_the_median() -> None:
    assert [median_order(values) for values in (1, 2, 5)] == [None, None, None]
    assert median_order(6) == (1, pytest.approx(1 - 2 / 64))
    assert median_order(8) == (1, pytest.approx(1 - 2 / 256))
    assert median_order(9) == (2, pytest.approx(1 - 2 * 10 / 512))


@settings(max_examples=30, deadline=None)
@given(st.integers(6, 300))
def test_no_narrower_order_statistics_would_do(values: int) -> None:
    found = median_order(values)
    assert found is not None
    k, level = found
    missed = [2 * sum(comb(values, j) for j in range(order)) / 2**values for order in (k, k + 1)]
    assert level == pytest.approx(1 - missed[0])
    assert missed[0] <= 0.05 < missed[1]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 200), st.sampled_from([0.05, 0.01, 0.0004]))
def test_sign_majority(games: int, error: float) -> None:
    wins = sign_majority(games, error)
    tails = [2 * sum(comb(games, k) for k in range(least, games + 1)) / 2**games for least in (wins, wins - 1)]
    assert tails[0] <= error < tails[1]
