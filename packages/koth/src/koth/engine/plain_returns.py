"""Checks of values that a game's methods return: each check returns the value in koth's form, or raises ValueError.

The error's text continues a sentence that begins with the method's name, as in "must be True or False".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

import orjson

from koth.engine.plain_data import is_finite, shorten
from koth.events import Event
from koth.game import LARGEST_SCORE

Check = Callable[[Any], Any]
ONLY_JSON = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
"""Options with which orjson refuses values that only orjson can write."""


def check_nothing(value: Any) -> None:
    """Raise ValueError for any value except None: the method must change the match instead."""
    if value is not None:
        raise ValueError(f"must return nothing, not {shorten(value)}: change the fields of the match instead")


def check_truth(value: Any) -> bool:
    """Return a value that is True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"must be True or False, not {shorten(value)}")
    return value


SCORE_WORDS = f"numbers from -{LARGEST_SCORE:,.0f} to {LARGEST_SCORE:,.0f}"


def is_score(value: Any) -> bool:
    """Return whether a value is a Python number that can be a score."""
    return is_finite(value) and abs(value) <= LARGEST_SCORE


def scores_check(seats: int) -> Check:
    """Return a check for a list with a finite number for each seat."""

    def check(value: Any) -> list[float]:
        if not isinstance(value, list | tuple) or len(value) != seats:
            raise ValueError(f"must be a list of {seats} numbers, not {shorten(value)}")
        if wrong := [score for score in value if not is_score(score)]:
            raise ValueError(f"must be {SCORE_WORDS}, not {shorten(wrong[0])}")
        return [float(score) for score in value]

    return check


def seats_check(seats: int, question: str) -> Check:
    """Return a check of the seats that are asked a question; the check sorts the seats."""

    def check(value: Any) -> list[int]:
        found: list[Any] = list(value) if isinstance(value, Collection) else [None]
        if not all(type(seat) is int and 0 <= seat < seats for seat in found) or len(set(found)) < len(found):
            words = f"must be seats in 0..{seats - 1}, each once, not {shorten(value)}"
            raise ValueError(f"question {question}: asked() {words}")
        return sorted(found)

    return check


def check_json_object(value: Any) -> dict[str, Any]:
    """Return a dict with text keys whose values are JSON."""
    if not isinstance(value, Mapping):
        raise ValueError(f"must return a dict, not {shorten(value)}")
    found = dict(value)
    if set(map(type, found)) <= {str} and is_json(found):
        return found
    for key, one in found.items():
        if type(key) is not str or not is_json(key):
            raise ValueError(f"must return a dict with texts as keys, not {shorten(key)}")
        if not is_json(one):
            raise ValueError(f": {key} is {shorten(one)}, which JSON can't hold")
    return found


def is_json(value: Any) -> bool:
    """Return whether koth can write a value as JSON: no NaN, and whole numbers of at most 64 bits."""
    try:
        deep = [[[[[[[[value]]]]]]]]  # nested deeper than in any message that holds it
        text = orjson.dumps(deep, option=ONLY_JSON)
        if b"null" in text:  # which NaN becomes, too
            json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def check_events(value: Any) -> list[Event]:
    """Return a list of events."""
    if not isinstance(value, list | tuple) or not all(isinstance(event, Event) for event in value):
        raise ValueError(f"must return a list of koth.game.Event, not {shorten(value)}")
    for event in value:
        texts = event.kind, event.text, event.mark, *(party.name for party in (event.of, event.by) if party)
        if not all(isinstance(text, str) for text in texts) or not is_json(event.as_json()):
            raise ValueError(f"{shorten(event)} does not fit koth.game.Event")
    return list(value)
