"""Quantiles of Student's t and of the binomial, exact; both follow from the incomplete beta function."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache


def beta_share(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for positive `a` and `b` and `x` in [0, 1]."""
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly, its mirror converges fast
        return 1 - beta_share(b, a, 1 - x)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log) * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    """Its continued fraction by Lentz's method; some sqrt(a + b) steps."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            return value
    raise ArithmeticError(f"I_{x}({a}, {b}) does not converge")


def _solve(rises: Callable[[float], float], goal: float, low: float, high: float) -> float:
    """Where a rising function reaches `goal`, by halving to the last bit."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if rises(middle) < goal else (low, middle)
    return high


def t_tail(t: float, freedom: float) -> float:
    """The chance that Student's t with so many degrees of freedom is at least `t` away from 0."""
    return beta_share(freedom / 2, 0.5, freedom / (freedom + t * t))


@lru_cache(maxsize=4096)
def t_quantile(error: float, freedom: float) -> float:
    """How far from 0 Student's t gets with the chance `error` (both sides together); `error` in (0, 1)."""
    high = 1.0
    while t_tail(high, freedom) > error:
        high *= 2
    return _solve(lambda t: -t_tail(t, freedom), -error, 0.0, high)


@lru_cache(maxsize=4096)
def binomial_interval(wins: int, games: int, error: float = 0.05) -> tuple[float, float]:
    """The exact interval (Clopper and Pearson, 1934) of a chance that came true in `wins` of `games`."""
    low, high = 0.0, 1.0
    if wins > 0:
        low = _solve(lambda p: beta_share(wins, games - wins + 1, p), error / 2, 0.0, 1.0)
    if wins < games:
        high = _solve(lambda p: beta_share(wins + 1, games - wins, p), 1 - error / 2, 0.0, 1.0)
    return low, high


@lru_cache(maxsize=4096)
def median_order(values: int, error: float = 0.05) -> tuple[int, float] | None:
    """`(k, level)`: the k-th smallest and the k-th largest of so many values hold the median with this chance.

    The narrowest such pair of at least `1 - error`, as near to both ends (whatever the distribution; with ties the
    level is higher). None where even the smallest and the largest hold it less often.
    """

    def missed(k: int) -> float:  # fewer than k values on one side of the median
        return 2 * (1 - beta_share(k, values - k + 1, 0.5))

    if values < 2 or missed(1) > error:
        return None
    low, high = 1, values // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if missed(middle) <= error else (low, middle)
    return low, 1 - missed(low)


@lru_cache(maxsize=65536)
def sign_majority(games: int, error: float) -> int:
    """The least number of wins in so many games that one of two equals has with a chance of at most `error`.

    `games + 1` where not even winning all of them is rare enough.
    """
    low, high = games // 2, games + 1  # low is too few, high is enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if 2 * beta_share(middle, games - middle + 1, 0.5) <= error else (middle, high)
    return high
