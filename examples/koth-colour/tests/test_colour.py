"""Colour Battle: its numbered rules, and the laws that every game keeps."""

from typing import Any

import pytest
from koth_colour import GAME
from koth_colour.match import ColourMatch, Settings

from koth.testing import LAWS, Case

SMALL = Settings(turns=12, squares=9)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Any) -> None:
    law(Case(GAME, SMALL, seats=3))


def after(places: list[tuple[int, int]], canvas: dict[int, int], *moves: str) -> ColourMatch:
    """Return a match after one turn, from these places and colours on a board of 6 x 6."""
    match = GAME.new_match(SMALL, seats=4)
    assert isinstance(match, ColourMatch)
    match.x, match.y = [x for x, _ in places], [y for _, y in places]
    match.number = [1, 2, 3, 4]
    for square, colour in canvas.items():
        match.canvas[square] = colour
    GAME.play(match, {seat: {"move": move} for seat, move in enumerate(moves)})
    return match


def test_rules_2_and_3_a_step_and_its_paint() -> None:
    corners = [(0, 0), (4, 0), (0, 5), (4, 5)]
    match = after(corners, {1: 2, 5: 1, 30: 3, 35: 1}, "east", "east", "west", "east")
    assert (match.x, match.y) == ([1, 5, 0, 5], [0, 0, 5, 5])
    assert [match.canvas[square] for square in (1, 5, 30, 35)] == [1, 0, 3, 1]


def test_rules_4_and_6_two_bots_on_a_square_and_the_scores() -> None:
    match = after([(0, 0), (2, 0), (5, 5), (0, 5)], {1: 2}, "east", "west", "stay", "stay")
    assert match.canvas[1] == 0
    assert match.scores() == [0, 0, 100 / 36, 100 / 36]
