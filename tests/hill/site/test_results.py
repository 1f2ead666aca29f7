"""The trend of a rating as a line of letters."""

from __future__ import annotations

from koth.hill.site.results import TREND_WIDTH, Curve
from tests.hill import conftest  # noqa: F401  # it sets Django up, which the trend's module needs


def test_a_trend_goes_from_the_lowest_rating_to_the_highest_and_ends_with_the_last() -> None:
    assert Curve(ratings=[900, 1000, 1100]).trend == "▁▅█"
    assert Curve(ratings=[1000, 1000]).trend == "▁▁"
    assert Curve(ratings=[1000]).trend == ""
    long = Curve(ratings=[*[0.0] * 99, 1.0]).trend
    assert len(long) <= TREND_WIDTH
    assert long[-1] == "█"
