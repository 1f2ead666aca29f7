"""The prisoner's dilemma: its numbered rules, and the laws that every game keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from koth_ipd import GAME
from koth_ipd.match import IpdMatch, Settings

from koth.testing import LAWS, Case

STANDARD = Settings()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Case], None]) -> None:
    law(Case(GAME, Settings(turns=6), seats=2, turns=4))


def after(*turns: str, settings: Settings = STANDARD) -> IpdMatch:
    """A match after these turns, each the moves of both."""
    match: Any = GAME.new_match(settings, seats=2)
    for moves in turns:
        GAME.play(match, {seat: {"move": move} for seat, move in enumerate(moves)})
    return match


def test_rule_1_a_match_has_a_fixed_number_of_turns() -> None:
    short = Settings(turns=2)
    assert [after(*turns, settings=short).is_over() for turns in ([], ["CC"], ["CC", "CC"])] == [False, False, True]


@pytest.mark.parametrize(("moves", "points"), [("CC", [3, 3]), ("DD", [1, 1]), ("DC", [5, 0]), ("CD", [0, 5])])
def test_rule_2_points(moves: str, points: list[int]) -> None:
    assert after(moves).points == points


def test_rule_3_a_bot_observes_the_last_moves() -> None:
    assert after().observe(0) == {"turn": 0, "mine": "-", "theirs": "-"}
    assert after("CC", "CD").observe(1) == {"turn": 2, "mine": "D", "theirs": "C"}


def test_rule_4_the_score_is_the_mean() -> None:
    assert after().scores() == [0, 0]
    assert after("CC", "DC").scores() == [4, 1.5]
