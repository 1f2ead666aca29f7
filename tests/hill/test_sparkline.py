"""Curves as a line of letters."""

from __future__ import annotations

from koth.hill.sparkline import WIDTH, sparkline


def test_a_line_of_letters_goes_from_the_lowest_to_the_highest() -> None:
    assert sparkline([900, 1000, 1100], 900, 1100) == "▁▅█"
    assert sparkline([1000], 1000, 1000) == "▁"
    assert sparkline([], 0, 1) == ""


def test_a_long_line_is_thinned_and_ends_with_the_last_value() -> None:
    line = sparkline([*[0.0] * 99, 1.0], 0, 1)
    assert len(line) <= WIDTH
    assert line[-1] == "█"
