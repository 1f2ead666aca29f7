"""Curves as a line of letters, and as a picture."""

from __future__ import annotations

from xml.etree import ElementTree

from koth.hill.curves import WIDTH, Point, picture, sparkline


def test_a_line_of_letters_goes_from_the_lowest_to_the_highest() -> None:
    assert sparkline([900, 1000, 1100], 900, 1100) == "▁▅█"
    assert sparkline([1000], 1000, 1000) == "▁"
    assert sparkline([], 0, 1) == ""


def test_a_long_line_is_thinned_and_ends_with_the_last_value() -> None:
    line = sparkline([*[0.0] * 99, 1.0], 0, 1)
    assert len(line) <= WIDTH
    assert line[-1] == "█"


def test_a_picture_names_its_curves_apart_and_as_text() -> None:
    curves = {
        "<b>": [Point(0, 1000, 50), Point(1, 1100, 40)],
        "ann": [Point(0, 990, 50), Point(1, 1099, 40)],
        "x": [],
    }
    root = ElementTree.fromstring(picture("a & b", "round", "rating", curves))
    texts = {text.text: float(text.get("y", 0)) for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"a & b", "round", "rating", "<b>", "ann", "1,000"} <= texts.keys()
    assert abs(texts["<b>"] - texts["ann"]) >= 15
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == 2
