"""Rule 5: exchanges, dodging, striking, rewards."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from koth.games.aliens import fights
from koth.games.aliens.rules import FIGHT
from koth.rng import draw
from koth.testing import seed_where
from tests.games.aliens.boards import ONE_ROUND, Planet

TWO = ". . .\n. A0+B0 .\n. . .\n"


def fight(a: str, b: str, seed: int = 0) -> Planet:
    """One fight between A0 and B0, with these HP and abilities."""
    return Planet(f"{TWO}A0 {a}\nB0 {b}\n", ONE_ROUND, fights={"A0": True}, seed=seed).play()


@pytest.mark.parametrize(
    ("defense", "cases"),
    [(1, 51), (2, 26), (3, 17), (10, 6), (17, 3), (25, 3), (26, 2), (49, 2), (50, 2), (51, 2), (400, 2)],
)
def test_rule_5_the_odds_of_dodging(defense: int, cases: int) -> None:
    """One in 50 div d + 1; from a defense of 26 on one in two, and never better."""
    assert 50 // min(defense, 50) + 1 == cases
    blows = dodged = 0
    for seed in range(40):
        hp, strength = 400, 1
        ability_a = np.array([1, strength, defense, 1, 1], np.float32)
        ability_b = np.array([1, strength, 1, 1, 1], np.float32)
        left_a, left_b = fights.fight(seed, 0, 0, hp, 10**6, ability_a, ability_b)
        assert left_a == 0
        exchanges = 0
        struck = 0
        while struck < hp:
            struck += draw(seed, 0, FIGHT, 4 * exchanges, cases) != 0
            exchanges += 1
        assert 10**6 - exchanges <= left_b <= 10**6 - 0.9 * exchanges
        blows += exchanges
        dodged += exchanges - hp
    expected = blows / cases
    assert abs(dodged - expected) < 5 * np.sqrt(expected)


@pytest.mark.parametrize(("strength", "most"), [(1.0, 1), (1.4999, 1), (1.5, 2), (6.0, 6), (10.5, 11)])
def test_rule_5_a_blow_costs_between_1_and_the_strength_level(strength: float, most: int) -> None:
    losses: Counter[int] = Counter()
    for seed in range(most * 60):
        planet = fight(f"1hp 1 {strength} 1 1 1", "1000hp 1 1000 1 1 1", seed)
        if not planet.hp("A0"):
            losses[1000 + 2 - planet.hp("B0")] += 1  # the reward for a life level of 1 is 2 HP
    dodged = losses.pop(0, 0)
    assert set(losses) <= set(range(1, most + 1)) | {n for n in losses if n > most and n <= 2 * most}
    single = [losses[n] for n in range(1, most + 1)]
    assert min(single) > 30, losses
    assert dodged < 0.1 * sum(single) + 5


def test_rule_5_both_strike_even_if_the_first_blow_killed() -> None:
    """Two with 1 HP: unless somebody dodges, both die."""
    both = sum(len(fight("1hp 1 1 1 1 1", "1hp 1 1 1 1 1", seed).alive()) == 0 for seed in range(200))
    assert both > 170  # (50 / 51) squared
    seed = seed_where(
        lambda seed: draw(seed, 0, FIGHT, 4 << 32, 51) != 0,
        lambda seed: draw(seed, 0, FIGHT, (4 << 32) + 2, 51) != 0,
    )
    planet = fight("1hp 3 3 1 1 1", "1hp 5 3 1 1 1", seed)
    assert planet.alive() == []
    assert planet.abilities("A0") == [3, 3, 1, 1, 1]  # nobody is paid


def test_rule_5_who_dodges_wins() -> None:
    seed = seed_where(
        lambda seed: draw(seed, 0, FIGHT, 4 << 32, 51) == 0,
        lambda seed: draw(seed, 0, FIGHT, (4 << 32) + 2, 51) != 0,
    )
    planet = fight("1hp 1 1 1 1 1", "1hp 1 1 1 1 1", seed)
    assert (planet.alive(), planet.hp("A0")) == (["A0"], 3)


def test_rule_5_the_reward_is_a_fifth_of_each_level_in_single_precision() -> None:
    planet = fight("100hp 1.1 50 2.2 3.3 4.4", "1hp 7.5 2.4999 1.4 11 3", seed=1)
    assert planet.alive() == ["A0"]
    fifth = [np.float32(level) / np.float32(5) for level in (8, 2, 1, 11, 3)]
    start = [np.float32(value) for value in (1.1, 50, 2.2, 3.3, 4.4)]
    assert planet.abilities("A0") == [float(np.float32(a + b)) for a, b in zip(start, fifth, strict=True)]


def test_rule_5_hp_grow_by_twice_the_life_level_without_a_limit() -> None:
    seed = seed_where(
        lambda seed: draw(seed, 0, FIGHT, 4 << 32, 51) == 0,
        lambda seed: draw(seed, 0, FIGHT, (4 << 32) + 2, 51) != 0,
    )
    assert fight("5000hp 1 50 1 1 1", "1hp 10.5 1 1 1 1", seed).hp("A0") == 5000 + 2 * 11


def test_rule_5_prey_are_paid_too() -> None:
    planet = Planet(". . .\n. A0+w0 .\n. . .\nA0 1hp 6 1 1 1 1\n", fights={"A0": True}, seed=3).play()
    assert planet.alive() == ["w0"]
    assert (
        planet.abilities("w0")
        == [float(np.float32(11) + np.float32(6) / np.float32(5))] + [float(np.float32(1) + np.float32(0.2))] * 4
    )
    assert 60 + 12 - 1 <= planet.hp("w0") <= 60 + 12


def test_rule_5_a_survivor_fights_on_with_what_it_has() -> None:
    """Strong enough to be hit by two in one round: rewards and wounds carry over."""
    planet = Planet(
        ". . .\n. A0+B0+C0 .\n. . .\nA0 50hp 1 30 1 1 1\nB0 1hp 3 1 1 1 1\nC0 1hp 3 1 1 1 1\n",
        fights={"A0": True},
        seed=4,
    ).play()
    assert planet.alive() == ["A0"]
    assert planet.abilities("A0")[0] == float(np.float32(np.float32(1) + np.float32(0.6)) + np.float32(0.6))
    assert 50 + 12 - 6 <= planet.hp("A0") <= 50 + 12
