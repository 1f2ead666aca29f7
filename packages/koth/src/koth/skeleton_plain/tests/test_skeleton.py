"""Skeleton: its numbered rules, and the laws that every game keeps."""

import pytest
from koth_skeleton import GAME
from koth_skeleton.match import Settings

from koth.testing import LAWS, Case

SMALL = Settings(side=5, turns=20, gold=1)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law):
    law(Case(GAME, SMALL, seats=3))


def test_rules_2_and_3_a_step_over_the_edge_onto_gold():
    match = GAME.new_match(SMALL, seats=2)
    match.x, match.y, match.gold = [4, 2], [0, 2], [(0, 0)]
    GAME.play(match, {0: {"move": "east"}, 1: {"move": "stay"}})
    assert (match.x, match.score) == ([0, 2], [1, 0])
