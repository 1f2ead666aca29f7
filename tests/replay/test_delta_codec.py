"""Encoding and decoding of asked units and changes in replays; invalid content is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.replay.delta_codec import IDLE, REACH, Roster, Series, gaps, places_of


@given(st.sets(st.integers(0, 999)))
def test_places_come_back(places: set[int]) -> None:
    ordered = np.array(sorted(places), np.int64)
    assert places_of(gaps(ordered, 1000), 1000).tolist() == ordered.tolist()


def test_gaps_count_the_entries_between_places() -> None:
    assert gaps(np.array([0, 1, 2, 5]), 9) == "###%"
    assert gaps(np.array([91]), 100) == "~#"
    assert gaps(np.array([0, 184]), 200) == "#~~$"


@pytest.mark.parametrize("text", ["####", "~", '"', "~~#"])
def test_places_that_are_none(text: str) -> None:
    if text == "~":
        assert places_of(text, 3).tolist() == []
        return
    with pytest.raises(ValueError, match="places are not within"):
        places_of(text, 3)


STEPS = st.sampled_from([0, 0, 0, 0, 1, -1, 2, REACH, -REACH, REACH + 1, 5000])


@st.composite
def histories(draw: st.DrawFn) -> list[np.ndarray[Any, Any]]:
    """An array turn by turn: crowds that walk, some that rest for long, new entries, fewer entries."""
    size = draw(st.integers(1, 40))
    values = np.array(draw(st.lists(st.integers(-5, 300), min_size=size, max_size=size)), np.int64)
    found = [values]
    for _ in range(draw(st.integers(1, 2 * IDLE))):
        kind = draw(st.sampled_from(["walk", "walk", "rest", "few", "size"]))
        values = values.copy()
        if kind == "walk":
            values += np.array(draw(st.lists(STEPS, min_size=len(values), max_size=len(values))), np.int64)
        elif kind == "few":
            values[draw(st.integers(0, len(values) - 1))] += draw(STEPS)
        elif kind == "size":
            values = np.resize(values, draw(st.integers(1, 50)))
        found.append(values)
    return found


@given(histories())
def test_every_change_is_understood(history: list[np.ndarray[Any, Any]]) -> None:
    said, heard = Series(history[0].copy()), Series(history[0].copy())
    for values in history[1:]:
        before = heard.values
        change = said.change(values.copy())
        if change is None:
            assert np.array_equal(before, values)
            continue
        heard.apply(change)
        assert heard.values.tolist() == values.tolist()
        assert before is not heard.values  # frames handed out before stay as they were


def test_a_crowd_that_walks_costs_a_third_of_a_character_each() -> None:
    dice = np.random.default_rng(1)
    values = np.arange(3000)
    series = Series(values.copy())
    series.change(values + 1)  # now they are active
    for _ in range(3):
        values = series.values + dice.integers(-1, 2, 3000)
        change = series.change(values)
        assert change is not None
        assert list(change) == ["t"]
        assert len(change["t"]) == 1000


def test_idle_entries_are_not_written() -> None:
    values = np.arange(100)
    series = Series(values.copy())
    series.change(values + 1)
    told = []
    for turn in range(2, IDLE + 4):
        values = series.values.copy()
        values[:20] += turn % 2 * 2 - 1
        change = series.change(values)
        assert change is not None
        told.append(len(change["t"]))
    assert told == [34] * IDLE + [7] * 2


@pytest.mark.parametrize(
    "change",
    [
        {"d": "?"},
        {"d": "???"},
        {"t": "??"},
        {"t": ""},
        {"i": "~", "s": [1]},
        {"i": "####", "s": [1, 2, 3, 4]},
        {"n": -1},
    ],
)
def test_a_change_that_does_not_fit(change: dict[str, Any]) -> None:
    series = Series(np.array([5, 6]))
    series.apply({"i": "##", "s": [7, 8]})
    with pytest.raises(ValueError):  # noqa: PT011
        series.apply(change)


def pairs(*rows: tuple[int, int]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Seats and bodies as a question has them."""
    table = np.array(rows, np.int32).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def test_who_is_asked_is_listed_once() -> None:
    told, heard = Roster(), Roster()
    everybody = pairs((0, 0), (0, 1), (1, 50), (1, 51), (2, 100))
    questions = [
        ("move", everybody, {"who": [0, 0, 0, 1, 1, 50, 1, 51, 2, 100]}),
        ("meet", pairs((0, 1), (2, 100)), {"rows": "$%"}),
        ("meet", pairs((0, 1), (2, 100)), {}),
        ("move", everybody, {}),
        ("move", pairs((0, 0), (2, 100)), {"rows": "#&"}),
        ("meet", pairs((0, 1), (1, 49)), {"who": [0, 1, 1, 49]}),
        ("move", pairs((1, 49), (1, 50)), {"rows": "%#"}),
    ]
    for name, (seat, unit), expected in questions:
        said = told.encode(name, seat, unit)
        assert said == expected
        assert heard.decode({"q": name, **said}).tolist() == np.column_stack([seat, unit]).tolist()
