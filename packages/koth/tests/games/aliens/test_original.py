"""Rule 10: the ruleset `original`, and where both rulesets must agree."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np

from koth.engine.batch import Batch
from koth.game import no_answers, state_hash
from koth.games.aliens import GAME
from koth.games.aliens.rules import ARRIVAL
from koth.games.aliens.state import Settings
from koth.rng import word
from koth.testing import seed_where
from tests.games.aliens.boards import ORIGINAL, Planet

A0, B0, C0 = 0, 4, 8
FOUR = ". . .\n. A0+B0+C0+w0 .\n. . .\n"


def arrive(*slots: int) -> int:
    """A seed for which these act in this order in the first round."""
    return seed_where(
        *(lambda seed, a=a, b=b: word(seed, 0, ARRIVAL, a) < word(seed, 0, ARRIVAL, b) for a, b in pairwise(slots))
    )


def test_rule_10_every_later_arrival_meets_the_first_and_nobody_else() -> None:
    planet = Planet(FOUR, ORIGINAL, seed=arrive(B0, A0, C0)).play()
    asked = Counter(name for wave in planet.waves for name in wave)
    first = [name for name, times in asked.items() if times > 1]
    assert (first, asked["A0"], asked["C0"]) in [(["B0"], 1, 1), ([], 1, 1)]
    assert len(planet.alive()) == 4


def test_rule_10_newcomers_are_asked_before_the_first() -> None:
    planet = Planet(FOUR.replace("+w0", ""), ORIGINAL, seed=arrive(B0, A0, C0)).play()
    assert planet.waves == [["A0"], ["B0"], ["C0"], ["B0"]]


def test_rule_10_several_may_end_on_one_square() -> None:
    """The deadly first kills whom it meets; two later arrivals who are at peace with it never meet."""
    text = FOUR.replace("+w0", "") + "A0 500hp 1 500 1 1 1\nC0 500hp 1 500 1 1 1\n"
    planet = Planet(text, ORIGINAL, fights={"B0": False}, seed=arrive(B0, A0, C0)).play()
    assert planet.alive() == ["A0", "B0", "C0"]


def test_rule_10_a_newcomer_whose_code_fails_fights_and_the_other_is_not_asked() -> None:
    text = ". . .\n. A0+B0 .\n. . .\n"
    planet = Planet(text, ORIGINAL, failing=("A0",), seed=arrive(B0, A0)).play()
    assert planet.waves == [["A0"]]
    assert len(planet.alive()) < 2
    planet = Planet(text, ORIGINAL, failing=("A0",), seed=arrive(A0, B0)).play()
    assert planet.waves == [["B0"], ["A0"]]
    assert len(planet.alive()) < 2


def test_rule_10_the_newcomer_is_struck_first() -> None:
    """It is the first of the two in the record of fights, and in the dice."""
    text = ". . .\n. A0+B0 .\n. . .\n"
    for order, pair in (((A0, B0), [B0, A0]), ((B0, A0), [A0, B0])):
        planet = Planet(text, ORIGINAL, fights={"A0": True}, seed=arrive(*order)).play()
        assert planet.state.fights[0, :1].tolist() == [pair]


def test_rule_10_a_corpse_is_asked_and_pays_again() -> None:
    """A0 kills the first, B0; C0 meets the corpse and is paid in full by the levels of its death."""
    text = FOUR.replace("+w0", "") + "A0 900hp 1 900 1 1 1\nB0 1hp 10 5 5 5 5\nC0 1hp 1 1 1 1 1\n"
    seed = arrive(B0, A0, C0)
    planet = Planet(text, ORIGINAL, fights={"A0": True, "C0": True}, seed=seed).play()
    assert planet.waves == [["A0"], ["B0"], ["C0"], ["B0"]]
    assert planet.alive() == ["A0", "C0"]
    assert planet.abilities("C0") == [3, 2, 2, 2, 2]
    assert planet.hp("C0") == 1 + 20
    planet = Planet(text, ORIGINAL, fights={"A0": True}, seed=seed).play()
    assert planet.abilities("C0") == [1, 1, 1, 1, 1]  # peace with the dead: nothing gained
    planet = Planet(text, ORIGINAL, fights={"A0": True, "B0": True}, seed=seed).play()
    assert planet.abilities("C0") == [3, 2, 2, 2, 2]  # the corpse wants to fight


def test_rule_10_a_dead_newcomer_is_simply_not_there() -> None:
    text = FOUR.replace("+w0", "") + "A0 1hp 1 1 1 1 1\nB0 900hp 1 900 1 1 1\nC0 900hp 1 1 1 1 1\n"
    planet = Planet(text, ORIGINAL, fights={"A0": True}, seed=arrive(B0, A0, C0)).play()
    assert planet.waves == [["A0"], ["B0"], ["C0"], ["B0"]]
    assert planet.alive() == ["B0", "C0"]


def test_rule_10_the_first_meets_later_arrivals_as_it_then_is() -> None:
    text = FOUR.replace("+w0", "") + "A0 1hp 11 1 1 1 1\nB0 900hp 1 900 1 1 0.5\n"
    planet = Planet(text, ORIGINAL, fights={"A0": True}, seed=arrive(B0, A0, C0)).play()
    assert planet.told["A0"] == [[1, 900, 1, 1]]
    assert planet.told["C0"] == [[3, 900, 1, 1]]


def test_rule_10_the_order_of_actions_is_any() -> None:
    orders: Counter[str] = Counter()
    for seed in range(300):
        planet = Planet(FOUR.replace("+w0", ""), ORIGINAL, seed=seed).play()
        orders["".join(wave[0] for wave in planet.waves)] += 1
    assert len(orders) == 6
    assert all(25 < count < 80 for count in orders.values()), orders


def test_rule_10_prey_among_themselves_and_the_processless() -> None:
    assert Planet("gone A\n. B0 .\n. A0+w0 .\n. . .\n", ORIGINAL).play().waves == []
    planet = Planet(". A0 .\n. w0+w1 .\n. . .\n", ORIGINAL).play()
    assert (planet.waves, planet.alive()) == ([], ["A0", "w0", "w1"])


def test_both_rulesets_agree_where_no_two_ever_meet() -> None:
    """Everybody marches to the east, far apart: whales aside there is no prey that could get in the way."""
    settings = Settings(instances=20, prey=0, rounds=30, space=10)

    def march(meetings: str) -> list[str]:
        batch = Batch(GAME, replace(settings, meetings=meetings), 3, [8])
        hashes: list[str] = []
        batch.on_turn = lambda: hashes.append(state_hash(GAME, batch.state, 0))
        while batch.observations is not None:
            assert batch.observations.question.name != "meet"
            answers = no_answers(batch.observations, batch.nobody_gone())
            if batch.observations.question.name == "points":
                answers.fields["points"][:] = np.arange(60)[:, None] % 6 * [[0.4, 0.2, 0.1, 0.6, 0.3]]
            else:
                answers.fields["move"][:] = 2
            batch.answer(answers)
        return hashes

    assert march("pairs") == march("first")
