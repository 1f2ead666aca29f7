"""Rule 4: who meets whom, with which observations, and in which waves they are asked."""

from __future__ import annotations

from collections import Counter

import pytest

from koth.games.aliens.rules import PAIR
from koth.rng import word
from koth.testing import seed_where
from tests.games.aliens.boards import Planet, rows

PAIR_OF_TWO = """
    .  .     .  .
    .  A0+B0 .  .
    .  .     .  .
    .  .     .  .
"""
THREE = """
    .  .        .  .
    .  A0+B0+C0 .  .
    .  .        .  .
    .  .        .  .
"""
DEADLY = "0 1000hp 1 1000 1 1 1\n"


@pytest.mark.parametrize(
    ("wishes", "peace"),
    [((False, False), True), ((True, False), False), ((False, True), False), ((True, True), False)],
)
def test_rule_4_there_is_peace_only_if_both_want_it(wishes: tuple[bool, bool], peace: bool) -> None:
    text = PAIR_OF_TWO + "A0 99hp 1 99 1 1 1\n"
    planet = Planet(text, fights=dict(zip(("A0", "B0"), wishes, strict=True))).play()
    assert planet.waves == [["A0", "B0"]]
    assert (len(planet.alive()) == 2) == peace
    assert planet.state.fights[0, : planet.state.fight_count[0]].tolist() == ([] if peace else [[0, 4]])


def test_rule_4_species_does_not_matter() -> None:
    planet = Planet(PAIR_OF_TWO.replace("B0", "A1"), fights={"A1": True}, seed=1).play()
    assert planet.waves == [["A0", "A1"]]
    assert len(planet.alive()) < 2


def test_rule_4_an_exception_means_fight() -> None:
    planet = Planet(PAIR_OF_TWO, failing=("B0",)).play()
    assert planet.waves == [["A0", "B0"]]
    assert len(planet.alive()) < 2


def test_rule_6_prey_take_part_and_never_want_to_fight() -> None:
    planet = Planet(PAIR_OF_TWO.replace("B0", "w0")).play()
    assert (planet.waves, planet.alive()) == ([["A0"]], ["A0", "w0"])
    planet = Planet(PAIR_OF_TWO.replace("B0", "w0"), fights={"A0": True}).play()
    assert (planet.waves, len(planet.alive())) == ([["A0"]], 1)


def test_rule_6_two_prey_keep_the_peace_and_nobody_is_asked() -> None:
    planet = Planet(". . A0\n. w0+w1 .\n. . .\n").play(3)
    assert (planet.waves, planet.alive()) == ([], ["A0", "w0", "w1"])


def test_rule_8_without_a_process_it_fights_all_it_meets() -> None:
    planet = Planet(THREE, dying={"B": 1}).play()
    assert "B0" not in {name for wave in planet.waves[:1] for name in wave}
    assert len(planet.alive()) < 3
    planet = Planet("gone A\n. . B0\n. A0+w0 .\n. . .\n").play()
    assert (planet.waves, len(planet.alive())) == ([], 2)


def test_rule_4_all_pairs_meet_once_if_there_is_peace() -> None:
    planet = Planet(THREE.replace("C0", "C0+w0+w1")).play()
    asked = Counter(name for wave in planet.waves for name in wave)
    assert asked == {"A0": 4, "B0": 4, "C0": 4}
    assert len(planet.alive()) == 5
    planet.play()
    asked.update(name for wave in planet.waves for name in wave)
    assert asked == {"A0": 12, "B0": 12, "C0": 12}  # a new round, a new meeting


def test_rule_4_meetings_that_can_not_influence_each_other_are_asked_together() -> None:
    """Of 4 who keep the peace on one square all 6 pairs meet, in 3 waves of two pairs at best."""
    lengths: Counter[int] = Counter()
    for seed in range(40):
        planet = Planet(THREE.replace("C0", "A1+B1"), seed=seed).play()
        assert sum(len(wave) for wave in planet.waves) == 12
        assert all(len(set(wave)) == len(wave) in (2, 4) for wave in planet.waves)
        lengths[len(planet.waves)] += 1
    assert set(lengths) == {3, 4, 5, 6}


def test_rule_4_all_squares_are_asked_at_the_same_time() -> None:
    planet = Planet("""
        A0+B0    .  .  B3
        .        .  .  .
        A1+B1+C1 .  .  A3+w0
        .        .  .  .
    """).play()
    assert len(planet.waves) == 3
    assert {"A0", "B0", "A3"} <= set(planet.waves[0])
    assert len(planet.waves[0]) == 5
    assert [len(wave) for wave in planet.waves[1:]] == [2, 2]
    assert planet.waves[0] == sorted(planet.waves[0])


def test_rule_4_the_next_pair_is_any_that_has_not_met() -> None:
    """Over many seeds each order of three pairs is as frequent as the others."""
    orders: Counter[tuple[tuple[str, ...], ...]] = Counter()
    for seed in range(600):
        planet = Planet(THREE, seed=seed).play()
        orders[tuple(tuple(wave) for wave in planet.waves)] += 1
    assert len(orders) == 6
    assert all(65 < count < 140 for count in orders.values()), orders


def test_rule_4_the_dead_are_not_met() -> None:
    """The deadly one meets both others, who never meet each other if it comes first."""
    seed = seed_where(
        lambda seed: word(seed, 0, PAIR, 0 * 22 + 4) < word(seed, 0, PAIR, 0 * 22 + 8),
        lambda seed: word(seed, 0, PAIR, 0 * 22 + 8) < word(seed, 0, PAIR, 4 * 22 + 8),
    )
    planet = Planet(THREE + "A" + DEADLY, fights={"A0": True}, seed=seed).play()
    assert planet.waves == [["A0", "B0"], ["A0", "C0"]]
    assert planet.alive() == ["A0"]


def test_rule_4_what_each_is_told_of_the_other() -> None:
    """Levels of life, strength, defense and vision; a blur of 0 changes nothing."""
    text = PAIR_OF_TWO + "A0 33hp 2.5 3.4999998 5 6.5 1.5\nB0 7hp 1 11 1.4 2 0.5\n"
    told_a: set[tuple[int, ...]] = set()
    for seed in range(300):
        planet = Planet(text, seed=seed).play()
        assert planet.told["A0"] == [[1, 11, 1, 2]]  # its cleverness halved is 0.25
        told_a.add(tuple(planet.told["B0"][0]))
    assert told_a == {(3 + i, 3 + j, 5 + k, 7 + n) for i in (0, 1) for j in (0, 1) for k in (0, 1) for n in (0, 1)}


@pytest.mark.parametrize(("cleverness", "blur"), [(1, 1), (2.4, 1), (3, 2), (11, 6), (20.5, 10), (21, 11)])
def test_rule_4_blur_is_uniform(cleverness: float, blur: int) -> None:
    counts: Counter[int] = Counter()
    for seed in range(150):
        planet = Planet(PAIR_OF_TWO + f"A0 10hp 1 1 1 1 {cleverness}\n", seed=seed).play()
        counts.update(value - 1 for value in planet.told["B0"][0])
    assert set(counts) == set(range(blur + 1))
    expected = 600 / (blur + 1)
    assert all(0.5 * expected < count < 1.6 * expected for count in counts.values()), counts


def test_rule_4_blur_is_drawn_anew_for_every_question() -> None:
    planet = Planet(THREE + "A0 10hp 1 1 1 1 41\n", seed=2).play(2)
    told = [tuple(values) for name in ("B0", "C0") for values in planet.told[name]]
    enemies = {values for values in told if max(values) > 2}
    assert len(enemies) == 4


def test_rule_4_every_wave_carries_the_current_state() -> None:
    """Who has won is told its new levels in the next wave, and its next enemy is told of them."""
    seed = seed_where(
        lambda seed: word(seed, 0, PAIR, 0 * 22 + 4) < word(seed, 0, PAIR, 0 * 22 + 8),
        lambda seed: word(seed, 0, PAIR, 0 * 22 + 8) < word(seed, 0, PAIR, 4 * 22 + 8),
    )
    text = THREE + "A0 1000hp 1 1000 1 1 0.5\nB0 1hp 11 1 1 21 1\n"
    planet = Planet(text, fights={"A0": True}, seed=seed)
    while planet.batch.observations is not None and len(planet.waves) < 1:
        planet.batch.answer(planet.answer(planet.batch.observations))
    observations = planet.batch.observations
    assert (observations.question.name, observations.unit.tolist()) == ("meet", [0, 8])
    assert observations.fields["levels"][0].tolist() == [3, 1000, 1, 5, 1]  # 1 + 11/5, 1000 + 1/5, 1 + 1/5, 1 + 21/5
    assert observations.fields["sight"][0] == 3
    assert observations.fields["hp"][0] in (1021, 1022)  # one blow of 1 may have hit, then 2 x 11
    assert observations.fields["enemy"][1].tolist() == [3, 1000, 1, 5]


def test_rule_3_the_dead_leave_the_board() -> None:
    planet = Planet(THREE + "A" + DEADLY, fights={"A0": True}).play()
    assert planet.board() == rows("""
        .  .  .  .
        .  A0 .  .
        .  .  .  .
        .  .  .  .
    """)
    planet.moves = {"A0": "EAST"}
    planet.play()
    assert planet.windows["A0"] == ["   ", " A ", "   "]
    assert planet.hp("B0") == 0
