"""Names of bots and authors: all of them can be seen, lead to their own pages, and do not look like others."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.discovery.manifest import check_name
from koth.errors import BotError
from koth.names import LONGEST_NAME, alike, problem_of, visible_text

UNSEEN = "\u00ad\u034f\u115f\u1160\u17b4\u180b\u180e\u200b\u200d\u2060\u2064\u2800\u3164\ufe0f\uffa0\ufeff\U000e0041"


@pytest.mark.parametrize(
    "name", ["anna", "Anna B.", "bot/1", "été", "Ошибка", "東京タワー", "神 bot", "π", "a-b_c", "3"]
)
def test_names_of_people_are_taken(name: str) -> None:
    assert problem_of(name) == ""
    assert check_name(name, Path("x")) == name


@pytest.mark.parametrize("one", UNSEEN)
def test_what_cannot_be_seen_is_in_no_name(one: str) -> None:
    for name in (one, f"ho{one}st", f"alice{one}"):
        assert "visible characters" in problem_of(name)
    assert check_name(f"ho{one}st", Path("x")) == "host"
    with pytest.raises(BotError, match="not a name for a bot"):
        check_name(one, Path("x"))


@pytest.mark.parametrize(
    "name", [".", "..", "../host/", "a/../good", "a//b", "/a", "a/", "a/./b", "\u2025/a", "a/ .. /b"]
)
def test_names_lead_to_no_other_page(name: str) -> None:
    assert problem_of(visible_text(name)) != ""
    with pytest.raises(BotError, match="not a name for a bot"):
        check_name(name, Path("x"))


def test_letters_are_of_one_script() -> None:
    assert problem_of("gr\u0435\u0435dy") == "the letters of a name are of one script, not of Cyrillic and Latin"
    assert problem_of("\u03b1lpha") != ""


def test_marks_are_few() -> None:
    assert problem_of("\u00e9\u0301\u0301") == ""
    assert "marks" in problem_of("\u1eb9\u0301\u0301\u0301")
    assert "marks" in problem_of("\u0301")
    assert "visible characters" in problem_of("a" * (LONGEST_NAME + 1))


@pytest.mark.parametrize(
    "name",
    ["GREEDY", "gr\u00e9edy", "gree\u0323dy", "\uff27reedy", "gr\u0435\u0435dy", "greed\u0443", "\u0261reedy"],
)
def test_names_that_look_alike_are_found(name: str) -> None:
    assert alike(name, ["fox", "greedy"]) == "greedy"


def test_letters_and_digits_that_look_alike_are_found() -> None:
    assert alike("aIice", ["alice"]) == "alice"
    assert alike("b0t-1", ["bot\u2013l"]) == "bot\u2013l"
    assert alike("\u0441\u043e\u0440\u0435", ["cope"]) == "cope"
    assert alike("\u13aa\u13de\u13c6\u13df\u13ac", ["alice"]) == "alice"
    assert alike("ian", ["Ian"]) == "Ian"
    assert alike("greedier", ["greedy"]) is None
